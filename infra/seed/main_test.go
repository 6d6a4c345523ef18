package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"minicloud/infra/local/dynamotest"
	"minicloud/infra/seed/demo"
	"minicloud/shared/app"
	"minicloud/shared/dynamo/appdb"
)

func TestRunPrintsValidCredentials(t *testing.T) {
	client := dynamotest.Start(t, "ApplicationsTable")
	t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", *client.Options().BaseEndpoint)
	t.Setenv("AWS_ACCESS_KEY_ID", "local")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "local")
	t.Setenv("AWS_REGION", "us-east-1")
	t.Setenv("APPLICATIONS_TABLE", "ApplicationsTable")
	t.Setenv("FUNCTIONS_TABLE", "")
	var out, usage bytes.Buffer
	err := run(
		t.Context(), []string{"-name", "shop", "-environment", "staging", "-owner", "ada@example.com", "-owner-id", "7"},
		&out, &usage,
	)
	if err != nil {
		t.Fatal(err)
	}
	var c demo.Credentials
	if err := json.Unmarshal(out.Bytes(), &c); err != nil {
		t.Fatal(err)
	}
	apps := &app.Service{Store: &appdb.Applications{Client: client, Table: "ApplicationsTable"}}
	a, err := apps.Get(t.Context(), c.Miniapp)
	if err != nil || !a.Holds(app.ClientID(c.ClientID), c.ClientSecret) || a.Name != "shop" ||
		a.Owner.Email != "ada@example.com" || a.Owner.UserID != 7 {
		t.Errorf("%+v, %v", a, err)
	}
	if name, ok := a.Environment(c.Environments["staging"]); !ok || name != "staging" {
		t.Errorf("environments %v", c.Environments)
	}
	out.Reset()
	if err := run(t.Context(), []string{"-reset-secret", c.ClientID}, &out, &usage); err != nil {
		t.Fatal(err)
	}
	var renewed demo.Credentials
	if err := json.Unmarshal(out.Bytes(), &renewed); err != nil {
		t.Fatal(err)
	}
	a, err = apps.Get(t.Context(), c.Miniapp)
	if err != nil || !a.Holds(app.ClientID(c.ClientID), renewed.ClientSecret) ||
		a.Holds(app.ClientID(c.ClientID), c.ClientSecret) {
		t.Errorf("after the reset: %+v, %v", a, err)
	}
	if c.ClientSecret = renewed.ClientSecret; !reflect.DeepEqual(c, renewed) {
		t.Errorf("the rest has changed: %+v, was %+v", renewed, c)
	}
	if err := run(t.Context(), []string{"-reset-secret", strings.Repeat("0", 20)}, &out, &usage); err == nil ||
		!strings.Contains(err.Error(), "not found") {
		t.Errorf("an unknown client: %v", err)
	}
}

func TestRunNamesWhatIsMissing(t *testing.T) {
	t.Setenv("APPLICATIONS_TABLE", "")
	err := run(t.Context(), nil, &bytes.Buffer{}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "APPLICATIONS_TABLE") {
		t.Errorf("run = %v", err)
	}
	if err := run(t.Context(), []string{"-nonsense"}, &bytes.Buffer{}, &bytes.Buffer{}); err == nil ||
		!strings.Contains(err.Error(), "not defined: -nonsense") {
		t.Errorf("an unknown flag: %v", err)
	}
}
