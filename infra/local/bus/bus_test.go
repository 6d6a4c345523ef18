package bus

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"

	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/queue"
	"minicloud/infra/local/template"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

type rig struct {
	*Bus
	broker *queue.Broker
	later  []lambdahost.Request
	ran    []lambdahost.Request
}

func (r *rig) Invoke(_ context.Context, req lambdahost.Request) (lambdahost.Result, error) {
	r.ran = append(r.ran, req)
	if req.Function == "Failing" {
		return lambdahost.Result{FunctionError: "Unhandled", Payload: []byte("broken")}, nil
	}
	return lambdahost.Result{}, nil
}

func open(t *testing.T) *rig {
	t.Helper()
	source := `
Transform: AWS::Serverless-2016-10-31
Globals: {Function: {Runtime: provided.al2023, CodeUri: functions/f}}
Resources:
  Payments: {Type: AWS::Events::EventBus, Properties: {Name: payments}}
  Queue: {Type: AWS::SQS::Queue}
  Dead: {Type: AWS::SQS::Queue}
  Ticking:
    Type: AWS::Serverless::Function
    Properties:
      Events:
        T: {Type: Schedule, Properties: {Schedule: rate(1 minute)}}
  Failing:
    Type: AWS::Serverless::Function
    Properties:
      Events:
        T: {Type: Schedule, Properties: {Schedule: cron(0 12 * * ? *)}}
  Copy:
    Type: AWS::Events::Rule
    Properties:
      EventBusName: !Ref Payments
      EventPattern: {detail-type: [payment], source: [shop, minicloud]}
      Targets: [{Id: q, Arn: !GetAtt Queue.Arn, DeadLetterConfig: {Arn: !GetAtt Dead.Arn}}]
  CopyMay:
    Type: AWS::SQS::QueuePolicy
    Properties:
      Queues: [!Ref Queue, !Ref Dead]
      PolicyDocument: {Statement: [{Effect: Allow, Principal: {Service: events.amazonaws.com}, Action: sqs:SendMessage, Resource: [!GetAtt Queue.Arn, !GetAtt Dead.Arn], Condition: {ArnEquals: {"aws:SourceArn": !GetAtt Copy.Arn}}}]}
`
	parsed, err := template.Read([]byte(source), template.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{}
	r.broker, err = queue.Open(
		t.TempDir(), parsed.Queues, func() time.Time { return noon }, slog.New(slog.DiscardHandler),
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.broker.Close)
	r.Bus, err = New(Config{
		Template: parsed, Broker: r.broker, Invoker: r, Region: "us-east-1", Clock: func() time.Time { return noon },
		Later: func(req lambdahost.Request) error {
			r.later = append(r.later, req)
			return nil
		},
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Count: func(string) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *rig) queued(t *testing.T, name string) []string {
	t.Helper()
	messages, err := r.broker.Receive(t.Context(), name, 10, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, m := range messages {
		out = append(out, m.Body)
	}
	return out
}

func TestServesPutEvents(t *testing.T) {
	r := open(t)
	server := httptest.NewServer(r)
	defer server.Close()
	client := eventbridge.New(eventbridge.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(server.URL),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	entry := func(bus, detail string) types.PutEventsRequestEntry {
		return types.PutEventsRequestEntry{
			EventBusName: aws.String(bus), Source: aws.String("shop"), DetailType: aws.String("payment"),
			Detail: aws.String(detail), Time: aws.Time(noon),
		}
	}
	out, err := client.PutEvents(t.Context(), &eventbridge.PutEventsInput{Entries: []types.PutEventsRequestEntry{
		entry("payments", `{"total":12}`), entry("payments", `{"total":1}`), entry("default", `{"total":12}`),
		entry("payments", `nonsense`),
	}})
	if err != nil {
		t.Fatal(err)
	}
	if out.FailedEntryCount != 1 || aws.ToString(out.Entries[3].ErrorCode) != "MalformedDetail" ||
		aws.ToString(out.Entries[0].EventId) == "" {
		t.Errorf("answer %+v", out)
	}
	bodies := r.queued(t, "Queue")
	if len(bodies) != 2 {
		t.Fatalf("the queue got %v", bodies)
	}
	var got events.EventBridgeEvent
	if err := json.Unmarshal([]byte(bodies[0]), &got); err != nil {
		t.Fatal(err)
	}
	if got.ID != *out.Entries[0].EventId || !got.Time.Equal(noon) || got.Source != "shop" ||
		got.DetailType != "payment" || string(got.Detail) != `{"total":12}` {
		t.Errorf("event %+v", got)
	}
}

func TestUndeliverableEvent(t *testing.T) {
	r := open(t)
	target := template.Target{Queue: "Gone", DeadQueue: "Dead"}
	if err := r.deliver(target, []byte(`{"total":12}`)); err == nil {
		t.Error("no error")
	}
	if dead := r.queued(t, "Dead"); !slices.Equal(dead, []string{`{"total":12}`}) {
		t.Errorf("dead letters %v", dead)
	}
}

// TestEventThatIsNotStoredFails: the sender of an event that no queue could store must learn it. One that a queue refuses is
// dropped, as by EventBridge.
func TestEventThatIsNotStoredFails(t *testing.T) {
	put := func(r *rig) error {
		_, _, err := r.Put("payments", "payment", "shop", noon, nil, []byte(`{"total":12}`))
		return err
	}

	r := open(t)
	r.broker.Close() // closes the journal
	if put(r) == nil {
		t.Error("an event that was not stored is acknowledged")
	}

	r = open(t)
	r.rules[0].targets[0].Queue, r.rules[0].targets[0].DeadQueue = "Gone", ""
	if err := put(r); err != nil {
		t.Error(err)
	}
}

// TestMinuteScheduleBeginsAtOnce: both rules are due at noon, but only the one with rate(1 minute) fires at once.
func TestMinuteScheduleBeginsAtOnce(t *testing.T) {
	r := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if len(r.later) != 1 || r.later[0].Function != "Ticking" {
		t.Errorf("invocations %v", r.later)
	}
}

func TestTick(t *testing.T) {
	r := open(t)
	post := func(body string) (int, string) {
		w := httptest.NewRecorder()
		r.ServeTick(w, httptest.NewRequest("POST", "/_local/tick", strings.NewReader(body)))
		return w.Code, strings.TrimSpace(w.Body.String())
	}
	if status, body := post(`{"time":"2026-11-21T12:00:30Z"}`); status != 200 ||
		body != `{"delivered":[{"rule":"TickingT","function":"Ticking","ok":true},{"rule":"FailingT","function":"Failing","ok":false,"error":"broken"}]}` {
		t.Errorf("noon: %d %s", status, body)
	}
	var tick events.EventBridgeEvent
	if err := json.Unmarshal(r.ran[0].Payload, &tick); err != nil {
		t.Fatal(err)
	}
	if tick.DetailType != "Scheduled Event" || !tick.Time.Equal(noon) ||
		tick.Resources[0] != "arn:aws:events:us-east-1:000000000000:rule/TickingT" {
		t.Errorf("tick %+v", tick)
	}
	if status, body := post(`{"time":"2026-11-21T12:01:00Z"}`); status != 200 || strings.Contains(body, "Failing") {
		t.Errorf("a minute later: %d %s", status, body)
	}
	if status, _ := post(``); status != 200 {
		t.Errorf("now: %d", status)
	}
	if status, _ := post(`{"time":1}`); status != http.StatusBadRequest {
		t.Errorf("nonsense: %d", status)
	}
}

func TestLocalEvents(t *testing.T) {
	r := open(t)
	post := func(body string) (int, string) {
		w := httptest.NewRecorder()
		r.ServeEvents(w, httptest.NewRequest("POST", "/_local/events", strings.NewReader(body)))
		return w.Code, w.Body.String()
	}
	if status, body := post(`{"detail-type":"payment","detail":{"total":11}}`); status != 200 ||
		!strings.Contains(body, `"rules":["Copy"]`) {
		t.Errorf("%d %s", status, body)
	}
	if queued := r.queued(t, "Queue"); len(queued) != 1 {
		t.Errorf("the queue got %v", queued)
	}
	for body, want := range map[string]int{`{}`: 400, `x`: 400, `{"detail-type":"a","detail":{},"bus":"gone"}`: 404} {
		if status, _ := post(body); status != want {
			t.Errorf("%s: %d, want %d", body, status, want)
		}
	}
}

func TestFiresEveryMinuteOfDay(t *testing.T) {
	r := open(t)
	n := 0
	for minute := range 24 * 60 {
		r.due(noon.Add(time.Duration(minute)*time.Minute), func(*rule, template.Target, []byte) { n++ })
	}
	if want := 24*60 + 1; n != want { // every minute, and noon once
		t.Errorf("%d deliveries in a day, want %d", n, want)
	}
}
