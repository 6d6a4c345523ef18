package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"

	"minicloud/infra/local/template"
	"minicloud/shared/clock"
)

// hand is a fake clock that tests advance.
type hand struct {
	mu  sync.Mutex
	now time.Time
}

func (h *hand) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *hand) move(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

var wanted = []*template.Queue{
	{
		Name: "Jobs", Visibility: 30 * time.Second, Retention: time.Hour, MaxBytes: MaxBytes, DeadQueue: "Dead",
		MaxReceive: 2,
	},
	{Name: "Dead", Visibility: 30 * time.Second, Retention: 2 * time.Hour, MaxBytes: MaxBytes},
	{Name: "Late", Visibility: 30 * time.Second, Retention: time.Hour, MaxBytes: 2048},
}

type rig struct {
	*Broker
	clock  *hand
	client *sqs.Client
	url    func(string) *string
}

func open(t testing.TB, dir string) *rig {
	t.Helper()
	clock := &hand{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	b, err := Open(dir, wanted, clock.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	api := &API{Broker: b, Count: func(string) {}}
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	api.BaseURL = server.URL
	return &rig{
		Broker: b, clock: clock,
		client: sqs.New(sqs.Options{
			Region: "us-east-1", BaseEndpoint: aws.String(server.URL), RetryMaxAttempts: 1,
			Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
		}),
		url: func(name string) *string { return aws.String(api.url(name)) },
	}
}

func (r *rig) sendTo(t testing.TB, queue, body, group string) {
	t.Helper()
	if _, err := r.Send(queue, Outgoing{Body: body, Group: group}); err != nil {
		t.Fatal(err)
	}
}

// sendLate sends a message with a delay of 10 s.
func (r *rig) sendLate(t testing.TB, body string) {
	t.Helper()
	if _, err := r.Send("Late", Outgoing{Body: body, Delay: 10 * time.Second}); err != nil {
		t.Fatal(err)
	}
}

// bodies receives up to n visible messages and returns their bodies.
func (r *rig) bodies(t testing.TB, queue string, n int) []string {
	t.Helper()
	messages, err := r.Receive(t.Context(), queue, n, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, m := range messages {
		out = append(out, m.Body)
	}
	return out
}

// TestServesEveryOperation calls every operation; the SDK verifies the checksums.
func TestServesEveryOperation(t *testing.T) {
	r := open(t, t.TempDir())
	ctx := t.Context()
	where, err := r.client.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String("Jobs")})
	if err != nil {
		t.Fatal(err)
	}
	sent, err := r.client.SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl: where.QueueUrl, MessageBody: aws.String("grüezi"), MessageGroupId: aws.String("app-1"),
		MessageAttributes: map[string]types.MessageAttributeValue{
			"kind":  {DataType: aws.String("String"), StringValue: aws.String("job")},
			"bytes": {DataType: aws.String("Binary"), BinaryValue: []byte{0, 1, 255}},
			"n":     {DataType: aws.String("Number.int"), StringValue: aws.String("7")},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: where.QueueUrl, MessageSystemAttributeNames: []types.MessageSystemAttributeName{"All"},
		MessageAttributeNames: []string{"All"},
	})
	if err != nil || len(got.Messages) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	m := got.Messages[0]
	if *m.MessageId != *sent.MessageId || *m.Body != "grüezi" || m.Attributes["ApproximateReceiveCount"] != "1" ||
		m.Attributes["MessageGroupId"] != "app-1" ||
		string(
			m.MessageAttributes["bytes"].BinaryValue,
		) != "\x00\x01\xff" || aws.ToString(m.MD5OfMessageAttributes) != aws.ToString(sent.MD5OfMessageAttributes) {
		t.Errorf("received %+v", m)
	}
	if _, err := r.client.ChangeMessageVisibility(
		ctx,
		&sqs.ChangeMessageVisibilityInput{QueueUrl: where.QueueUrl, ReceiptHandle: m.ReceiptHandle, VisibilityTimeout: 0},
	); err != nil {
		t.Fatal(err)
	}
	again, err := r.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: where.QueueUrl})
	if err != nil || len(again.Messages) != 1 {
		t.Fatalf("after visibility 0: %+v, %v", again, err)
	}
	if len(again.Messages[0].Attributes) != 0 {
		t.Errorf("attributes nobody asked for: %v", again.Messages[0].Attributes)
	}
	if _, err := r.client.DeleteMessage(
		ctx, &sqs.DeleteMessageInput{QueueUrl: where.QueueUrl, ReceiptHandle: again.Messages[0].ReceiptHandle},
	); err != nil {
		t.Fatal(err)
	}
	batch, err := r.client.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{QueueUrl: where.QueueUrl, Entries: []types.SendMessageBatchRequestEntry{
		{Id: aws.String("a"), MessageBody: aws.String("1")}, {Id: aws.String("b"), MessageBody: aws.String("bad \x00")},
		{Id: aws.String("c"), MessageBody: aws.String("later"), DelaySeconds: 5},
	}})
	if err != nil || len(batch.Successful) != 2 || len(batch.Failed) != 1 || *batch.Failed[0].Id != "b" ||
		!batch.Failed[0].SenderFault {
		t.Fatalf("batch %+v, %v", batch, err)
	}
	about, err := r.client.GetQueueAttributes(
		ctx, &sqs.GetQueueAttributesInput{QueueUrl: where.QueueUrl, AttributeNames: []types.QueueAttributeName{"All"}},
	)
	if err != nil || about.Attributes["ApproximateNumberOfMessages"] != "1" ||
		about.Attributes["ApproximateNumberOfMessagesDelayed"] != "1" || !strings.Contains(
		about.Attributes["RedrivePolicy"], `"maxReceiveCount":2`,
	) {
		t.Errorf("attributes %v, %v", about.Attributes, err)
	}
	got, err = r.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: where.QueueUrl, MaxNumberOfMessages: 10})
	if err != nil || len(got.Messages) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	gone, err := r.client.DeleteMessageBatch(ctx, &sqs.DeleteMessageBatchInput{QueueUrl: where.QueueUrl, Entries: []types.DeleteMessageBatchRequestEntry{
		{Id: aws.String("x"), ReceiptHandle: got.Messages[0].ReceiptHandle},
		{Id: aws.String("y"), ReceiptHandle: aws.String("nonsense")},
	}})
	if err != nil || len(gone.Successful) != 1 || len(gone.Failed) != 1 ||
		*gone.Failed[0].Code != "ReceiptHandleIsInvalid" {
		t.Errorf("delete batch %+v, %v", gone, err)
	}
	listed, err := r.client.ListQueues(ctx, &sqs.ListQueuesInput{})
	if err != nil || len(listed.QueueUrls) != 3 {
		t.Errorf("list %+v, %v", listed, err)
	}
}

func TestRefusals(t *testing.T) {
	r := open(t, t.TempDir())
	ctx := t.Context()
	send := func(queue, body string, delay int32) error {
		_, err := r.client.SendMessage(
			ctx, &sqs.SendMessageInput{QueueUrl: r.url(queue), MessageBody: aws.String(body), DelaySeconds: delay},
		)
		return err
	}
	entries := func(n int, body string) error {
		in := &sqs.SendMessageBatchInput{QueueUrl: r.url("Jobs"), Entries: []types.SendMessageBatchRequestEntry{}}
		for i := range n {
			in.Entries = append(
				in.Entries, types.SendMessageBatchRequestEntry{Id: aws.String(fmt.Sprint(i)), MessageBody: aws.String(body)},
			)
		}
		_, err := r.client.SendMessageBatch(ctx, in)
		return err
	}
	_, tooMany := r.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: r.url("Jobs"), MaxNumberOfMessages: 11})
	_, group := r.client.SendMessage(
		ctx,
		&sqs.SendMessageInput{
			QueueUrl: r.url("Jobs"), MessageBody: aws.String("x"), MessageGroupId: aws.String("with space"),
		},
	)
	attribute := func(name, kind, value string) error {
		_, err := r.client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: r.url("Jobs"), MessageBody: aws.String("x"),
			MessageAttributes: map[string]types.MessageAttributeValue{
				name: {DataType: aws.String(kind), StringValue: aws.String(value)},
			}})
		return err
	}
	_, deduplicated := r.client.SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl: r.url("Jobs"), MessageBody: aws.String("x"), MessageDeduplicationId: aws.String("d"),
	})
	_, unknown := r.client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: r.url("Jobs"), AttributeNames: []types.QueueAttributeName{"Colour"},
	})
	_, gone := r.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl: r.url("Jobs"), ReceiptHandle: aws.String(NewID() + ".1"),
	})
	_, handle := r.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: r.url("Jobs"), ReceiptHandle: aws.String("")})
	tests := []struct {
		name string
		err  error
		code string
	}{
		{"no such queue", send("Nowhere", "x", 0), "AWS.SimpleQueueService.NonExistentQueue"},
		{"control character", send("Jobs", "\x01", 0), "InvalidMessageContents"},
		{"too long", send("Jobs", strings.Repeat("x", MaxBytes+1), 0), "InvalidParameterValue"},
		{"too long for this queue", send("Late", strings.Repeat("x", 2049), 0), "InvalidParameterValue"},
		{"delay", send("Jobs", "x", 901), "InvalidParameterValue"},
		{"batch too long", entries(2, strings.Repeat("x", MaxBytes)), "AWS.SimpleQueueService.BatchRequestTooLong"},
		{"too many entries", entries(11, "x"), "AWS.SimpleQueueService.TooManyEntriesInBatchRequest"},
		{"no entries", entries(0, "x"), "AWS.SimpleQueueService.EmptyBatchRequest"},
		{"too many wanted", tooMany, "InvalidParameterValue"},
		{"group", group, "InvalidParameterValue"},
		{"attribute type", attribute("a", "Date", "x"), "InvalidParameterValue"},
		{"attribute name", attribute("a b", "String", "x"), "InvalidParameterValue"},
		{"attribute name with an empty part", attribute("a..b", "String", "x"), "InvalidParameterValue"},
		{"attribute name of AWS", attribute("AWS.a", "String", "x"), "InvalidParameterValue"},
		{"attribute that is no number", attribute("a", "Number", "x"), "InvalidParameterValue"},
		{"deduplication in a standard queue", deduplicated, "InvalidParameterValue"},
		{"unknown attribute of a queue", unknown, "InvalidAttributeName"},
		{"visibility of a message that is gone", gone, "InvalidParameterValue"},
		{"no receipt handle", handle, "MissingParameter"},
	}
	for _, tt := range tests {
		failure, ok := errors.AsType[smithy.APIError](tt.err)
		if !ok || failure.ErrorCode() != tt.code {
			t.Errorf("%s: %v, want %s", tt.name, tt.err, tt.code)
		}
	}
	_, err := r.client.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String("Nowhere")})
	if _, ok := errors.AsType[*types.QueueDoesNotExist](err); !ok {
		t.Errorf("url of no queue: %v", err)
	}
}

func TestVisibilityAndDeadLetters(t *testing.T) {
	r := open(t, t.TempDir())
	r.sendTo(t, "Jobs", "poison", "")
	for receive := 1; receive <= 2; receive++ {
		if got := r.bodies(t, "Jobs", 10); !slices.Equal(got, []string{"poison"}) {
			t.Fatalf("receive %d: %v", receive, got)
		}
		r.clock.move(29 * time.Second)
		if got := r.bodies(t, "Jobs", 10); len(got) != 0 {
			t.Fatalf("visible too early: %v", got)
		}
		r.clock.move(time.Second)
	}
	if got := r.bodies(t, "Jobs", 10); len(got) != 0 {
		t.Errorf("received a third time: %v", got)
	}
	if got := r.bodies(t, "Dead", 10); !slices.Equal(got, []string{"poison"}) {
		t.Errorf("dead letters: %v", got)
	}
}

func TestOldHandleDoesNothing(t *testing.T) {
	r := open(t, t.TempDir())
	r.sendTo(t, "Jobs", "x", "")
	first, err := r.Receive(t.Context(), "Jobs", 1, 0, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	r.clock.move(time.Second)
	r.bodies(t, "Jobs", 1)
	if err := r.Delete("Jobs", first[0].Handle()); err != nil {
		t.Fatal(err)
	}
	if c, _ := r.Broker.Count("Jobs"); c.InFlight != 1 {
		t.Errorf("count %+v: the old handle deleted it", c)
	}
}

func TestDelay(t *testing.T) {
	r := open(t, t.TempDir())
	r.sendLate(t, "x")
	r.clock.move(9 * time.Second)
	if got := r.bodies(t, "Late", 1); len(got) != 0 {
		t.Fatalf("early: %v", got)
	}
	r.clock.move(time.Second)
	if got := r.bodies(t, "Late", 1); len(got) != 1 {
		t.Error("it did not come")
	}
}

func TestRetention(t *testing.T) {
	dir := t.TempDir()
	r := open(t, dir)
	r.sendTo(t, "Jobs", "x", "")
	r.clock.move(time.Hour + time.Second)
	if got := r.bodies(t, "Jobs", 1); len(got) != 0 {
		t.Errorf("kept: %v", got)
	}
}

// TestGroupsAreFair: a message of a quiet group waits for at most one message of each other group, however many
// messages a loud group has.
func TestGroupsAreFair(t *testing.T) {
	r := open(t, t.TempDir())
	for n := range 1000 {
		r.sendTo(t, "Jobs", fmt.Sprint("loud", n), "loud")
	}
	r.sendTo(t, "Jobs", "quiet", "quiet")
	r.sendTo(t, "Jobs", "none", "")
	if got, want := r.bodies(
		t, "Jobs", 5,
	), []string{"loud0", "quiet", "none", "loud1", "loud2"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestQueuesSurviveKill(t *testing.T) {
	dir := t.TempDir()
	r := open(t, dir)
	r.sendTo(t, "Jobs", "ready", "")
	r.sendTo(t, "Jobs", "deleted", "")
	r.sendLate(t, "late")
	r.clock.move(time.Second)
	taken, err := r.Receive(t.Context(), "Jobs", 2, 0, -1)
	if err != nil || len(taken) != 2 {
		t.Fatal(taken, err)
	}
	if err := r.Delete("Jobs", taken[1].Handle()); err != nil {
		t.Fatal(err)
	}
	// Do not call Close, to simulate a kill, and cut the last line.
	f, err := os.OpenFile(filepath.Join(dir, "queues.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"op":"delete","queue":"Jobs","id":"` + taken[0].ID)
	f.Close()

	after := open(t, dir)
	got, err := after.Receive(t.Context(), "Jobs", 10, 0, -1)
	if err != nil || len(got) != 1 || got[0].Body != "ready" || got[0].Receives != 2 {
		t.Errorf("after the kill: %+v, %v", got, err)
	}
	if late := after.bodies(t, "Late", 1); len(late) != 0 {
		t.Errorf("the delay was forgotten: %v", late)
	}
	after.clock.move(10 * time.Second)
	if late := after.bodies(t, "Late", 1); len(late) != 1 {
		t.Error("the delayed message was lost")
	}
}

func TestCompactsJournal(t *testing.T) {
	dir := t.TempDir()
	r := open(t, dir)
	for range 100 {
		r.sendTo(t, "Jobs", strings.Repeat("x", 1000), "")
		m, err := r.Receive(t.Context(), "Jobs", 1, 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Delete("Jobs", m[0].Handle()); err != nil {
			t.Fatal(err)
		}
	}
	r.Close()
	open(t, dir)
	if info, err := os.Stat(filepath.Join(dir, "queues.jsonl")); err != nil || info.Size() != 0 {
		t.Errorf("%d bytes for no message, %v", info.Size(), err)
	}
}

func TestLongPoll(t *testing.T) {
	r := open(t, t.TempDir())
	begun := time.Now()
	time.AfterFunc(50*time.Millisecond, func() { _, _ = r.Send("Jobs", Outgoing{Body: "x"}) })
	got, err := r.Receive(t.Context(), "Jobs", 1, 60*time.Second, -1)
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	if took := time.Since(begun); took > 3*time.Minute {
		t.Errorf("it took %v to hear of the message", took)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := r.Receive(ctx, "Jobs", 1, time.Hour, -1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a caller who left: %v", err)
	}
	if got, err := r.Receive(t.Context(), "Jobs", 1, 30*time.Millisecond, -1); len(got) != 0 || err != nil {
		t.Errorf("nothing in time: %v, %v", got, err)
	}
}

func BenchmarkSend(b *testing.B) {
	r := open(b, b.TempDir())
	for b.Loop() {
		r.sendTo(b, "Jobs", "0123456789", "g")
	}
}

func BenchmarkSDKSendReceiveDelete(b *testing.B) {
	r := open(b, b.TempDir())
	ctx := b.Context()
	for b.Loop() {
		if _, err := r.client.SendMessage(
			ctx, &sqs.SendMessageInput{QueueUrl: r.url("Jobs"), MessageBody: aws.String("x")},
		); err != nil {
			b.Fatal(err)
		}
		got, err := r.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: r.url("Jobs")})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := r.client.DeleteMessage(
			ctx, &sqs.DeleteMessageInput{QueueUrl: r.url("Jobs"), ReceiptHandle: got.Messages[0].ReceiptHandle},
		); err != nil {
			b.Fatal(err)
		}
	}
}

// TestKeepsTraceHeader: the trace header of a sender comes back with its message.
func TestKeepsTraceHeader(t *testing.T) {
	b := New([]*template.Queue{{Name: "Q", Retention: time.Hour, Visibility: time.Minute, MaxBytes: MaxBytes}}, clock.System,
		func(Entry) error { return nil })
	api := &API{Broker: b, Count: func(string) {}}
	call := func(operation, body string) string {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("X-Amz-Target", "AmazonSQS."+operation)
		r.Header.Set("X-Amzn-Trace-Id", "Root=1;Lineage=0a:4")
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		return w.Body.String()
	}
	call("SendMessage", `{"QueueUrl":"Q","MessageBody":"one"}`)
	call("SendMessageBatch", `{"QueueUrl":"Q","Entries":[{"Id":"a","MessageBody":"two"}]}`)
	got := call("ReceiveMessage", `{"QueueUrl":"Q","MaxNumberOfMessages":10,"MessageSystemAttributeNames":["AWSTraceHeader"]}`)
	if strings.Count(got, `"AWSTraceHeader":"Root=1;Lineage=0a:4"`) != 2 {
		t.Errorf("received %s", got)
	}
}
