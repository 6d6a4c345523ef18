package iamaction

import "testing"

func TestExists(t *testing.T) {
	for action, want := range map[string]bool{
		"dynamodb:GetItem":            true,
		"dynamodb:getitem":            true,
		"dynamodb:ConditionCheckItem": true,
		"sqs:SendMessage":             true,
		"kms:GenerateDataKey":         true,
		"lambda:InvokeFunction":       true,
		"logs:PutLogEvents":           true,
		"dynamodb:Get*":               true,
		"*":                           true,
		"dynamodb:*":                  true,

		"dynamodb:GetItems":           false,
		"dynamodb:TransactWriteItems": false, // policies grant its parts instead
		"sqs:SendMessageBatch":        false, // granted by sqs:SendMessage
		"lambda:Invoke":               false, // the name of the operation, not of the action
		"nothing:GetItem":             false,
		"GetItem":                     false,
		"":                            false,
	} {
		if got := Exists(action); got != want {
			t.Errorf("%q: %v, want %v", action, got, want)
		}
	}
}
