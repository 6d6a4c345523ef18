package watch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/eventsource"
	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/queue"
	"minicloud/infra/local/template"
	"minicloud/shared/httpapi"
	"minicloud/shared/program/lambdabatch"
	"minicloud/shared/tenant"
	"minicloud/shared/trace/logging"
)

// fault is what goes wrong: begin happens once, each in every minute.
type fault struct {
	begin, each func(*world)
	full        []string // functions without any concurrency
	canary      bool     // a canary is deployed
	within      int      // minutes until the alarm rings
}

func missing(function string) fault {
	return fault{begin: func(w *world) { w.idle[function] = true }, within: 6}
}

// canaries makes the alarms of the new versions behind the API ring, each by its program.
func canaries(tmpl *template.Template) map[string]fault {
	all := map[string]fault{}
	for _, a := range tmpl.Alarms {
		if program, is := strings.CutSuffix(a.ID, canaryFails); is {
			all[a.ID] = fault{canary: true, each: func(w *world) { w.failNew(program + "Function") }, within: 2}
		}
	}
	return all
}

// canaryFails ends the name of an alarm on a new version. All of them have one runbook.
const canaryFails = "CanaryFailsAlarm"

// failNew runs the new version of a function, which fails once in ten times.
func (w *world) failNew(function string) {
	for n := range 10 {
		payload := map[bool]string{true: `{"do":"fail"}`, false: "{}"}[n == 0]
		_, err := w.host.Invoke(context.Background(), lambdahost.Request{Function: function, Alias: "live", Payload: []byte(payload)})
		w.must(err)
	}
}

// faults makes each alarm and each budget of the template ring.
var faults = map[string]fault{
	"ReaperMissingAlarm":       missing("JobreaperFunction"),
	"PaymentcheckMissingAlarm": missing("PaymentcheckFunction"),
	"TimertickMissingAlarm":    missing("TimertickFunction"),

	"ProgramsFailAlarm": {each: func(w *world) { w.run("RecordtriggerFunction", "fail") }, within: 4},
	"ThrottledAlarm": {
		full: []string{"TableFunction"}, each: func(w *world) { w.run("TableFunction", "") }, within: 11,
	},
	"ConcurrencyAlarm": {begin: func(w *world) {
		for range 3 { // they run until the host ends
			go w.host.Invoke(context.Background(), lambdahost.Request{
				Function: "ActionrunnerFunction", Payload: []byte(`{"do":"sleep","ms":1000000}`),
			})
		}
		for w.metrics.Value("Maximum", "AWS/Lambda", "ClaimedAccountConcurrency") < 3 {
			time.Sleep(time.Millisecond)
		}
	}, within: 4},
	"AnswersFailAlarm": {each: func(w *world) {
		w.failing.Store(true)
		w.request()
		w.failing.Store(false)
	}, within: 16},
	"CanaryAnswersFailAlarm": {canary: true, each: func(w *world) {
		w.failing.Store(true)
		w.request()
		w.failing.Store(false)
	}, within: 3},
	"TenantFailsAlarm": {each: func(w *world) { w.fail(tenant.Scope{App: 23, Env: "production"}, 7) }, within: 11},

	"MessagesWaitAlarm":  {begin: func(w *world) { w.giveUp("BulkQueue") }, within: 62},
	"StuckMessagesAlarm": {begin: func(w *world) { w.failThrice("minicloud-BulkQueue-1") }, within: 2},
	"PlatformEventQueueAgeAlarm": {begin: func(w *world) {
		_, err := w.broker.Send("PlatformEventQueue", queue.Outgoing{Body: "an event"})
		w.must(err)
	}, within: 12},
	"EventsRefusedAlarm": {begin: func(w *world) { w.giveUp("PlatformEventQueue") }, within: 2},
	"PaymentsRefusedAlarm": {begin: func(w *world) { // somebody takes it away before the minute is over
		_, err := w.broker.Send("EventDeadLetterQueue", queue.Outgoing{Body: "a payment"})
		w.must(err)
		got, err := w.broker.Receive(context.Background(), "EventDeadLetterQueue", 1, 0, -1)
		w.must(err)
		w.must(w.broker.Delete("EventDeadLetterQueue", got[0].Handle()))
	}, within: 2},
	"IteratorAgeAlarm": {begin: func(w *world) { w.fallBehind(11 * time.Minute) }, within: 2},

	"RecursionAlarm": {begin: func(w *world) { // one chain of requests invokes a function again and again
		header := ""
		for range 17 {
			result, err := w.host.Invoke(context.Background(), lambdahost.Request{
				Function: "PlatformeventFunction", Payload: []byte(`{"do":"env"}`), Trace: header,
			})
			if err != nil {
				return
			}
			header = lineage.FindString(string(result.Payload))
		}
		w.t.Fatal("Lambda stopped nothing")
	}, within: 2},
	"TablesThrottledAlarm": {
		each: func(w *world) { w.write(400, "ProvisionedThroughputExceededException") }, within: 11,
	},
	"TablesFailAlarm": {each: func(w *world) { w.write(500, "InternalServerError") }, within: 11},

	"MailBouncesAlarm": {begin: func(w *world) {
		w.send(9, "somebody@example.com")
		w.send(1, "bounce@simulator.amazonses.com")
	}, within: 2},
	"MailComplaintsAlarm": {begin: func(w *world) {
		w.send(99, "somebody@example.com")
		w.send(1, "complaint@simulator.amazonses.com")
	}, within: 2},
	"SmsSpendAlarm": {begin: func(w *world) {
		sms := url.Values{"Action": {"Publish"}, "PhoneNumber": {"+12025550123"}, "Message": {"hello"}}.Encode()
		for range 125 {
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(sms))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			w.sms.ServeHTTP(httptest.NewRecorder(), r)
		}
	}, within: 2},
	"SpendBudget": {begin: func(w *world) { w.watch.Spend(16.01, 19) }, within: 1},
}

// lineage matches the trace header in the environment that the probe program answers.
var lineage = regexp.MustCompile(`Root=[^"]*`)

// giveUp sends a message that is received until it is a dead letter.
func (w *world) giveUp(name string) {
	_, err := w.broker.Send(name, queue.Outgoing{Body: "a message"})
	w.must(err)
	for {
		got, err := w.broker.Receive(context.Background(), name, 1, 0, 0)
		w.must(err)
		if len(got) == 0 {
			return
		}
	}
}

// failThrice fails a message in its third receive, as the programs of queues do.
func (w *world) failThrice(name string) {
	var log bytes.Buffer
	handle := lambdabatch.Adapt(logging.New(&log, "info"), func(context.Context, []byte) error { return errors.New("the cause") })
	_, err := handle(context.Background(), events.SQSEvent{Records: []events.SQSMessage{{
		MessageId: "1", EventSourceARN: "arn:aws:sqs:us-east-1:0:" + name, Attributes: map[string]string{"ApproximateReceiveCount": "3"},
	}}})
	w.must(err)
	w.watch.Line("ProgramLogs", log.Bytes())
}

// fail logs n requests of a tenant that end in a 5xx, as our programs do.
func (w *world) fail(scope tenant.Scope, n int) {
	var log bytes.Buffer
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r = r.WithContext(tenant.NewContext(r.Context(), scope))
	for range n {
		httpapi.LogFailure(r, logging.New(&log, "info"), http.StatusInternalServerError, errors.New("the cause"))
	}
	for line := range bytes.Lines(log.Bytes()) {
		w.watch.Line("ProgramLogs", line)
	}
}

// fallBehind lets a poller read a record of that age, and its function fail.
func (w *world) fallBehind(age time.Duration) {
	checkpoints, err := eventsource.OpenCheckpoints(filepath.Join(w.t.TempDir(), "streams.json"))
	w.must(err)
	invoked := make(chan struct{}, 1)
	function := w.template.Functions[slices.IndexFunc(w.template.Functions, func(f *template.Function) bool {
		return f.Name == "RecordtriggerFunction"
	})]
	mapping := function.Streams[0]
	mapping.Filters = nil
	p := &eventsource.StreamPoller{
		HTTP: oneRecord{w.clock().Add(-age)}, Database: "http://database", Region: "us-east-1", Invoker: failing{invoked},
		Function: function.Name, Mapping: mapping, Checkpoints: checkpoints, Broker: w.broker,
		Log: slog.New(slog.DiscardHandler), Metrics: w.metrics,
	}
	w.must(p.Init())
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	<-invoked
	stop()
	w.must(<-done)
}

// failing is a function that always fails.
type failing struct{ invoked chan struct{} }

func (f failing) Invoke(context.Context, lambdahost.Request) (lambdahost.Result, error) {
	select {
	case f.invoked <- struct{}{}:
	default:
	}
	return lambdahost.Result{FunctionError: "Unhandled"}, nil
}

// oneRecord is a stream with one record of that time.
type oneRecord struct{ at time.Time }

func (s oneRecord) Do(r *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	body := map[string]string{
		"DescribeTable":    `{"Table":{"LatestStreamArn":"arn:aws:dynamodb:us-east-1:0:table/RowsTable/stream/1"}}`,
		"DescribeStream":   `{"StreamDescription":{"Shards":[{"ShardId":"s"}]}}`,
		"GetShardIterator": `{"ShardIterator":"0"}`,
		"GetRecords": fmt.Sprintf(`{"Records":[{"eventID":"1","eventName":"INSERT","dynamodb":{"SequenceNumber":"1",`+
			`"ApproximateCreationDateTime":%d,"Keys":{"pk":{"S":"a"}}}}],"NextShardIterator":"1"}`, s.at.Unix()),
	}[operation]
	if sent, _ := io.ReadAll(r.Body); operation == "GetRecords" && strings.Contains(string(sent), `"ShardIterator":"1"`) {
		body = `{"Records":[],"NextShardIterator":"1"}`
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// TestEachFaultRingsItsAlarm makes each fault in a healthy cloud: the alarm of the fault rings within its time, and no
// other rings before or with it.
func TestEachFaultRingsItsAlarm(t *testing.T) {
	all := maps.Clone(faults)
	maps.Copy(all, canaries(readTemplate(t, true)))
	for name, f := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, f)
			for range 6 { // longer than the programs of schedules may be missing
				if ringing := w.minute(nil); ringing != nil {
					t.Fatalf("%v rings in a healthy cloud", ringing)
				}
			}
			if f.begin != nil {
				f.begin(w)
			}
			for range f.within {
				if ringing := w.minute(f.each); ringing != nil {
					if diff := cmp.Diff([]string{name}, ringing); diff != "" {
						t.Errorf("what rings (-want +got):\n%s", diff)
					}
					return
				}
			}
			t.Errorf("nothing rings within %d minutes", f.within)
		})
	}
}

var heading = regexp.MustCompile(`(?m)^### (\w+(?:Alarm|Budget))$`)

// TestEachAlarmHasARunbook: the alarms of the template, the sections of the runbooks and the faults are the same list. The
// alarms on new versions are one of its entries.
func TestEachAlarmHasARunbook(t *testing.T) {
	tmpl := readTemplate(t, true)
	var alarms []string
	for _, a := range tmpl.Alarms {
		if !strings.HasSuffix(a.ID, canaryFails) {
			alarms = append(alarms, a.ID)
		}
	}
	alarms = append(alarms, canaryFails)
	for _, b := range tmpl.Budgets {
		alarms = append(alarms, b.ID)
	}
	slices.Sort(alarms)

	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "runbooks.md"))
	if err != nil {
		t.Fatal(err)
	}
	var sections []string
	for _, found := range heading.FindAllStringSubmatch(string(text), -1) {
		sections = append(sections, found[1])
	}
	slices.Sort(sections)
	if diff := cmp.Diff(alarms, sections); diff != "" {
		t.Errorf("runbooks (-alarms of the template +sections):\n%s", diff)
	}
	made := slices.Sorted(maps.Keys(faults))
	if len(canaries(tmpl)) > 0 {
		made = append(made, canaryFails)
		slices.Sort(made)
	}
	if diff := cmp.Diff(alarms, made); diff != "" {
		t.Errorf("faults (-alarms of the template +faults):\n%s", diff)
	}
}
