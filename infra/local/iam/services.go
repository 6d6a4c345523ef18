package iam

import (
	"cmp"
	"encoding/json"
	"strings"

	"minicloud/infra/local/template"
)

// Lambda checks an invocation of a function.
func (g *Gate) Lambda(authorization, function string) error {
	return g.Check(authorization, "lambda:InvokeFunction", "", g.arn("lambda", "function:"+function))
}

// SQS checks one operation. Batch operations need the permission of the single operation, as on AWS.
func (g *Gate) SQS(authorization, operation string, body []byte) error {
	queue := cmp.Or(field(body, "QueueUrl"), field(body, "QueueName"))
	resource := "*"
	if queue != "" {
		resource = g.arn("sqs", queue[strings.LastIndex(queue, "/")+1:])
	}
	return g.Check(authorization, "sqs:"+strings.TrimSuffix(operation, "Batch"), "", resource)
}

// Events checks PutEvents on every bus that the request names.
func (g *Gate) Events(authorization, operation string, body []byte) error {
	var in struct {
		Entries []struct{ EventBusName string }
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil // refused later as malformed
	}

	for _, e := range in.Entries {
		bus := cmp.Or(e.EventBusName, "default")
		if !strings.HasPrefix(bus, "arn:") {
			bus = g.arn("events", "event-bus/"+bus)
		}
		if err := g.Check(authorization, "events:"+operation, "", bus); err != nil {
			return err
		}
	}

	return nil
}

// KMS checks one operation on the key that the request names. Decrypt may name none; then a grant for any of the
// template's keys is enough.
func (g *Gate) KMS(authorization, operation string, body []byte) error {
	given := field(body, "KeyId")
	var in struct{ EncryptionContext map[string]string }
	if err := json.Unmarshal(body, &in); err != nil {
		return nil // refused later as malformed
	}
	bound := in.EncryptionContext[template.SecretContext]
	var denied error
	for _, key := range g.keys {
		if given != "" && given != key.ID && !strings.HasSuffix(given, ":key/"+key.ID) {
			continue
		}
		if denied = g.Check(authorization, "kms:"+operation, bound, g.arn("kms", "key/"+key.ID)); denied == nil {
			return nil
		}
	}
	return denied
}
