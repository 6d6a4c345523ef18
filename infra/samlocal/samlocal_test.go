package samlocal_test

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/api"
	"minicloud/infra/local/cloud"
	"minicloud/infra/local/template"
)

// recorded is the entry of one request in testdata/events.json.
type recorded struct {
	Request struct {
		Method, Path string
		Headers      map[string]string
		Body         string
	}
	Function string
	Event    map[string]any
}

// TestEventsMatchSAM: the events of these tests equal the recorded events of sam local.
func TestEventsMatchSAM(t *testing.T) {
	text, err := os.ReadFile("testdata/events.json")
	if err != nil {
		t.Fatal(err)
	}
	var entries []recorded
	if err := json.Unmarshal(text, &entries); err != nil {
		t.Fatal(err)
	}
	tmpl, err := template.ReadFile("../../template.yaml", template.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, seen := &sam{functions: tmpl.Functions}, map[string]bool{}

	for _, e := range entries {
		r := httptest.NewRequest(e.Request.Method, e.Request.Path, strings.NewReader(e.Request.Body))
		for name, value := range e.Request.Headers {
			r.Header.Set(name, value)
		}
		r.Host = r.Header.Get("Host")
		function, event, err := s.event(r)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		text, _ := json.Marshal(event)
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e.Event, got); diff != "" || function != e.Function {
			t.Errorf("%s %s: of %s, want %s (-sam +test):\n%s", e.Request.Method, e.Request.Path, function, e.Function, diff)
		}
		seen[function] = true
	}
	for _, f := range tmpl.Functions {
		if len(f.Routes) > 0 && !seen[f.Name] {
			t.Errorf("testdata/events.json has nothing for %s", f.Name)
		}
	}
}

// TestEveryProgramUnderSAMLocal: every program with routes responds under sam local, and the URLs for BaaS calls and
// run logs point to sam local.
func TestEveryProgramUnderSAMLocal(t *testing.T) {
	local, s := run(t)
	// oauth: two redirects with cookies, then a token
	client, err := api.ConnectAs(t.Context(), s.url, local.Credentials.ClientID, local.Credentials.ClientSecret)
	if err != nil {
		t.Fatal(err)
	}
	call := func(method, path string, body, answer any) {
		t.Helper()
		if err := client.Send(t.Context(), method, path, body, answer); err != nil {
			t.Fatal(err)
		}
	}

	// table
	const functions = "/oserve/v1.3/cloud-function/"
	fields := []map[string]string{{"name": "name", "type": "string"}}
	call("POST", "/oserve/v1.8/table/", map[string]any{"name": "plants", "schema": map[string]any{"fields": fields}}, nil)
	call("POST", "/oserve/v2.4/table/plants/record/", map[string]string{"name": "oak"}, nil)

	// cloudfunction, and BaaS calls from the sandbox: the table program responds under sam local
	before := invocations(local)
	call("POST", functions, map[string]string{"name": "asks", "function_code": `
exports.main = async () => {
	const found = await new BaaS.TableObject('plants').find();
	return found.data.objects.map((row) => row.name);
};`}, nil)
	var run struct {
		Code int
		Data []string
	}
	call("POST", functions+"asks/job/", map[string]any{"data": map[string]any{}}, &run)
	if len(run.Data) != 1 || run.Data[0] != "oak" {
		t.Errorf("the run answered %+v", run)
	}
	if after := invocations(local); after != before {
		t.Errorf("%d requests went to make run, not to sam local", after-before)
	}

	// an asynchronous run: make run executes it, its log is served by sam local
	call("POST", functions+"hello/job/", map[string]any{"data": map[string]any{}, "sync": false}, nil)
	var jobs struct {
		Objects []struct {
			Status string
			Log    string `json:"user_log_url"`
		}
	}
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		call("GET", functions+"hello/job/?limit=1", nil, &jobs)
		if len(jobs.Objects) == 1 && jobs.Objects[0].Status == "fulfilled" {
			break
		}
	}
	if len(jobs.Objects) != 1 || !strings.HasPrefix(jobs.Objects[0].Log, s.url+"/oserve/") {
		t.Fatalf("want a finished job with its log at %s, got %+v", s.url, jobs)
	}
	log, err := new(api.Client).Call(t.Context(), "GET", jobs.Objects[0].Log, "") // the URL alone grants access
	if err != nil || !bytes.Contains(log, []byte("LOG")) {
		t.Errorf("the log is %q, %v", log, err)
	}

	// user, and a path without a route
	where := url.QueryEscape(`{"nickname":"Ada"}`)
	var users struct{ Objects []struct{ Nickname string } }
	call("GET", "/userve/v2.2/miniapp/user_profile/?where="+where, nil, &users)
	if len(users.Objects) != 1 || users.Objects[0].Nickname != "Ada" {
		t.Errorf("users: %+v", users)
	}
	if _, err := client.Call(t.Context(), "GET", "/nowhere/", ""); err == nil || !strings.Contains(err.Error(), "status 404:") {
		t.Errorf("a path without a route: %v", err)
	}
}

// invocations returns the number of requests to the gateway of make run.
func invocations(c *cloud.Cloud) int64 {
	var sum int64
	for _, n := range c.Stats().HTTP {
		sum += n
	}
	return sum
}

// The template declares AWS_ENDPOINT_URL so that sam local can set the address of the services. Deployed with an empty
// value, it must have no effect.
func TestEmptyEndpointMeansAWS(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL", "")
	for _, service := range []string{"DYNAMODB", "SQS", "LAMBDA", "KMS"} {
		t.Setenv("AWS_ENDPOINT_URL_"+service, "")
		os.Unsetenv("AWS_ENDPOINT_URL_" + service)
	}
	cfg, err := config.LoadDefaultConfig(t.Context(), config.WithRegion("us-east-1"))
	if err != nil {
		t.Fatal(err)
	}
	for service, endpoint := range map[string]*string{
		"DynamoDB": dynamodb.NewFromConfig(cfg).Options().BaseEndpoint, "SQS": sqs.NewFromConfig(cfg).Options().BaseEndpoint,
		"Lambda": lambda.NewFromConfig(cfg).Options().BaseEndpoint, "KMS": kms.NewFromConfig(cfg).Options().BaseEndpoint,
	} {
		if endpoint != nil {
			t.Errorf("%s is looked for at %q", service, *endpoint)
		}
	}
}
