package template

import (
	"fmt"
)

// kind is one type of resource: which property names it, what GetAtt knows of
// it, and how it is read.
type kind struct {
	nameProperty string
	reference    func(b *builder, id, name string) reference
	read         func(b *builder, id, name string, s *section) // nil: its properties mean nothing here
	elsewhere    bool                                          // only AWS has it
}

// kinds is the list of everything that may stand in the template. It is filled
// in a function because the readers lead back here.
func kinds() map[string]kind {
	return map[string]kind{
		"AWS::Serverless::Function": {"FunctionName", arn("lambda", "function:"), (*builder).function, false},
		"AWS::Serverless::HttpApi":  {"Name", apiReference, func(b *builder, _, _ string, s *section) { b.api(s) }, false},
		"AWS::DynamoDB::Table":      {"TableName", tableReference, (*builder).table, false},
		"AWS::SQS::Queue":           {"QueueName", queueReference, (*builder).queue, false},
		"AWS::SQS::QueuePolicy":     {"", arn("sqs", "policy/"), (*builder).queuePolicy, false},
		"AWS::Events::EventBus":     {"Name", arn("events", "event-bus/"), (*builder).bus, false},
		"AWS::Events::Rule":         {"Name", arn("events", "rule/"), (*builder).rule, false},
		"AWS::KMS::Key":             {"", arn("kms", "key/"), (*builder).key, false},
		"AWS::KMS::Alias":           {"AliasName", arn("kms", ""), (*builder).alias, false},
		"AWS::IAM::Role":            {"RoleName", arn("iam", "role/"), (*builder).role, false},
		// Who may call us, and who looks at it: the local cloud has neither.
		"AWS::Logs::LogGroup":        {"LogGroupName", arn("logs", "log-group:"), nil, true},
		"AWS::Logs::MetricFilter":    {"", arn("logs", "metric-filter:"), nil, true},
		"AWS::Lambda::Permission":    {"", arn("lambda", "permission/"), nil, true},
		"AWS::SNS::Topic":            {"TopicName", topicReference, nil, true},
		"AWS::CloudWatch::Alarm":     {"AlarmName", arn("cloudwatch", "alarm:"), (*builder).alarm, true},
		"AWS::CloudWatch::Dashboard": {"DashboardName", arn("cloudwatch", "dashboard/"), nil, true},
	}
}

// arn makes references for resources whose Ref is their name.
func arn(service, prefix string) func(*builder, string, string) reference {
	return func(b *builder, id, name string) reference {
		full := b.arn(service, prefix+name)
		return reference{ref: name, attributes: map[string]string{"Arn": full, "Name": name, "KeyId": name}}
	}
}

func (b *builder) arn(service, resource string) string {
	return "arn:aws:" + service + ":" + b.opt.Region + ":" + Account + ":" + resource
}

func apiReference(b *builder, id, _ string) reference {
	base := b.opt.APIBase
	if base == "" {
		base = "https://" + id + ".execute-api." + b.opt.Region + ".amazonaws.com"
	}
	return reference{ref: id, attributes: map[string]string{"ApiEndpoint": base, "ApiId": id}}
}

func tableReference(b *builder, _, name string) reference {
	full := b.arn("dynamodb", "table/"+name)
	return reference{ref: name, attributes: map[string]string{"Arn": full, "StreamArn": full + "/stream/local"}}
}

func topicReference(b *builder, _, name string) reference {
	full := b.arn("sns", name)
	return reference{ref: full, attributes: map[string]string{"TopicArn": full, "TopicName": name}}
}

func queueReference(b *builder, _, name string) reference {
	url := "https://sqs." + b.opt.Region + ".amazonaws.com/" + Account + "/" + name
	if b.opt.QueueURL != nil {
		url = b.opt.QueueURL(name)
	}
	return reference{
		ref: url, attributes: map[string]string{"Arn": b.arn("sqs", name), "QueueName": name, "QueueUrl": url},
	}
}

// resources reads them in two passes: names first, because anything may refer
// to anything.
func (b *builder) resources(all *section) {
	known := kinds()
	type entry struct {
		id, name string
		kind     kind
		s        *section
	}
	var entries []entry
	for _, id := range all.value.Keys {
		s := all.mapping(id, all.value.Fields[id])
		if !b.wanted(s) {
			continue
		}

		k, ok := known[s.required("Type")]
		if !ok {
			s.fail(s.value, "resources of type %s are not served by the local cloud", s.text("Type", ""))
			continue
		}

		name := b.name(id, k.nameProperty, s)
		b.resolve.resources[id] = k.reference(b, id, name)
		entries = append(entries, entry{id, name, k, s})
	}

	for _, e := range entries {
		b.dependsOn(e.s, all)
		if e.s.text("DeletionPolicy", "") == "Retain" {
			e.s.fail(e.s.value.Fields["DeletionPolicy"], "DeletionPolicy: Retain leaves it behind when the first deployment "+
				"fails; RetainExceptOnCreate does not")
		}
		e.s.done("Properties", "Metadata", "UpdateReplacePolicy", "UpdatePolicy")
		if e.kind.elsewhere {
			b.out.Elsewhere = append(b.out.Elsewhere, Elsewhere{e.id, e.s.text("Type", "")})
		}
		if properties := b.properties(e.id, e.s); properties != nil && e.kind.read != nil {
			e.kind.read(b, e.id, e.name, properties)
		}
	}

	b.check()
	b.checkAlarms()
}

// wanted evaluates the resource's condition.
func (b *builder) wanted(s *section) bool {
	name := s.get("Condition")
	if name == nil {
		return true
	}
	truth, err := b.resolve.condition(name)
	if err != nil {
		b.fail(fmt.Errorf("%s: %w", s.name, err))
	}
	return truth
}

// name is the resource's own name: the property if it is given, else its
// logical id. It may use parameters but no other resource.
func (b *builder) name(id, property string, s *section) string {
	given := fields(s.value.Fields["Properties"])[property]
	if given == nil {
		return id
	}
	resolved, err := b.resolve.resolve(given)
	if err != nil {
		b.fail(fmt.Errorf("%s.%s: %w", id, property, err))
		return id
	}
	if resolved.Kind != Scalar || resolved.Text == "" {
		return id
	}
	return resolved.Text
}

func (b *builder) dependsOn(s, all *section) {
	v := s.get("DependsOn")
	if v == nil {
		return
	}
	names := v.Items
	if v.Kind == Scalar {
		names = []*Value{v}
	}
	for _, name := range names {
		if all.value.Fields[name.Text] == nil {
			s.fail(name, "DependsOn names %q, which is not a resource", name.Text)
		}
	}
}

// properties returns the resolved properties of a resource, nil when they
// cannot be resolved.
func (b *builder) properties(id string, s *section) *section {
	given := s.value.Fields["Properties"]
	if given == nil {
		given = &Value{Line: s.value.Line, Kind: Mapping}
	}
	resolved, err := b.resolve.resolve(given)
	if err != nil {
		b.fail(fmt.Errorf("%s: %w", id, err))
		return nil
	}
	return s.mapping(id, resolved)
}
