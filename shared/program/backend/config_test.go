package backend

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/shared/dynamo"
	"minicloud/shared/program/env"
)

func TestConfigReadsTheEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"AWS_REGION": "eu-west-1", "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret",
		"AWS_SESSION_TOKEN": "token", "AWS_ENDPOINT_URL": "http://all", "AWS_ENDPOINT_URL_DYNAMODB": "http://tables",
		"AWS_ENDPOINT_URL_SESV2": "http://mail",
	} {
		t.Setenv(name, value)
	}

	var r env.Reader
	cfg := config(&r)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}

	keys, err := cfg.Credentials.Retrieve(t.Context())
	if err != nil || keys.AccessKeyID != "id" || keys.SecretAccessKey != "secret" || keys.SessionToken != "token" {
		t.Errorf("credentials %+v, %v", keys, err)
	}
	if got := dynamo.New(cfg).Options(); got.Region != "eu-west-1" || aws.ToString(got.BaseEndpoint) != "http://tables" {
		t.Errorf("DynamoDB in %s at %s", got.Region, aws.ToString(got.BaseEndpoint))
	}
	if got := aws.ToString(sqs.NewFromConfig(cfg).Options().BaseEndpoint); got != "http://all" {
		t.Errorf("SQS at %s", got)
	}
	if got := aws.ToString(sesv2.NewFromConfig(cfg).Options().BaseEndpoint); got != "http://mail" {
		t.Errorf("SES at %s", got)
	}
}

func TestConfigNamesMissingVariables(t *testing.T) {
	r := env.Reader{Lookup: func(string) (string, bool) { return "", false }}
	config(&r)
	for _, name := range []string{"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		if err := r.Err(); err == nil || !strings.Contains(err.Error(), name+" is not set") {
			t.Errorf("%v does not name %s", err, name)
		}
	}
}
