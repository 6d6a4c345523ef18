package template

import (
	"cmp"

	"go.yaml.in/yaml/v4"
)

// Elsewhere is a resource that only AWS has: the local cloud takes it, sees
// that what it refers to exists, serves nothing for it and says so at start.
type Elsewhere struct{ ID, Type string }

// kind is one type of resource: which property names it, the values of its Ref and
// GetAtt, and how it is read.
type kind struct {
	nameProperty string
	reference    func(b *builder, id, name string) reference
	read         func(b *builder, id, name string, properties *yaml.Node) // nil: its properties mean nothing here
	elsewhere    bool                                                     // only AWS has it
}

// kinds lists every type that the template may have. It is filled in a function
// because the readers lead back here.
func kinds() map[string]kind {
	return map[string]kind{
		"AWS::Serverless::Function": {"FunctionName", arn("lambda", "function:"), (*builder).function, false},
		"AWS::Serverless::HttpApi":  {"Name", apiReference, (*builder).httpAPI, false},
		"AWS::DynamoDB::Table":      {"TableName", tableReference, (*builder).table, false},
		"AWS::SQS::Queue":           {"QueueName", queueReference, (*builder).queue, false},
		"AWS::SQS::QueuePolicy":     {"", arn("sqs", "policy/"), (*builder).queuePolicy, false},
		"AWS::Events::EventBus":     {"Name", arn("events", "event-bus/"), (*builder).bus, false},
		"AWS::Events::Rule":         {"Name", arn("events", "rule/"), (*builder).rule, false},
		"AWS::KMS::Key":             {"", arn("kms", "key/"), (*builder).key, false},
		"AWS::IAM::Role":            {"RoleName", arn("iam", "role/"), (*builder).role, false},
		"AWS::Logs::LogGroup":       {"LogGroupName", arn("logs", "log-group:"), nil, true},
		"AWS::SNS::Topic":           {"TopicName", topicReference, nil, true},
		"AWS::CloudWatch::Alarm":    {"AlarmName", arn("cloudwatch", "alarm:"), (*builder).alarm, true},
	}
}

// arn makes references for resources whose Ref is their name.
func arn(service, prefix string) func(*builder, string, string) reference {
	return func(b *builder, id, name string) reference {
		return reference{ref: name, attributes: map[string]string{"Arn": b.arn(service, prefix+name), "Name": name}}
	}
}

func (b *builder) arn(service, resource string) string {
	return "arn:aws:" + service + ":" + b.opt.Region + ":" + Account + ":" + resource
}

func apiReference(b *builder, id, _ string) reference {
	base := cmp.Or(b.opt.APIBase, "https://"+id+".execute-api."+b.opt.Region+".amazonaws.com")
	return reference{ref: id, attributes: map[string]string{"ApiEndpoint": base}}
}

func tableReference(b *builder, _, name string) reference {
	full := b.arn("dynamodb", "table/"+name)
	return reference{ref: name, attributes: map[string]string{"Arn": full, "StreamArn": full + "/stream/local"}}
}

func topicReference(b *builder, _, name string) reference {
	return reference{ref: b.arn("sns", name)}
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

// resource is an entry of Resources.
type resource struct {
	Type           string    `yaml:"Type"`
	Condition      string    `yaml:"Condition"`
	DeletionPolicy string    `yaml:"DeletionPolicy"`
	Properties     yaml.Node `yaml:"Properties"`

	id, name string
	kind     kind
}

// resources reads them in two passes: names first, because anything may refer
// to anything.
func (b *builder) resources(all *yaml.Node) {
	known := kinds()
	var entries []resource
	for key, value := range pairs(all) {
		e := resource{id: key.Value}
		if err := decode(value, &e, "Metadata", "UpdateReplacePolicy"); err != nil {
			b.fail(e.id, "%w", err)
			continue
		}
		// A resource whose condition is false has no name either: a reference to it is an error.
		if !b.wanted(e) {
			continue
		}

		k, ok := known[e.Type]
		if !ok {
			b.fail(e.id, "%w", wrong(value, "resources of type %s are not served by the local cloud", e.Type))
			continue
		}
		if e.DeletionPolicy == "Retain" {
			b.fail(e.id, "%w", wrong(value, "DeletionPolicy: Retain leaves it behind when the first deployment fails; "+
				"RetainExceptOnCreate does not"))
		}
		e.kind, e.name = k, b.name(e.id, get(&e.Properties, k.nameProperty))
		b.resolve.resources[e.id] = k.reference(b, e.id, e.name)
		entries = append(entries, e)
	}

	for _, e := range entries {
		if e.kind.elsewhere {
			b.out.Elsewhere = append(b.out.Elsewhere, Elsewhere{e.id, e.Type})
		}
		properties, err := b.resolve.resolve(&e.Properties)
		if err != nil {
			b.fail(e.id, "%w", err)
		} else if e.kind.read != nil {
			e.kind.read(b, e.id, e.name, properties)
		}
	}
	b.check()
}

// wanted evaluates the resource's condition.
func (b *builder) wanted(e resource) bool {
	if e.Condition == "" {
		return true
	}
	truth, err := b.resolve.condition(&yaml.Node{Value: e.Condition})
	if err != nil {
		b.fail(e.id, "%w", err)
	}
	return truth
}

// name returns the resource's own name: the property if it is given, else its
// logical id. It may use parameters but no other resource.
func (b *builder) name(id string, given *yaml.Node) string {
	if given == nil {
		return id
	}
	resolved, err := b.resolve.resolve(given)
	if err != nil {
		b.fail(id, "%w", err)
	}
	if resolved == nil {
		return id
	}
	return cmp.Or(resolved.Value, id)
}

// decode reads the resolved properties of a resource and reports what is wrong.
func (b *builder) decode(id string, n *yaml.Node, out any, irrelevant ...string) {
	if err := decode(n, out, irrelevant...); err != nil {
		b.fail(id, "%w", err)
	}
}
