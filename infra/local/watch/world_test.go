package watch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"minicloud/infra/local/ddb"
	"minicloud/infra/local/gateway"
	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/outbox"
	"minicloud/infra/local/queue"
	"minicloud/infra/local/ses"
	"minicloud/infra/local/stats"
	"minicloud/infra/local/template"
	"minicloud/infra/local/watch"
)

// bootstrap is a program that does what its payload says; it stands for every program.
var bootstrap string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "probe")
	if err != nil {
		panic(err)
	}
	bootstrap = filepath.Join(dir, "bootstrap")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", bootstrap, "../testdata/probe")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Println("build the probe:", err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// parameters create every alarm of the template, with limits that a test reaches.
var parameters = map[string]string{"AlarmEmail": "a@example.com", "SendsMessages": "yes", "ConcurrencyAlarmAt": "2"}

// readTemplate reads the template with these parameters, and with those of a canary if it deploys by one.
func readTemplate(t *testing.T, canary bool) *template.Template {
	t.Helper()
	parameters := maps.Clone(parameters)
	if canary {
		parameters["Rollout"] = "Canary10Percent5Minutes"
	}
	tmpl, err := template.ReadFile(filepath.Join("..", "..", "..", "template.yaml"), template.Options{Parameters: parameters})
	if err != nil {
		t.Fatal(err)
	}
	return tmpl
}

// world is a local cloud on a test clock, without its database: what Lambda, SQS, API Gateway, DynamoDB, SES and SNS
// report, and the alarms of the template.
type world struct {
	t        *testing.T
	template *template.Template
	now      atomic.Int64 // Unix seconds
	metrics  *watch.Metrics
	watch    *watch.Watch
	host     *lambdahost.Host
	broker   *queue.Broker
	api      *gateway.Gateway
	mail     *ses.Service
	sms      *outbox.API
	database string // address of the proxy

	idle     map[string]bool // scheduled functions that do not run
	failing  atomic.Bool     // the API's functions fail
	answered http.HandlerFunc
}

func newWorld(t *testing.T, f fault) *world {
	t.Helper()
	w := &world{t: t, template: readTemplate(t, f.canary), idle: map[string]bool{}}
	w.now.Store(time.Now().Truncate(time.Minute).Unix())
	w.metrics = watch.NewMetrics(w.clock)
	w.watch = watch.New(w.template, w.metrics, slog.New(slog.DiscardHandler))
	w.broker = queue.New(w.template.Queues, w.clock, func(queue.Entry) error { return nil })
	w.broker.Metrics = w.metrics
	w.api = gateway.New(w.template.Functions, w, stats.New())
	w.api.Metrics, w.api.API = w.metrics, w.template.API

	var functions []lambdahost.Function
	for _, fn := range w.template.Functions {
		reserved := fn.Reserved
		if slices.Contains(f.full, fn.Name) {
			reserved = 0
		}
		functions = append(functions, lambdahost.Function{
			Name: fn.Name, Bootstrap: bootstrap, Timeout: time.Minute, MemoryMB: 128, Reserved: reserved, LogGroup: fn.LogGroup,
		})
	}
	var err error
	w.host, err = lambdahost.New(lambdahost.Config{
		Functions: functions, Region: ddb.Region, Metrics: w.metrics, Line: w.watch.Line,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.host.Close)

	box, err := outbox.Open(filepath.Join(t.TempDir(), "outbox.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { box.Close() })
	w.sms = &outbox.API{Box: box, Clock: w.clock, Count: func(string) {}, Metrics: w.metrics}
	state := filepath.Join(t.TempDir(), "ses.json")
	w.must(os.WriteFile(state, []byte(`{"identities":{"a@example.com":{"verified":true}},"tenants":{}}`), 0o600))
	w.mail, err = ses.Open(ses.Config{
		Path: state, Box: box, Region: ddb.Region, Clock: w.clock, Count: func(string) {}, Metrics: w.metrics,
	})
	w.must(err)

	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) { w.answered(out, r) }))
	t.Cleanup(server.Close)
	proxy, err := ddb.NewProxy(ddb.Elsewhere(server.URL), ddb.ProxyConfig{Metrics: w.metrics})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	w.database = proxy.URL
	return w
}

func (w *world) clock() time.Time { return time.Unix(w.now.Load(), 0).UTC() }

// minute is a minute of a healthy cloud with little load, and what the fault does in it. It returns the alarms that ring
// after it.
func (w *world) minute(happens func(*world)) []string {
	for _, f := range w.template.Functions {
		if len(f.Schedules) > 0 && !w.idle[f.Name] {
			w.run(f.Name, "")
		}
	}
	for range 10 {
		w.request()
	}
	if happens != nil {
		happens(w)
	}
	w.broker.Report()
	w.mail.Report()
	w.now.Add(60)

	var ringing []string
	for _, s := range w.watch.Evaluate() {
		ringing = append(ringing, s.ID)
	}
	return ringing
}

// run runs a function; what is a task of the probe program.
func (w *world) run(function, what string) {
	payload, _ := json.Marshal(map[string]string{"do": what}) // strings always encode
	_, _ = w.host.Invoke(context.Background(), lambdahost.Request{Function: function, Payload: payload})
}

// Invoke is the function behind the gateway.
func (w *world) Invoke(context.Context, lambdahost.Request) (lambdahost.Result, error) {
	if w.failing.Load() {
		return lambdahost.Result{FunctionError: "Unhandled"}, nil
	}
	return lambdahost.Result{Payload: []byte(`{"statusCode":200}`)}, nil
}

func (w *world) request() {
	w.api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/oserve/v2.4/table/a/record/", nil))
}

// must fails the test if a step of a fault itself fails.
func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// write sends a write of a row to the database, whose answer is status and kind.
func (w *world) write(status int, kind string) {
	w.answered = func(out http.ResponseWriter, _ *http.Request) {
		out.WriteHeader(status)
		_, _ = io.WriteString(out, `{"__type":"com.amazonaws.dynamodb.v20120810#`+kind+`","message":"no"}`)
	}
	r, err := http.NewRequest(http.MethodPost, w.database, strings.NewReader(`{"TableName":"RowsTable","Item":{}}`))
	w.must(err)
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810.PutItem")
	resp, err := http.DefaultClient.Do(r)
	w.must(err)
	resp.Body.Close()
}

// send sends mails to one recipient.
func (w *world) send(n int, to string) {
	for range n {
		out := httptest.NewRecorder()
		w.mail.ServeHTTP(out, httptest.NewRequest(http.MethodPost, "/v2/email/outbound-emails", strings.NewReader(
			`{"FromEmailAddress":"a@example.com","Destination":{"ToAddresses":["`+to+`"]},"Content":{"Simple":{}}}`)))
		if out.Code != http.StatusOK {
			w.t.Fatalf("mail to %s: %d %s", to, out.Code, out.Body)
		}
	}
}
