package eventsource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/infra/local/ddb"
	"minicloud/infra/local/dynamotest"
	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/queue"
	"minicloud/infra/local/template"
	"minicloud/infra/local/unkind"
	"minicloud/shared/clock"
)

// streamed is a fake function behind a stream; it records "<event> <key>" for each record.
type streamed struct {
	mu    sync.Mutex
	calls [][]string
	ids   map[string]bool
	do    func(call int, keys, sequences []string) (string, error)
	heard func(payload []byte) (string, error) // if set, called with the raw event instead of do
}

func (s *streamed) Invoke(_ context.Context, req lambdahost.Request) (lambdahost.Result, error) {
	if s.heard != nil {
		answer, err := s.heard(req.Payload)
		return lambdahost.Result{Payload: []byte(answer)}, err
	}
	var event struct {
		Records []struct {
			EventID   string `json:"eventID"`
			EventName string `json:"eventName"`
			Region    string `json:"awsRegion"`
			ARN       string `json:"eventSourceARN"`
			DynamoDB  struct {
				Keys           map[string]struct{ S string }
				SequenceNumber string
			} `json:"dynamodb"`
		}
	}
	if err := json.Unmarshal(req.Payload, &event); err != nil {
		return lambdahost.Result{}, err
	}
	s.mu.Lock()
	var keys, sequences []string
	for _, r := range event.Records {
		keys, sequences = append(keys, r.EventName+" "+r.DynamoDB.Keys["pk"].S), append(sequences, r.DynamoDB.SequenceNumber)
		if r.Region != "us-east-1" || !strings.Contains(r.ARN, "/stream/") {
			return lambdahost.Result{}, fmt.Errorf("record %+v", r)
		}
		if s.ids == nil {
			s.ids = map[string]bool{}
		}
		s.ids[r.EventID] = true
	}
	s.calls = append(s.calls, keys)
	call := len(s.calls)
	s.mu.Unlock()
	answer, err := "", error(nil)
	if s.do != nil {
		answer, err = s.do(call, keys, sequences)
	}
	if errors.Is(err, errFailed) {
		return lambdahost.Result{FunctionError: "Unhandled"}, nil
	}
	return lambdahost.Result{Payload: []byte(answer)}, err
}

func (s *streamed) seen() (calls [][]string, flat []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls), slices.Concat(s.calls...)
}

type streamRig struct {
	t        *testing.T
	dir      string
	database *ddb.Server
	broker   *queue.Broker
	program  *streamed
	poller   *StreamPoller
	pace     time.Duration
	unkind   *unkind.Switches
	stop     func()
}

func openStream(
	t *testing.T, mapping template.StreamEvent, do func(int, []string, []string) (string, error),
) *streamRig {
	t.Helper()
	r := &streamRig{t: t, dir: t.TempDir(), program: &streamed{do: do}, stop: func() {}}
	r.database = dynamotest.Serve(t, filepath.Join(r.dir, "ddb.db"))
	table := ddb.PlainTable("Rows")
	table.Create.StreamSpecification = &types.StreamSpecification{
		StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
	}
	if err := r.database.CreateTables(t.Context(), []ddb.Table{table}); err != nil {
		t.Fatal(err)
	}
	var err error
	if r.broker, err = queue.Open(
		r.dir, []*template.Queue{{Name: "Failed", Retention: time.Hour, MaxBytes: queue.MaxBytes}}, clock.System,
		slog.New(slog.DiscardHandler),
	); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.broker.Close)
	mapping.Name, mapping.Table = "RowsEvent", "Rows"
	if mapping.Size == 0 {
		mapping.Size = 100
	}
	r.start(mapping)
	return r
}

func (r *streamRig) start(mapping template.StreamEvent) {
	r.t.Helper()
	checkpoints, err := OpenCheckpoints(filepath.Join(r.dir, "streams.json"))
	if err != nil {
		r.t.Fatal(err)
	}
	r.poller = &StreamPoller{
		Database: r.database.URL, Region: "us-east-1", Invoker: r.program, Broker: r.broker, Function: "F",
		Mapping: mapping, Checkpoints: checkpoints, Log: quiet(), Pace: r.pace, Unkind: r.unkind,
	}
	if err := r.poller.Init(); err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(r.t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := r.poller.Run(ctx); err != nil {
			r.t.Error(err)
		}
	})
	r.stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	r.t.Cleanup(r.stop)
	r.wait("the first checkpoint", func() bool {
		checkpoints.mu.Lock()
		defer checkpoints.mu.Unlock()
		for key := range checkpoints.at {
			if strings.HasPrefix(key, mapping.Name+" ") {
				return true
			}
		}
		return false
	})
}

func (r *streamRig) wait(what string, done func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			calls, _ := r.program.seen()
			r.t.Fatalf("%s: not in time; calls %v", what, calls)
		}
	}
}

func (r *streamRig) put(key, value string) {
	r.t.Helper()
	_, err := r.database.Client().PutItem(
		r.t.Context(), &dynamodb.PutItemInput{TableName: aws.String("Rows"), Item: row(key, value)},
	)
	if err != nil {
		r.t.Fatal(err)
	}
	r.poller.Nudge()
}

// putTogether writes rows in one transaction, so that their records are read together.
func (r *streamRig) putTogether(keys ...string) {
	r.t.Helper()
	var in dynamodb.TransactWriteItemsInput
	for _, key := range keys {
		in.TransactItems = append(
			in.TransactItems, types.TransactWriteItem{Put: &types.Put{TableName: aws.String("Rows"), Item: row(key, "1")}},
		)
	}
	if _, err := r.database.Client().TransactWriteItems(r.t.Context(), &in); err != nil {
		r.t.Fatal(err)
	}
	r.poller.Nudge()
}

func row(key, value string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: key}, "sk": &types.AttributeValueMemberS{Value: "x"},
		"v": &types.AttributeValueMemberS{Value: value},
	}
}

// expect waits until exactly these records were delivered, in this order.
func (r *streamRig) expect(want ...string) {
	r.t.Helper()
	r.wait(fmt.Sprint("delivery of ", want), func() bool { _, flat := r.program.seen(); return len(flat) >= len(want) })
	time.Sleep(20 * time.Millisecond) // superfluous deliveries would arrive now
	if _, flat := r.program.seen(); !slices.Equal(flat, want) {
		r.t.Fatalf("delivered %v, want %v", flat, want)
	}
}

var forever = template.StreamEvent{MaxRetries: -1}

func TestChangesArriveInOrder(t *testing.T) {
	r := openStream(t, forever, nil)
	r.put("a", "1")
	r.put("a", "2")
	r.put("a", "2") // an unchanged row creates no record on AWS
	if _, err := r.database.Client().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("Rows"), Key: map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: "a"}, "sk": &types.AttributeValueMemberS{Value: "x"},
	}}); err != nil {
		t.Fatal(err)
	}
	r.expect("INSERT a", "MODIFY a", "REMOVE a")
	if len(r.program.ids) != 3 {
		t.Errorf("event ids %v", r.program.ids)
	}
}

func TestWriteNudgesPoller(t *testing.T) {
	r := openStream(t, forever, nil)
	r.stop()
	r.pace = time.Hour // so that only the nudge can cause a read
	r.start(r.poller.Mapping)
	for n := range 10 {
		r.put("a", fmt.Sprint(n))
		r.wait("the write", func() bool { _, flat := r.program.seen(); return len(flat) == n+1 })
	}
}

// TestWindowIgnoresNudges: a mapping with a batching window keeps its polling interval after a write, and Drained
// still waits until the stream is read.
func TestWindowIgnoresNudges(t *testing.T) {
	mapping := forever
	mapping.Window = time.Millisecond
	r := openStream(t, mapping, nil)
	r.stop()
	r.pace = time.Hour
	r.start(r.poller.Mapping)
	r.wait("the first look", func() bool { return r.poller.looked.Load() == 1 })

	r.put("a", "1")
	time.Sleep(100 * time.Millisecond) // longer than all reads after a write
	if looked := r.poller.looked.Load(); looked != 1 {
		t.Errorf("%d looks after a write", looked)
	}

	if err := r.poller.Drained(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.expect("INSERT a")
}

func TestResumesAtCheckpoint(t *testing.T) {
	r := openStream(t, forever, nil)
	r.put("a", "1")
	r.expect("INSERT a")
	r.stop()
	r.put("b", "1")
	r.start(r.poller.Mapping)
	r.expect("INSERT a", "INSERT b")
}

func TestLatestSkipsWhatWasThere(t *testing.T) {
	r := openStream(t, forever, nil)
	r.put("a", "1")
	r.expect("INSERT a")
	r.stop()
	for _, other := range []struct {
		name      string
		fromStart bool
		want      []string
	}{{"Latest", false, []string{"INSERT b"}}, {"Horizon", true, []string{"INSERT a", "INSERT b", "INSERT c"}}} {
		r.program.mu.Lock()
		r.program.calls = nil
		r.program.mu.Unlock()
		mapping := r.poller.Mapping
		mapping.Name, mapping.FromStart = other.name, other.fromStart
		r.start(mapping)
		r.put(string('b'+rune(len(other.want)/2)), "1")
		r.expect(other.want...)
		r.stop()
	}
}

// TestReadsCheckpointsOfOtherEngine: the data directory may come from an engine older than 1.5, which formats sequence
// numbers differently.
func TestReadsCheckpointsOfOtherEngine(t *testing.T) {
	r := openStream(t, template.StreamEvent{MaxRetries: -1}, nil)
	r.put("a", "1")
	r.expect("INSERT a")
	r.stop()

	path := filepath.Join(r.dir, "streams.json")
	at := map[string]string{}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &at); err != nil {
		t.Fatal(err)
	}
	for key, sequence := range at {
		other := &streamClient{wide: len(sequence) < wideNumber}
		at[key] = other.spell(sequence)
		if at[key] == sequence {
			t.Fatalf("%s has one form only", sequence)
		}
	}
	if text, err = json.Marshal(at); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}

	r.start(r.poller.Mapping)
	r.put("b", "1")
	r.expect("INSERT a", "INSERT b")
}

func TestSpellsSequenceNumbersInBothForms(t *testing.T) {
	old, now := &streamClient{}, &streamClient{wide: true}
	for number, wide := range map[string]string{
		"": "", "1": "100000000000000000001", "100": "100000000000000000100", "1795310827606662": "100001795310827606662",
	} {
		for _, from := range []string{number, wide} {
			if got := old.spell(from); got != number {
				t.Errorf("%s is %s before 1.5, want %s", from, got, number)
			}
			if got := now.spell(from); got != wide {
				t.Errorf("%s is %s since 1.5, want %s", from, got, wide)
			}
		}
	}
}

func TestRetriesFailuresThenGivesUp(t *testing.T) {
	bad := ""
	r := openStream(t, template.StreamEvent{
		MaxRetries: 1, OnFailureQueue: "Failed",
	}, func(_ int, keys, sequences []string) (string, error) {
		if slices.Contains(keys, "INSERT bad") {
			bad = sequences[0]
			return "", errFailed
		}
		return "", nil
	})
	r.put("bad", "1")
	r.expect("INSERT bad", "INSERT bad")
	r.put("good", "1")
	r.expect("INSERT bad", "INSERT bad", "INSERT good")
	messages, err := r.broker.Receive(t.Context(), "Failed", 1, 0, -1)
	if err != nil || len(messages) != 1 || !strings.Contains(messages[0].Body, `"condition":"RetryAttemptsExhausted"`) ||
		!strings.Contains(messages[0].Body, `"startSequenceNumber":"`+bad+`"`) {
		t.Errorf("on failure: %+v, %v", messages, err)
	}
}

func TestBisectIsolatesBadRecord(t *testing.T) {
	r := openStream(t, template.StreamEvent{MaxRetries: 3, Bisect: true}, func(_ int, keys, _ []string) (string, error) {
		if slices.Contains(keys, "INSERT c") {
			return "", errFailed
		}
		return "", nil
	})
	r.putTogether("a", "b", "c", "d")
	r.wait("d alone", func() bool {
		calls, _ := r.program.seen()
		return len(calls) > 0 && slices.Equal(calls[len(calls)-1], []string{"INSERT d"})
	})
	calls, _ := r.program.seen()
	if !slices.ContainsFunc(calls, func(c []string) bool { return slices.Equal(c, []string{"INSERT a", "INSERT b"}) }) {
		t.Errorf("calls %v: the good half did not get through by itself", calls)
	}
}

func TestResumesAtFailedRecord(t *testing.T) {
	r := openStream(t, template.StreamEvent{
		MaxRetries: -1, Batch: template.Batch{PartialAnswer: true},
	}, func(call int, keys, sequences []string) (string, error) {
		if i := slices.Index(keys, "INSERT b"); i >= 0 && call == 1 {
			return `{"batchItemFailures":[{"itemIdentifier":"` + sequences[i] + `"}]}`, nil
		}
		return `{}`, nil
	})
	r.putTogether("a", "b", "c")
	r.expect("INSERT a", "INSERT b", "INSERT c", "INSERT b", "INSERT c")
}

func TestFiltersStreamRecords(t *testing.T) {
	mapping := forever
	mapping.Filters = []map[string]any{
		{
			"eventName": []any{"INSERT"},
			"dynamodb": map[string]any{
				"NewImage": map[string]any{"v": map[string]any{"S": []any{map[string]any{"prefix": "yes"}}}},
			},
		},
	}
	r := openStream(t, mapping, nil)
	r.put("a", "yes 1")
	r.put("a", "yes 2")
	r.put("b", "no")
	r.put("c", "yes")
	r.expect("INSERT a", "INSERT c")
}

func TestReportsBrokenCheckpointFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "streams.json")
	if err := os.WriteFile(path, []byte(`{"a":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenCheckpoints(path); err == nil || !strings.HasPrefix(err.Error(), path+
		" is broken (unexpected end of JSON input): restore it") {
		t.Errorf("%v", err)
	}
}

// TestTumblingWindowCarriesState: each batch passes its state to the next, and a response without state is a failure.
func TestTumblingWindowCarriesState(t *testing.T) {
	var mu sync.Mutex
	var events []struct {
		ShardID string            `json:"shardId"`
		State   map[string]string `json:"state"`
		Final   bool              `json:"isFinalInvokeForWindow"`
		Records []any
	}
	heard := func(payload []byte) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, struct {
			ShardID string            `json:"shardId"`
			State   map[string]string `json:"state"`
			Final   bool              `json:"isFinalInvokeForWindow"`
			Records []any
		}{})
		if err := json.Unmarshal(payload, &events[len(events)-1]); err != nil {
			return "", err
		}
		if len(events) == 1 {
			return `{}`, nil // no state: the batch is retried
		}
		return fmt.Sprintf(`{"state":{"calls":"%d"},"batchItemFailures":[]}`, len(events)), nil
	}

	r := openStream(
		t, template.StreamEvent{Tumbling: time.Second, MaxRetries: -1, Batch: template.Batch{PartialAnswer: true}}, nil,
	)
	r.program.heard = heard
	r.put("a", "1")
	r.wait("the second call", func() bool { mu.Lock(); defer mu.Unlock(); return len(events) >= 2 })
	time.Sleep(1100 * time.Millisecond) // into the next window
	r.put("b", "1")
	r.wait("the end of the window", func() bool { mu.Lock(); defer mu.Unlock(); return len(events) >= 4 })

	mu.Lock()
	defer mu.Unlock()
	for i, want := range []struct {
		state string
		final bool
		n     int
	}{{"", false, 1}, {"", false, 1}, {"2", true, 0}, {"", false, 1}} {
		e := events[i]
		if e.ShardID == "" || e.State["calls"] != want.state || e.Final != want.final || len(e.Records) != want.n {
			t.Errorf("call %d: %+v, want %+v", i, e, want)
		}
	}
}

// TestLanesKeepTheOrderOfKeys: while records of one key are processed, other lanes continue; unfinished records come
// again after a restart.
func TestLanesKeepTheOrderOfKeys(t *testing.T) {
	const slow, quick = "a", "b" // keys in different lanes
	if l := (&lanes{StreamPoller: &StreamPoller{shards: []*shard{{}}}, each: 4}); l.laneOf(`{"S":"a"}`) == l.laneOf(`{"S":"b"}`) {
		t.Fatal("they share a lane")
	}
	mapping := template.StreamEvent{MaxRetries: -1, Batch: template.Batch{Size: 2}}
	mapping.Parallel = 4
	r := openStream(t, mapping, func(_ int, keys, _ []string) (string, error) {
		if strings.HasSuffix(keys[0], " "+slow) {
			return "", errFailed
		}
		return "", nil
	})
	for i := range 5 {
		r.put(slow, fmt.Sprint(i))
		r.put(quick, fmt.Sprint(i))
	}
	of := func(key string) (all []string) {
		_, flat := r.program.seen()
		for _, one := range flat {
			if strings.HasSuffix(one, " "+key) {
				all = append(all, one)
			}
		}
		return all
	}
	r.wait("the quick ones", func() bool { return len(of(quick)) == 5 })
	drained, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if r.poller.Drained(drained) == nil {
		t.Error("drained while records are in hand")
	}

	r.stop()
	before := len(of(slow))
	r.program.do = nil
	r.start(r.poller.Mapping)
	r.wait("all of them", func() bool { return len(of(slow)) >= before+5 })
	want := []string{"INSERT a", "MODIFY a", "MODIFY a", "MODIFY a", "MODIFY a"}
	if got := of(slow)[before:]; !slices.Equal(got, want) {
		t.Errorf("again: %v", got)
	}
	if err := r.poller.Drained(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestCheckpointsInMemory: the zero value stores positions without a file.
func TestCheckpointsInMemory(t *testing.T) {
	c := new(Checkpoints)
	if err := c.set("rows", "17"); err != nil {
		t.Fatal(err)
	}
	if at, known := c.get("rows"); at != "17" || !known {
		t.Errorf("at %q, %v", at, known)
	}
}

// TestThrottlesUseNoRetries: a batch that finds no concurrency is not given up, even where a failure would be.
func TestThrottlesUseNoRetries(t *testing.T) {
	throttled := func(call int, _, _ []string) (string, error) {
		if call < 5 {
			return "", &lambdahost.Error{Status: 429}
		}
		return "", nil
	}
	r := openStream(t, template.StreamEvent{OnFailureQueue: "Failed"}, throttled)
	r.put("a", "1")
	r.wait("the fifth call", func() bool { calls, _ := r.program.seen(); return len(calls) == 5 })
	if failed, err := r.broker.Messages("Failed"); err != nil || len(failed) != 0 {
		t.Errorf("given up: %+v, %v", failed, err)
	}
}

// TestThrottledRecordsAreGivenUpWhenTooOld: throttles end with the maximum age of the records, and use no retry before.
func TestThrottledRecordsAreGivenUpWhenTooOld(t *testing.T) {
	throttled := func(int, []string, []string) (string, error) { return "", &lambdahost.Error{Status: 429} }
	r := openStream(t, template.StreamEvent{MaxAge: 2 * time.Second, OnFailureQueue: "Failed"}, throttled)
	r.put("a", "1")
	r.wait("the dead letter", func() bool {
		failed, err := r.broker.Messages("Failed")
		return err == nil && len(failed) == 1 && strings.Contains(failed[0].Body, "RecordAgeExceeded")
	})
}

// TestReadsPastExpiredIterators: an iterator that has expired is replaced, and no record is skipped or repeated.
func TestReadsPastExpiredIterators(t *testing.T) {
	mapping := template.StreamEvent{MaxRetries: -1, Batch: template.Batch{Size: 2}}
	r := openStream(t, mapping, nil)
	r.stop()
	r.unkind = unkind.New(unkind.Numbers{unkind.ExpiredIterators: 500}, rand.New(rand.NewPCG(1, 2)), nil)
	r.start(r.poller.Mapping)

	var want []string
	for i := range 20 {
		key := fmt.Sprintf("%02d", i)
		want = append(want, "INSERT "+key)
		r.put(key, "1")
	}
	r.expect(want...)
	if r.unkind.Hits()[unkind.ExpiredIterators] == 0 {
		t.Error("no iterator expired")
	}
}

// TestSkipsTrimmedRecords: a reader that comes back after its records were trimmed goes on with those there are.
func TestSkipsTrimmedRecords(t *testing.T) {
	var kinds []string
	c := &streamClient{http: answering(func(target string, in map[string]any) (int, string) {
		kind, _ := in["ShardIteratorType"].(string)
		kinds = append(kinds, kind)
		if kind == "AFTER_SEQUENCE_NUMBER" {
			return 400, `{"__type":"com.amazonaws.dynamodb.v20120810#TrimmedDataAccessException"}`
		}
		return 200, `{"ShardIterator":"from the start"}`
	}), url: "http://simulated"}
	if it, err := c.after(t.Context(), "17"); err != nil || it != "from the start" {
		t.Errorf("%q, %v after %v", it, err, kinds)
	}
}

// answering is a client whose requests a function answers.
type answering func(target string, in map[string]any) (status int, body string)

func (a answering) Do(r *http.Request) (*http.Response, error) {
	var in map[string]any
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, err
	}
	status, body := a(r.Header.Get("X-Amz-Target"), in)
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// TestShardSplits: records of a key stay in order across splits, and every shard has a window of its own, which ends with
// it.
func TestShardSplits(t *testing.T) {
	type call struct {
		ShardID string            `json:"shardId"`
		State   map[string]string `json:"state"`
		Final   bool              `json:"isFinalInvokeForWindow"`
		Records []struct {
			DynamoDB struct{ Keys, NewImage map[string]struct{ S string } } `json:"dynamodb"`
		}
	}
	var mu sync.Mutex
	var calls []call
	mapping := template.StreamEvent{
		Tumbling: time.Hour, MaxRetries: -1, Batch: template.Batch{Size: 2, PartialAnswer: true},
	}
	r := openStream(t, mapping, nil)
	r.stop()
	r.unkind = unkind.New(unkind.Numbers{unkind.ShardSplits: 4}, rand.New(rand.NewPCG(1, 2)), nil)
	r.program.heard = func(payload []byte) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		var c call
		if err := json.Unmarshal(payload, &c); err != nil {
			return "", err
		}
		calls = append(calls, c)
		return fmt.Sprintf(`{"state":{"shard":%q},"batchItemFailures":[]}`, c.ShardID), nil
	}
	r.start(r.poller.Mapping)
	for i := range 24 {
		r.put(fmt.Sprint("key ", i%4), fmt.Sprintf("%02d", i))
	}
	if err := r.poller.Drained(t.Context()); err != nil {
		t.Fatal(err)
	}

	mu.Lock()
	defer mu.Unlock()
	last, ended, came := map[string]string{}, map[string]bool{}, 0
	for _, c := range calls {
		if ended[c.ShardID] || c.State["shard"] != "" && c.State["shard"] != c.ShardID {
			t.Errorf("shard %s, ended %v, has the state of %q", c.ShardID, ended[c.ShardID], c.State["shard"])
		}
		ended[c.ShardID] = c.Final
		for _, record := range c.Records {
			key, value := record.DynamoDB.Keys["pk"].S, record.DynamoDB.NewImage["v"].S
			if value <= last[key] {
				t.Errorf("%s: %s came after %s", key, value, last[key])
			}
			last[key] = value
			came++
		}
	}
	splits := r.unkind.Hits()[unkind.ShardSplits]
	if came != 24 || splits < 3 || len(ended) < splits+1 {
		t.Errorf("%d of 24 records came by %d shards after %d splits", came, len(ended), splits)
	}
}
