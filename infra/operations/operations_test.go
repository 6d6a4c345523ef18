package main

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/template"
)

func TestActions(t *testing.T) {
	const clients = "github.com/aws/aws-sdk-go-v2/service/"
	for name, c := range map[string]struct {
		functions []string
		want      string
	}{
		"read":             {[]string{clients + "dynamodb.(*Client).GetItem"}, "dynamodb:GetItem"},
		"renamed":          {[]string{clients + "eventbridge.(*Client).PutEvents", clients + "sesv2.(*Client).SendEmail"}, "events:PutEvents ses:SendEmail"},
		"batch of a queue": {[]string{clients + "sqs.(*Client).SendMessageBatch"}, "sqs:SendMessage"},
		"batch of a table": {[]string{clients + "dynamodb.(*Client).BatchGetItem"}, "dynamodb:BatchGetItem"},
		"objects": {[]string{
			clients + "s3.(*Client).HeadObject", clients + "s3.(*Client).UploadPart", clients + "s3.(*PresignClient).PresignPostObject",
		}, "s3:GetObject s3:ListBucket s3:PutObject"},
		"invocation": {[]string{clients + "lambda.(*Client).Invoke"}, "lambda:InvokeFunction"},
		"write that nothing makes": {[]string{
			clients + "dynamodb.(*Client).PutItem", clients + "dynamodb.(*Client).DeleteItem", "minicloud/shared/dynamo.Put",
		}, "dynamodb:PutItem"},
		"options of a client": {[]string{clients + "dynamodb.(*Client).Options"}, ""},
		"closure of a method": {[]string{clients + "kms.(*Client).Decrypt.func1"}, ""},
		"helper of the SDK":   {[]string{clients + "sqs.(*Client).addOperationSendMessageMiddlewares"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := actions([]byte("\x00" + strings.Join(c.functions, "\x00") + "\x00"))
			if err != nil || strings.Join(got, " ") != c.want {
				t.Errorf("%v, %v, want %s", got, err, c.want)
			}
		})
	}

	var all strings.Builder
	for i := range reflect.TypeFor[*sqs.Client]().NumMethod() {
		all.WriteString(clients + "sqs.(*Client)." + reflect.TypeFor[*sqs.Client]().Method(i).Name + "\x00")
	}
	if _, err := actions([]byte(all.String())); err == nil {
		t.Error("a program with every method of a client passes")
	}
}

// TestReadsStrippedPrograms reads the function names of the test binary itself.
func TestReadsStrippedPrograms(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	names, err := functionNames(self)
	if err != nil {
		t.Skip("programs of this system are in another format:", err)
	}
	if !strings.Contains(string(names), "minicloud/infra/operations.compare\x00") {
		t.Error("the function compare is not among the names")
	}
}

func TestCompare(t *testing.T) {
	const queue, table = "arn:aws:sqs:us-east-1:000000000000:Work", "arn:aws:dynamodb:us-east-1:000000000000:table/Rows"
	f := &template.Function{
		ID: "AFunction", Program: "a",
		Queues:  []template.QueueEvent{{Queue: "Work"}},
		Streams: []template.StreamEvent{{Table: "Rows", OnFailureQueue: "Dead"}},
		Grants: []template.Grant{
			{Actions: template.LogActions, Resources: []string{"arn:aws:logs:us-east-1:000000000000:log-group:L:*"}},
			{Actions: template.QueueActions, Resources: []string{queue}},
			{Actions: template.StreamActions, Resources: []string{table + "/stream/*"}},
			{Actions: []string{"sqs:SendMessage"}, Resources: []string{"arn:aws:sqs:us-east-1:000000000000:Dead"}},
			{Actions: []string{"dynamodb:GetItem"}, Resources: []string{table}},
		},
	}
	if diff := cmp.Diff([]string(nil), compare(f, []string{"dynamodb:GetItem"})); diff != "" {
		t.Error(diff)
	}
	want := []string{
		"a can do dynamodb:Query, which AFunction does not allow",
		"AFunction allows dynamodb:GetItem, which a cannot do",
	}
	if diff := cmp.Diff(want, compare(f, []string{"dynamodb:Query"})); diff != "" {
		t.Error(diff)
	}

	// Receiving from another queue is the program's own work.
	f.Grants = []template.Grant{{Actions: []string{"sqs:ReceiveMessage"}, Resources: []string{queue, queue + "Other"}}}
	if diff := cmp.Diff([]string{"AFunction allows sqs:ReceiveMessage, which a cannot do"}, compare(f, nil)); diff != "" {
		t.Error(diff)
	}
}
