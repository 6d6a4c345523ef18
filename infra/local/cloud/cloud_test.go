package cloud_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go"

	"minicloud/infra/local/child"
	"minicloud/infra/local/cloud"
	"minicloud/infra/local/ddb"
	"minicloud/infra/seed/demo"
	"minicloud/shared/tenant"
)

var binDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "cloud")
	if err != nil {
		panic(err)
	}
	binDir = dir
	for _, program := range []string{"probe", "reader"} {
		bootstrap := filepath.Join(dir, program, "bootstrap")
		build := exec.Command("go", "build", "-ldflags=-s -w", "-o", bootstrap, "../testdata/"+program)
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			fmt.Println("build:", err)
			os.Exit(1)
		}
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func config(t testing.TB, dataDir string) cloud.Config {
	t.Helper()
	root, err := ddb.Root()
	if err != nil {
		t.Fatal(err)
	}
	return cloud.Config{
		Root: root, Template: "testdata/template.yaml", DataDir: dataDir, BinDir: binDir, Terminal: os.Stderr,
		StoppedClock: true,
	}
}

func start(t testing.TB, dataDir string, changes ...func(*cloud.Config)) *cloud.Cloud {
	t.Helper()
	cfg := config(t, dataDir)
	for _, change := range changes {
		change(&cfg)
	}
	c, err := cloud.Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	return c
}

func call(t testing.TB, method, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "text/plain")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

func TestKeepsDataAcrossRestarts(t *testing.T) {
	dir := t.TempDir()
	first := start(t, dir)
	if status, body := call(t, "PUT", first.URL+"/item/a", "kept"); status != 204 {
		t.Fatalf("PUT: %d %s", status, body)
	}
	first.Stop()
	second := start(t, dir)
	if status, body := call(t, "GET", second.URL+"/item/a", ""); status != 200 || body != "kept" {
		t.Errorf("GET after restart: %d %q", status, body)
	}
}

func TestStats(t *testing.T) {
	c := start(t, t.TempDir())
	for range 3 {
		call(t, "GET", c.URL+"/item/a", "")
	}
	_, body := call(t, "GET", c.URL+"/_local/stats?reset=1", "")
	var got struct {
		DynamoDB, Invoke, Starts, HTTP map[string]int
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	// The host replaces a process that is slow to ask for its next event, so the number of starts varies.
	starts := got.Starts["ReaderFunction"]
	if got.DynamoDB["GetItem"] != 3 || got.Invoke["ReaderFunction"] != 3 || starts < 1 || starts > 3 ||
		got.HTTP["ANY /item/{key}"] != 3 {
		t.Errorf("stats %s", body)
	}
	if n := c.Stats().DynamoDB["GetItem"]; n != 0 {
		t.Errorf("%d after a reset", n)
	}
}

// TestServicesHaveOneAddress calls all AWS APIs at one address, DynamoDB too, because programs in containers of sam
// local know only that one. Web pages are refused.
func TestServicesHaveOneAddress(t *testing.T) {
	c := start(t, t.TempDir())
	list := func(origin string) (int, string) {
		t.Helper()
		req, err := http.NewRequest("POST", c.Services, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-amz-json-1.0")
		req.Header.Set("X-Amz-Target", "DynamoDB_20120810.ListTables")
		req.Header.Set("X-Amz-Date", "20261121T120000Z")
		req.Header.Set(
			"Authorization",
			"AWS4-HMAC-SHA256 Credential=tool/20261121/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
		)
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	if status, body := list(""); status != http.StatusOK || !strings.Contains(body, "TableNames") {
		t.Errorf("DynamoDB: %d %s", status, body)
	}
	if status, body := list("http://evil.example"); status != http.StatusForbidden {
		t.Errorf("a web page: %d %s", status, body)
	}
}

func TestLocalPathsRefuseOtherOrigins(t *testing.T) {
	c := start(t, t.TempDir())
	for name, change := range map[string]func(*http.Request){
		"another host name": func(r *http.Request) { r.Host = "evil.example" },
		"another origin":    func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
	} {
		t.Run(name, func(t *testing.T) {
			req, err := http.NewRequest("GET", c.URL+"/_local/stats", nil)
			if err != nil {
				t.Fatal(err)
			}
			change(req)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusForbidden {
				t.Errorf("status %d", resp.StatusCode)
			}
		})
	}
	if status, body := call(t, "GET", c.URL+"/_local/outbox", ""); status != 200 || strings.TrimSpace(body) != "[]" {
		t.Errorf("outbox: %d %s", status, body)
	}
}

func TestReportsStartFailureInOneLine(t *testing.T) {
	dir := t.TempDir()
	running := start(t, dir)
	taken := config(t, t.TempDir())
	fmt.Sscanf(running.URL, "http://127.0.0.1:%d", &taken.Port)
	noBinary := config(t, t.TempDir())
	noBinary.Root = t.TempDir()
	badTemplate := config(t, t.TempDir())
	badTemplate.Template = filepath.Join(t.TempDir(), "template.yaml")
	if err := os.WriteFile(
		badTemplate.Template, []byte("Transform: AWS::Serverless-2016-10-31\nResources:\n  B: {Type: AWS::EC2::VPC}\n"),
		0o644,
	); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		cfg  cloud.Config
		want string
	}{
		{"same data directory", config(t, dir), fmt.Sprintf("another local cloud (process %d) uses", os.Getpid())},
		{"port taken", taken, fmt.Sprintf("port %d is in use", taken.Port)},
		{"no dynoxide", noBinary, "the DynamoDB engine (dynoxide) is not installed: run `"},
		{"unknown resource", badTemplate, "B: line 3: resources of type AWS::EC2::VPC"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("DYNAMODB_BIN", "")
			if tt.cfg.Root == noBinary.Root { // independent of the tools on this machine
				t.Setenv("PATH", "")
				t.Setenv("CARGO_HOME", tt.cfg.Root)
			}
			c, err := cloud.Start(t.Context(), tt.cfg)
			if err == nil {
				c.Stop()
				t.Fatal("it started")
			}
			if !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %q, want one line with %q", err, tt.want)
			}
		})
	}
}

// TestNoOrphans kills a cloud with kill -9: the kernel must kill its children.
func TestNoOrphans(t *testing.T) {
	if os.Getenv("CLOUD_TO_KILL") != "" {
		c, err := cloud.Start(t.Context(), config(t, os.Getenv("CLOUD_TO_KILL")))
		if err != nil {
			t.Fatal(err)
		}
		_, body := call(t, "POST", c.URL+"/probe", "answer {}")
		fmt.Println("ready", c.URL, body)
		time.Sleep(time.Minute)
		return
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=TestNoOrphans$")
	cmd.Env = append(os.Environ(), "CLOUD_TO_KILL="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	line := make([]byte, 200)
	if _, err := out.Read(line); err != nil || !bytes.HasPrefix(line, []byte("ready")) {
		t.Fatalf("%s, %v", line, err)
	}
	children := below(t, cmd.Process.Pid)
	if len(children) < 2 { // at least dynoxide and the probe
		t.Fatalf("children %v", children)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	deadline := time.Now().Add(3 * time.Minute)
	for len(children) > 0 {
		children = slices.DeleteFunc(children, ended)
		if time.Now().After(deadline) {
			t.Fatalf("these live on: %v", children)
		}
		time.Sleep(5 * time.Millisecond)
	}
	start(t, dir) // the data directory is unlocked again
}

func below(t *testing.T, pid int) (pids []int) {
	t.Helper()
	found, err := child.Below(pid)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range found {
		pids = append(pids, p.Pid)
	}
	return pids
}

func ended(pid int) bool {
	p, found, err := child.Find(pid)
	return err == nil && (!found || p.Zombie)
}

func BenchmarkGetThroughEverything(b *testing.B) {
	c := start(b, b.TempDir())
	call(b, "PUT", c.URL+"/item/a", "kept")
	for b.Loop() {
		if status, _ := call(b, "GET", c.URL+"/item/a", ""); status != 200 {
			b.Fatal(status)
		}
	}
}

func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		c, err := cloud.Start(b.Context(), config(b, dir))
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		c.Stop()
		b.StartTimer()
	}
}

// TestKeepsCredentials: the seeder gets the credentials that it made earlier, and the file contains the current
// address of the cloud.
func TestKeepsCredentials(t *testing.T) {
	dir := t.TempDir()
	var earlier []cloud.Credentials
	seed := func(_ context.Context, _ *dynamodb.Client, before cloud.Credentials) (cloud.Credentials, error) {
		earlier = append(earlier, before)
		return cloud.Credentials{Credentials: demo.Credentials{
			ClientID: "id", ClientSecret: "secret", Miniapp: 7, Environments: map[string]tenant.EnvID{"test": "e"},
		}}, nil
	}
	var last string
	for range 2 {
		cfg := config(t, dir)
		cfg.Seed = seed
		c, err := cloud.Start(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		last = c.URL
		c.Stop()
	}
	if earlier[0].ClientID != "" || earlier[1].ClientSecret != "secret" || earlier[1].Environments["test"] != "e" {
		t.Errorf("the seeder got %+v", earlier)
	}
	path := filepath.Join(dir, "credentials.json")
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(kept, &got); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{
		"base_url", "client_id", "client_secret", "miniapp", "environments", "console_url", "console_email", "console_password",
	} {
		if _, ok := got[field]; !ok {
			t.Errorf("no %s in %s", field, kept)
		}
	}
	if got["base_url"] != last {
		t.Errorf("base_url %v, want %s", got["base_url"], last)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestEverySourceStartsItsFunction: a tick, an event, an Event invocation and a table change each invoke the program
// once.
func TestEverySourceStartsItsFunction(t *testing.T) {
	c := start(t, t.TempDir())
	calls := int64(0)
	expect := func(what string) {
		t.Helper()
		calls++
		for deadline := time.Now().Add(3 * time.Minute); c.Stats().Invoke["EverythingFunction"] < calls; time.Sleep(2 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: the function was not called", what)
			}
		}
		time.Sleep(20 * time.Millisecond)
		if n := c.Stats().Invoke["EverythingFunction"]; n != calls {
			t.Fatalf("%s: %d calls, want %d", what, n, calls)
		}
	}
	if status, body := call(t, "POST", c.URL+"/_local/tick", `{"time":"2026-11-21T00:00:00Z"}`); status != 200 ||
		!strings.Contains(body, `"ok":true`) {
		t.Fatalf("tick: %d %s", status, body)
	}
	expect("tick")
	if status, body := call(t, "POST", c.URL+"/_local/events", `{"detail-type":"payment","detail":{}}`); status != 200 ||
		!strings.Contains(body, "PaidRule") {
		t.Fatalf("event: %d %s", status, body)
	}
	expect("event")
	req, err := http.NewRequest(
		"POST", c.Services+"/2015-03-31/functions/EverythingFunction/invocations", strings.NewReader("{}"),
	)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Amz-Invocation-Type", "Event")
	if resp, err := http.DefaultClient.Do(req); err != nil || resp.StatusCode != 202 {
		t.Fatal(resp, err)
	}
	expect("event invocation")
	if _, err := ddb.NewClient(c.Database).PutItem(t.Context(), &dynamodb.PutItemInput{
		TableName: aws.String("RowsTable"),
		Item:      map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}},
	}); err != nil {
		t.Fatal(err)
	}
	expect("stream")
}

// TestProgramIsLimitedToItsGrants: the reader may get and put but not delete; the denied call is reported.
func TestProgramIsLimitedToItsGrants(t *testing.T) {
	denied := make(chan error, 100)
	c := start(t, t.TempDir(), func(cfg *cloud.Config) { cfg.Denied = func(err error) { denied <- err } })
	if status, _ := call(t, "PUT", c.URL+"/item/a", "x"); status != 204 {
		t.Fatalf("PUT: %d", status)
	}
	if status, _ := call(t, "DELETE", c.URL+"/item/a", ""); status != 500 {
		t.Errorf("DELETE: %d; the reader has no leave for it", status)
	}
	client := sqs.New(sqs.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(c.Services),
		Credentials: credentials.NewStaticCredentialsProvider("ReaderFunction", "local", ""), RetryMaxAttempts: 1,
	})
	_, err := client.SendMessage(
		t.Context(), &sqs.SendMessageInput{QueueUrl: aws.String("http://x/0/WorkQueue"), MessageBody: aws.String("x")},
	)
	if failure, ok := errors.AsType[smithy.APIError](err); !ok || failure.ErrorCode() != "AccessDeniedException" {
		t.Errorf("SendMessage signed by the reader: %v", err)
	}
	for _, action := range []string{"dynamodb:DeleteItem", "sqs:SendMessage"} {
		if err := <-denied; !strings.Contains(err.Error(), "ReaderFunction/local is not authorized to perform: "+action) {
			t.Errorf("told of %v, want %s", err, action)
		}
	}
	if len(denied) > 0 {
		t.Errorf("told of %v, too", <-denied)
	}
}
