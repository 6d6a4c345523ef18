package template

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"go.yaml.in/yaml/v4"

	"minicloud/infra/local/template/node"
)

// Elsewhere is a resource that only AWS has. The local cloud checks its references, does not serve it, and says so at
// start.
type Elsewhere struct{ ID, Type string }

// kind is one type of resource: the property with its name, the values of its Ref and GetAtt, and its decoder.
type kind struct {
	nameProperty string
	reference    func(b *builder, id, name string) node.Reference
	read         func(b *builder, id, name string, properties *yaml.Node) // nil: its properties have no effect locally
	elsewhere    bool                                                     // only AWS has it
}

// kinds returns all supported resource types. It is a function because the decoders refer back to it.
func kinds() map[string]kind {
	return map[string]kind{
		"AWS::Serverless::Function":  {"FunctionName", functionReference, (*builder).function, false},
		"AWS::Serverless::HttpApi":   {"Name", apiReference, (*builder).httpAPI, false},
		"AWS::DynamoDB::Table":       {"TableName", tableReference, (*builder).table, false},
		"AWS::SQS::Queue":            {"QueueName", queueReference, (*builder).queue, false},
		"AWS::S3::Bucket":            {"BucketName", bucketReference, (*builder).bucket, false},
		"AWS::S3::BucketPolicy":      {"", arn("s3", "policy/"), (*builder).bucketPolicy, false},
		"AWS::SQS::QueuePolicy":      {"", arn("sqs", "policy/"), (*builder).queuePolicy, false},
		"AWS::Events::EventBus":      {"Name", arn("events", "event-bus/"), (*builder).bus, false},
		"AWS::Events::Rule":          {"Name", arn("events", "rule/"), (*builder).rule, false},
		"AWS::KMS::Key":              {"", arn("kms", "key/"), (*builder).key, false},
		"AWS::IAM::Role":             {"RoleName", arn("iam", "role/"), (*builder).role, false},
		"AWS::Logs::LogGroup":        {"LogGroupName", logGroupReference, nil, true},
		"AWS::SNS::Topic":            {"TopicName", topicReference, nil, true},
		"AWS::SES::ConfigurationSet": {"Name", arn("ses", "configuration-set/"), (*builder).configurationSet, false},
		"AWS::SES::ConfigurationSetEventDestination": {
			"", arn("ses", "event-destination/"), (*builder).eventDestination, false,
		},
		"AWS::CloudWatch::Alarm": {"AlarmName", arn("cloudwatch", "alarm:"), (*builder).alarm, false},

		"AWS::CloudFront::Distribution":          {"", distributionReference, (*builder).distribution, false},
		"AWS::CloudFront::OriginAccessControl":   {"", originAccessReference, (*builder).originAccess, false},
		"AWS::CloudFront::ResponseHeadersPolicy": {"", arn("cloudfront", "response-headers-policy/"), (*builder).headersPolicy, false},

		"AWS::ApiGatewayV2::DomainName": {"DomainName", domainReference, nil, true},
		"AWS::ApiGatewayV2::ApiMapping": {"", arn("apigateway", "mapping/"), nil, true},
		"AWS::Route53::RecordSet":       {"", arn("route53", "record/"), nil, true},
		"AWS::CloudWatch::Dashboard":    {"DashboardName", arn("cloudwatch", "dashboard/"), (*builder).dashboard, true},
		"AWS::Logs::MetricFilter":       {"FilterName", arn("logs", "metric-filter:"), (*builder).metricFilter, false},
		"AWS::Budgets::Budget":          {"", arn("budgets", "budget/"), (*builder).budget, false},
		"AWS::IAM::ManagedPolicy":       {"ManagedPolicyName", managedPolicyReference, (*builder).managedPolicy, false},
	}
}

// arn returns the reference function for resources whose Ref is their name.
func arn(service, prefix string) func(*builder, string, string) node.Reference {
	return func(b *builder, id, name string) node.Reference {
		return node.Reference{Ref: name, Attributes: map[string]string{"Arn": b.arn(service, prefix+name), "Name": name}}
	}
}

func (b *builder) arn(service, resource string) string {
	return "arn:aws:" + service + ":" + b.opt.Region + ":" + Account + ":" + resource
}

func apiReference(b *builder, id, _ string) node.Reference {
	base := cmp.Or(b.opt.APIBase, "https://"+id+".execute-api."+b.opt.Region+".amazonaws.com")
	return node.Reference{Ref: id, Attributes: map[string]string{"ApiEndpoint": base}, Stage: "$default"}
}

func domainReference(b *builder, id, name string) node.Reference {
	return node.Reference{Ref: name, Attributes: map[string]string{
		"RegionalDomainName":   "d-" + id + ".execute-api." + b.opt.Region + ".amazonaws.com",
		"RegionalHostedZoneId": "Z" + id,
	}}
}

func tableReference(b *builder, _, name string) node.Reference {
	full := b.arn("dynamodb", "table/"+name)
	return node.Reference{Ref: name, Attributes: map[string]string{"Arn": full, "StreamArn": full + "/stream/local"}}
}

// logGroupReference returns the reference of a log group, whose ARN covers its streams.
func logGroupReference(b *builder, _, name string) node.Reference {
	return node.Reference{Ref: name, Attributes: map[string]string{"Arn": b.arn("logs", "log-group:"+name+":*")}}
}

// managedPolicyReference returns the reference of a managed policy, whose Ref is its ARN.
func managedPolicyReference(b *builder, _, name string) node.Reference {
	return node.Reference{Ref: b.arn("iam", "policy/"+name)}
}

func topicReference(b *builder, _, name string) node.Reference {
	return node.Reference{Ref: b.arn("sns", name)}
}

func queueReference(b *builder, _, name string) node.Reference {
	url := "https://sqs." + b.opt.Region + ".amazonaws.com/" + Account + "/" + name
	if b.opt.QueueURL != nil {
		url = b.opt.QueueURL(name)
	}
	return node.Reference{
		Ref: url, Attributes: map[string]string{"Arn": b.arn("sqs", name), "QueueName": name, "QueueUrl": url},
	}
}

// resource is an entry of Resources.
type resource struct {
	Type           string      `yaml:"Type"`
	Condition      string      `yaml:"Condition"`
	DeletionPolicy string      `yaml:"DeletionPolicy"`
	Metadata       node.Object `yaml:"Metadata"`
	Properties     yaml.Node   `yaml:"Properties"`

	id, name string
	kind     kind
}

// resources reads the resources in two passes, names first, because any resource may refer to any other.
func (b *builder) resources(all *yaml.Node) {
	known := kinds()
	var entries []resource
	for key, value := range node.Pairs(all) {
		e := resource{id: key.Value}
		if err := node.Decode(value, &e, "UpdateReplacePolicy"); err != nil {
			b.fail(e.id, "%w", err)
			continue
		}
		// A resource whose condition is false gets no name: a reference to it is an error.
		if !b.wanted(e) {
			continue
		}

		k, ok := known[e.Type]
		if !ok {
			b.fail(e.id, "%w", node.Wrong(value, "resources of type %s are not served by the local cloud", e.Type))
			continue
		}
		if e.DeletionPolicy == "Retain" {
			b.fail(e.id, "%w", node.Wrong(value, "DeletionPolicy: Retain leaves it behind when the first deployment fails; "+
				"RetainExceptOnCreate does not"))
		}
		e.kind, e.name = k, b.name(e, node.Get(&e.Properties, k.nameProperty))
		b.resolve.Resources[e.id] = k.reference(b, e.id, e.name)
		entries = append(entries, e)
	}

	for _, e := range entries {
		if e.kind.elsewhere {
			b.out.Elsewhere = append(b.out.Elsewhere, Elsewhere{e.id, e.Type})
		}
		properties, err := b.resolve.Resolve(&e.Properties)
		if err != nil {
			b.fail(e.id, "%w", err)
			continue
		}
		if e.kind.read != nil {
			e.kind.read(b, e.id, e.name, properties)
		}
		r := Resource{ID: e.id, Type: e.Type, Name: e.name, Metadata: e.Metadata, Properties: map[string]any{}}
		if properties.Kind == yaml.MappingNode {
			if err := properties.Load(&r.Properties); err != nil {
				b.fail(e.id, "%w", err)
			}
		}
		b.out.Resources = append(b.out.Resources, r)
	}
	b.check()
}

// wanted evaluates the resource's condition.
func (b *builder) wanted(e resource) bool {
	if e.Condition == "" {
		return true
	}
	truth, err := b.resolve.Condition(&yaml.Node{Value: e.Condition})
	if err != nil {
		b.fail(e.id, "%w", err)
	}
	return truth
}

// name returns the name of a resource: the value of its name property, or the name that CloudFormation would generate.
// The property may use parameters but no other resource.
func (b *builder) name(e resource, given *yaml.Node) string {
	if given == nil {
		return b.generated(e)
	}
	resolved, err := b.resolve.Resolve(given)
	if err != nil {
		b.fail(e.id, "%w", err)
	}
	if resolved == nil {
		return b.generated(e)
	}
	return cmp.Or(resolved.Value, e.id)
}

// LongestName is the maximum length of names by resource type; generated names are cut to it.
var LongestName = map[string]int{
	"AWS::Serverless::Function": 64, "AWS::Serverless::HttpApi": 128, "AWS::DynamoDB::Table": 255, "AWS::SQS::Queue": 80,
	"AWS::Events::EventBus": 256, "AWS::Events::Rule": 64, "AWS::IAM::Role": 64, "AWS::Logs::LogGroup": 512,
	"AWS::SNS::Topic": 256, "AWS::SES::ConfigurationSet": 64, "AWS::CloudWatch::Alarm": 255, "AWS::S3::Bucket": 63,
	"AWS::KMS::Key":           36, // length of a key ID
	"AWS::IAM::ManagedPolicy": 128, "AWS::CloudWatch::Dashboard": 255, "AWS::Logs::MetricFilter": 512,
}

// generated returns the generated name of a resource: stack, logical ID and 13 random characters, cut to LongestName.
func (b *builder) generated(e resource) string {
	if b.opt.Stack == "" {
		return e.id
	}
	// Use a hash instead of random characters, so that a template always generates the same names.
	sum := sha256.Sum256([]byte(e.id))
	random := "-" + base32.StdEncoding.EncodeToString(sum[:])[:13]
	name := b.opt.Stack + "-" + e.id
	if longest := LongestName[e.Type]; longest > 0 {
		name = name[:min(len(name), longest-len(random))]
	}
	if e.Type == "AWS::S3::Bucket" { // their names have no capital letters
		return strings.ToLower(name + random)
	}
	return name + random
}

// reader returns the reader of a resource's properties.
func (b *builder) reader(id string, n *yaml.Node) node.Reader {
	return node.Reader{Node: n, Fail: func(format string, a ...any) { b.fail(id, format, a...) }}
}

// decode decodes the resolved properties of a resource and reports the errors.
func (b *builder) decode(id string, n *yaml.Node, out any, irrelevant ...string) {
	b.reader(id, n).Decode(out, irrelevant...)
}

// oneOf reports a value that the local cloud does not support.
func (b *builder) oneOf(id, key, got string, served ...string) {
	b.reader(id, nil).OneOf(key, got, served...)
}
