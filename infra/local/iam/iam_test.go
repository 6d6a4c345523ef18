package iam

import (
	"errors"
	"strings"
	"testing"

	"minicloud/infra/local/template"
)

const source = `
Transform: AWS::Serverless-2016-10-31
Resources:
  Table:
    Type: AWS::DynamoDB::Table
    Properties: {BillingMode: PAY_PER_REQUEST, AttributeDefinitions: [{AttributeName: pk, AttributeType: S}], KeySchema: [{AttributeName: pk, KeyType: HASH}]}
  Other:
    Type: AWS::DynamoDB::Table
    Properties: {BillingMode: PAY_PER_REQUEST, AttributeDefinitions: [{AttributeName: pk, AttributeType: S}], KeySchema: [{AttributeName: pk, KeyType: HASH}]}
  Partial:
    Type: AWS::DynamoDB::Table
    Properties: {BillingMode: PAY_PER_REQUEST, AttributeDefinitions: [{AttributeName: pk, AttributeType: S}], KeySchema: [{AttributeName: pk, KeyType: HASH}]}
  Queue: {Type: AWS::SQS::Queue}
  Bus: {Type: AWS::Events::EventBus}
  Key: {Type: AWS::KMS::Key}
  Safe: {Type: AWS::KMS::Key}
  Reader:
    Type: AWS::Serverless::Function
    Properties:
      Runtime: provided.al2023
      CodeUri: functions/f
      Role: !GetAtt ReaderRole.Arn
  ReaderRole:
    Type: AWS::IAM::Role
    Properties:
      Policies:
        - PolicyName: reader
          PolicyDocument:
            Statement:
              - {Effect: Allow, Action: [dynamodb:GetItem, dynamodb:BatchGetItem, dynamodb:PutItem, dynamodb:Query], Resource: !GetAtt Table.Arn}
              - {Effect: Allow, Action: [dynamodb:GetItem, dynamodb:UpdateItem], Resource: !GetAtt Partial.Arn, Condition: {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": session#*}}}
              - {Effect: Allow, Action: ses:SendEmail, Resource: ["arn:aws:ses:us-east-1:000000000000:identity/*", "arn:aws:ses:us-east-1:000000000000:configuration-set/Mails"], Condition: {StringLike: {"ses:TenantName": shop-*}}}
              - {Effect: Allow, Action: sqs:SendMessage, Resource: !GetAtt Queue.Arn}
              - {Effect: Allow, Action: events:PutEvents, Resource: !GetAtt Bus.Arn}
              - {Effect: Allow, Action: [kms:Encrypt, kms:Decrypt], Resource: !GetAtt Key.Arn}
              - {Effect: Allow, Action: kms:Decrypt, Resource: !GetAtt Safe.Arn, Condition: {StringLike: {"kms:EncryptionContext:for": ["*#payment#*"]}}}
              - {Effect: Allow, Action: lambda:InvokeFunction, Resource: !GetAtt Silent.Arn}
  Silent:
    Type: AWS::Serverless::Function
    Properties:
      Runtime: provided.al2023
      CodeUri: functions/f
      Role: !GetAtt SilentRole.Arn
  SilentRole:
    Type: AWS::IAM::Role
    Properties:
      Policies: [{PolicyName: log, PolicyDocument: {Statement: [{Effect: Allow, Action: logs:PutLogEvents, Resource: "*"}]}}]
`

func gate(t *testing.T) (*Gate, *template.Template) {
	t.Helper()
	parsed, err := template.Read([]byte(source), template.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return New(parsed, "us-east-1"), parsed
}

func signed(key string) string {
	return "AWS4-HMAC-SHA256 Credential=" + key +
		"/20261121/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0"
}

func TestGate(t *testing.T) {
	g, _ := gate(t)
	type check func(authorization, operation string, body []byte) error
	mail := func(authorization, tenant string, resources []byte) error {
		var arns []string
		for _, one := range strings.Fields(string(resources)) {
			arns = append(arns, "arn:aws:ses:us-east-1:000000000000:"+one)
		}
		return g.Check(authorization, "ses:SendEmail", tenant, arns...)
	}
	tests := []struct {
		name            string
		check           check
		operation, body string
		allowed         bool
	}{
		{"get", g.DynamoDB, "GetItem", `{"Key":{"TableName":{"S":"x"}},"TableName":"Table"}`, true},
		{"get of another table", g.DynamoDB, "GetItem", `{"TableName":"Other"}`, false},
		{"get by ARN", g.DynamoDB, "GetItem", `{"TableName":"arn:aws:dynamodb:us-east-1:000000000000:table/Table"}`, true},
		{"get of a granted key", g.DynamoDB, "GetItem", `{"Key":{"pk":{"S":"session#1"}},"TableName":"Partial"}`, true},
		{"get of another key", g.DynamoDB, "GetItem", `{"Key":{"pk":{"S":"accounts"}},"TableName":"Partial"}`, false},
		{"get of no key", g.DynamoDB, "GetItem", `{"TableName":"Partial"}`, false},
		{"update", g.DynamoDB, "UpdateItem", `{"TableName":"Table"}`, false},
		{"query of the table", g.DynamoDB, "Query", `{"TableName":"Table"}`, true},
		{"query of an index", g.DynamoDB, "Query", `{"IndexName":"by_x","TableName":"Table"}`, false},
		{"batch", g.DynamoDB, "BatchGetItem", `{"RequestItems":{"Table":{}}}`, true},
		{"batch over both", g.DynamoDB, "BatchGetItem", `{"RequestItems":{"Table":{},"Other":{}}}`, false},
		{"transaction", g.DynamoDB, "TransactWriteItems", `{"TransactItems":[{"Put":{"TableName":"Table"}}]}`, true},
		{
			"transaction with a check", g.DynamoDB, "TransactWriteItems",
			`{"TransactItems":[{"Put":{"TableName":"Table"}},{"ConditionCheck":{"TableName":"Table"}}]}`, false,
		},
		{
			"transaction elsewhere", g.DynamoDB, "TransactWriteItems", `{"TransactItems":[{"Put":{"TableName":"Other"}}]}`,
			false,
		},
		{
			"transaction on a granted key", g.DynamoDB, "TransactWriteItems",
			`{"TransactItems":[{"Update":{"TableName":"Partial","Key":{"pk":{"S":"session#1"}}}}]}`, true,
		},
		{
			"transaction on another key", g.DynamoDB, "TransactWriteItems",
			`{"TransactItems":[{"Update":{"TableName":"Partial","Key":{"pk":{"S":"session#1"}}}},{"Update":{"TableName":"Partial","Key":{"pk":{"S":"x"}}}}]}`,
			false,
		},
		{"mail of a tenant", mail, "shop-7", "identity/a@example.com configuration-set/Mails", true},
		{"mail of another deployment's tenant", mail, "bank-7", "identity/a@example.com configuration-set/Mails", false},
		{"mail of no tenant", mail, "", "identity/a@example.com configuration-set/Mails", false},
		{"mail with another configuration set", mail, "shop-7", "identity/a@example.com configuration-set/Other", false},
		{"send", g.SQS, "SendMessage", `{"QueueUrl":"http://x/000000000000/Queue"}`, true},
		{"send many", g.SQS, "SendMessageBatch", `{"QueueUrl":"http://x/000000000000/Queue"}`, true},
		{"receive", g.SQS, "ReceiveMessage", `{"QueueUrl":"http://x/000000000000/Queue"}`, false},
		{"list", g.SQS, "ListQueues", `{}`, false},
		{"event", g.Events, "PutEvents", `{"Entries":[{"EventBusName":"Bus"}]}`, true},
		{"event on the default bus", g.Events, "PutEvents", `{"Entries":[{}]}`, false},
		{"encrypt", g.KMS, "Encrypt", `{"KeyId":"Key"}`, true},
		{"decrypt without a key", g.KMS, "Decrypt", `{"CiphertextBlob":"x"}`, true},
		{"decrypt of its kind", g.KMS, "Decrypt", `{"KeyId":"Safe","EncryptionContext":{"for":"1.production#payment#x"}}`, true},
		{"decrypt of another kind", g.KMS, "Decrypt", `{"KeyId":"Safe","EncryptionContext":{"for":"1.production#trigger#2"}}`, false},
		{"decrypt of no kind", g.KMS, "Decrypt", `{"KeyId":"Safe"}`, false},
		{"decrypt of its kind in another context", g.KMS, "Decrypt", `{"KeyId":"Safe","EncryptionContext":{"x":"1.production#payment#x"}}`, false},
		{"data key", g.KMS, "GenerateDataKey", `{"KeyId":"Key"}`, false},
	}
	for _, tt := range tests {
		err := tt.check(signed("Reader"), tt.operation, []byte(tt.body))
		if (err == nil) != tt.allowed || err != nil && !strings.Contains(err.Error(), "is not authorized to perform: ") {
			t.Errorf("%s: %v, want allowed %v", tt.name, err, tt.allowed)
		}
		if err := tt.check(signed("local"), tt.operation, []byte(tt.body)); err != nil {
			t.Errorf("%s by somebody who is no function: %v", tt.name, err)
		}
		if err := tt.check(signed("Silent"), tt.operation, []byte(tt.body)); err == nil ||
			!strings.Contains(err.Error(), "is not authorized to perform: ") {
			t.Errorf("%s by a function without grants: %v", tt.name, err)
		}
	}
	if err := g.Lambda(signed("Reader"), "Silent"); err != nil {
		t.Error(err)
	}
	err := g.Lambda(signed("Reader"), "Reader")
	want := "User: arn:aws:sts::000000000000:assumed-role/Reader/local is not authorized to perform: lambda:InvokeFunction on resource: " +
		"arn:aws:lambda:us-east-1:000000000000:function:Reader because no identity-based policy allows the lambda:InvokeFunction action"
	if err == nil || err.Error() != want {
		t.Errorf("invoke: %v", err)
	}
}

// TestEveryOperationIsAnActionOfIAM checks the action names that the gate uses: operations and actions may have
// different names (Invoke, SendMessageBatch, parts of transactions).
func TestEveryOperationIsAnActionOfIAM(t *testing.T) {
	g, _ := gate(t)
	denied := func(what string, err error) {
		t.Helper()
		if _, ok := errors.AsType[*Denied](err); !ok {
			t.Errorf("%s: want a denial, got %v", what, err)
		}
	}
	for _, operation := range []string{"BatchGetItem", "BatchWriteItem", "DeleteItem", "DescribeTable", "GetItem", "PutItem",
		"Query", "Scan", "TransactGetItems", "TransactWriteItems", "UpdateItem", "CreateTable", "DeleteTable"} {
		body := `{"TableName":"Table","RequestItems":{"Table":{}},"TransactItems":[{"Put":{"TableName":"Table"}}]}`
		denied(operation, g.DynamoDB(signed("Silent"), operation, []byte(body)))
	}
	for part := range partActions {
		body := `{"TransactItems":[{"` + part + `":{"TableName":"Table"}}]}`
		denied(part, g.DynamoDB(signed("Silent"), "TransactWriteItems", []byte(body)))
	}
	for _, operation := range []string{"SendMessage", "SendMessageBatch", "ReceiveMessage", "DeleteMessage", "DeleteMessageBatch",
		"ChangeMessageVisibility", "ChangeMessageVisibilityBatch", "GetQueueUrl", "GetQueueAttributes", "CreateQueue",
		"ListQueues", "PurgeQueue"} {
		denied(operation, g.SQS(signed("Silent"), operation, []byte(`{"QueueUrl":"http://x/000000000000/Queue"}`)))
	}
	for _, operation := range []string{"Encrypt", "Decrypt", "GenerateDataKey", "GenerateDataKeyWithoutPlaintext"} {
		denied(operation, g.KMS(signed("Silent"), operation, []byte(`{"KeyId":"Key"}`)))
	}
	denied("PutEvents", g.Events(signed("Silent"), "PutEvents", []byte(`{"Entries":[{}]}`)))
	denied("Invoke", g.Lambda(signed("Silent"), "Reader"))
	denied("Publish", g.Check(signed("Silent"), "sns:Publish", "", "*"))
	for _, action := range []string{"SendEmail", "CreateEmailIdentity", "GetEmailIdentity", "DeleteEmailIdentity", "CreateTenant",
		"CreateTenantResourceAssociation"} {
		denied(action, g.Check(signed("Silent"), "ses:"+action, "t", "*"))
	}
	if err := g.DynamoDB(signed("Reader"), "GetItems", []byte(`{"TableName":"Table"}`)); err == nil ||
		!strings.Contains(err.Error(), "IAM has no action dynamodb:GetItems") {
		t.Errorf("an operation without action: %v", err)
	}
}

func TestUses(t *testing.T) {
	_, parsed := gate(t)
	for _, f := range parsed.Functions {
		if got, want := Uses(f), f.Name == "Reader"; got != want {
			t.Errorf("%s: %v", f.Name, got)
		}
	}
}
