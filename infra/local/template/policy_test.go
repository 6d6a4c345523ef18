package template

import "testing"

func TestAllowed(t *testing.T) {
	grants := []Grant{
		{
			Actions:   []string{"dynamodb:GetItem", "dynamodb:Query"},
			Resources: []string{"arn:aws:dynamodb:r:0:table/A", "arn:aws:dynamodb:r:0:table/A/index/*"},
		},
		{Actions: []string{"sqs:*"}, Resources: []string{"*"}},
	}
	tests := []struct {
		action, resource string
		want             bool
	}{
		{"dynamodb:GetItem", "arn:aws:dynamodb:r:0:table/A", true},
		{"dynamodb:getitem", "arn:aws:dynamodb:r:0:table/A", true},
		{"dynamodb:GetItem", "arn:aws:dynamodb:r:0:table/AB", false},
		{"dynamodb:PutItem", "arn:aws:dynamodb:r:0:table/A", false},
		{"dynamodb:Query", "arn:aws:dynamodb:r:0:table/A/index/by_x", true},
		{"sqs:SendMessage", "arn:aws:sqs:r:0:Q", true},
		{"kms:Decrypt", "arn:aws:kms:r:0:key/K", false},
	}
	for _, tt := range tests {
		if got := Allowed(grants, tt.action, tt.resource, ""); got != tt.want {
			t.Errorf("%s on %s: %v", tt.action, tt.resource, got)
		}
	}
}

func TestGrantsOfARole(t *testing.T) {
	got, err := read(t, `Resources:
  F:
    Type: AWS::Serverless::Function
    Properties: {Runtime: provided.al2023, CodeUri: functions/f, Role: !GetAtt R.Arn}
  R:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument: {}
      Policies:
        - PolicyName: P
          PolicyDocument: {Statement: [{Effect: Allow, Action: sqs:SendMessage, Resource: "*"}]}
`)
	if err != nil {
		t.Fatal(err)
	}
	if !Allowed(got.Functions[0].Grants, "sqs:SendMessage", "arn:aws:sqs:r:0:Q", "") {
		t.Errorf("grants %+v", got.Functions[0].Grants)
	}
}
