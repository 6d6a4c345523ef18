package eventsource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/queue"
	"minicloud/infra/local/template"
	"minicloud/shared/clock"
)

// program is a fake function; do is its body.
type program struct {
	mu    sync.Mutex
	calls [][]string // message bodies of each call
	do    func(call int, bodies []string, ids []string) (string, error)
}

func (p *program) Invoke(_ context.Context, req lambdahost.Request) (lambdahost.Result, error) {
	var event struct {
		Records []struct {
			MessageID string `json:"messageId"`
			Body      string `json:"body"`
		}
	}
	if err := json.Unmarshal(req.Payload, &event); err != nil {
		return lambdahost.Result{}, err
	}
	var bodies, ids []string
	for _, r := range event.Records {
		bodies, ids = append(bodies, r.Body), append(ids, r.MessageID)
	}
	p.mu.Lock()
	p.calls = append(p.calls, bodies)
	call := len(p.calls)
	p.mu.Unlock()
	answer, err := p.do(call, bodies, ids)
	if errors.Is(err, errFailed) {
		return lambdahost.Result{FunctionError: "Unhandled"}, nil
	}
	return lambdahost.Result{Payload: []byte(answer)}, err
}

func (p *program) seen() [][]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls)
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// visibility is the visibility timeout of the test's queue.
const visibility = 30 * time.Second

// poll runs a poller over messages with the given bodies until done returns true. With a batching window it sends the
// messages one by one. Tests that poll run in a synctest bubble: its clock advances only when all goroutines wait, so
// a slow machine causes no timeouts.
func poll(
	t *testing.T, mapping template.QueueEvent, p *program, bodies []string, done func(queue.Count) bool,
) *queue.Broker {
	t.Helper()
	b, err := queue.Open(t.TempDir(), []*template.Queue{
		{
			Name: "Jobs", Visibility: visibility, Retention: time.Hour, MaxBytes: queue.MaxBytes, DeadQueue: "Dead",
			MaxReceive: 3,
		},
		{Name: "Dead", Visibility: time.Minute, Retention: time.Hour, MaxBytes: queue.MaxBytes},
	}, clock.System, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	send := func() {
		for _, body := range bodies {
			if _, err := b.Send("Jobs", queue.Outgoing{Body: body}); err != nil {
				t.Error(err)
			}
		}
	}
	if mapping.Window == 0 {
		send()
	}
	mapping.Queue = "Jobs"
	poller := &QueuePoller{Broker: b, Invoker: p, Function: "F", Mapping: mapping, Region: "us-east-1", Log: quiet()}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := poller.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	defer running.Wait()
	defer stop()
	if mapping.Window > 0 {
		send()
	}
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(2 * time.Millisecond) {
		count, err := b.Count("Jobs")
		if err != nil {
			t.Fatal(err)
		}
		if done(count) {
			return b
		}
		if time.Now().After(deadline) {
			t.Fatalf("not done: %+v, calls %v", count, p.seen())
		}
	}
}

func empty(c queue.Count) bool { return c == queue.Count{} }

func succeed(int, []string, []string) (string, error) { return "null", nil }

func TestDeletesDeliveredMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{do: succeed}
		var bodies []string
		for n := range 25 {
			bodies = append(bodies, fmt.Sprint("m", n))
		}
		poll(t, template.QueueEvent{Batch: template.Batch{Size: 10}}, p, bodies, empty)
		var got []string
		for _, call := range p.seen() {
			if len(call) > 10 {
				t.Errorf("a batch of %d", len(call))
			}
			got = append(got, call...)
		}
		slices.Sort(got)
		slices.Sort(bodies)
		if !slices.Equal(got, bodies) {
			t.Errorf("got %v", got)
		}
	})
}

func TestWindowFillsBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		letters := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}
		for _, window := range []struct {
			of   template.Batch
			size int // size of the only batch
		}{
			{template.Batch{Size: 12, Window: time.Minute}, 12}, {template.Batch{Size: 100, Window: 20 * time.Millisecond}, 1},
		} {
			p := &program{do: succeed}
			poll(
				t, template.QueueEvent{Batch: window.of}, p, letters[:window.size],
				func(c queue.Count) bool { return empty(c) && len(p.seen()) > 0 },
			)
			if calls := p.seen(); len(calls) != 1 || len(calls[0]) != window.size {
				t.Errorf("%+v: calls %v, want one of %d", window.of, calls, window.size)
			}
		}
	})
}

func TestFailedMessageBecomesDeadLetter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{do: func(int, []string, []string) (string, error) { return "", errFailed }}
		b := poll(t, template.QueueEvent{Batch: template.Batch{Size: 1}}, p, []string{"poison"}, empty)
		if calls := p.seen(); len(calls) != 3 {
			t.Errorf("%d calls, want 3", len(calls))
		}
		if c, _ := b.Count("Dead"); c.Visible != 1 {
			t.Errorf("dead letters %+v", c)
		}
	})
}

func TestRedeliversFailedItemsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{do: func(call int, bodies, ids []string) (string, error) {
			if i := slices.Index(bodies, "bad"); i >= 0 && call == 1 {
				return `{"batchItemFailures":[{"itemIdentifier":"` + ids[i] + `"}]}`, nil
			}
			return `{"batchItemFailures":[]}`, nil
		}}
		poll(t, template.QueueEvent{Batch: template.Batch{Size: 10, PartialAnswer: true}}, p, []string{"good", "bad"}, empty)
		if calls := p.seen(); len(calls) != 2 || !slices.Equal(calls[1], []string{"bad"}) {
			t.Errorf("calls %v, want the second with bad alone", calls)
		}
	})
}

// TestThrottledMessagesCountAsReceived: a batch that finds no concurrency until its messages are visible again counts as
// received, although no function has seen it. After the last receive it is a dead letter.
func TestThrottledMessagesCountAsReceived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{do: func(int, []string, []string) (string, error) { return "", &lambdahost.Error{Status: 429} }}
		begun := time.Now()
		b := poll(t, template.QueueEvent{Batch: template.Batch{Size: 10}}, p, []string{"a"}, empty)
		if took := time.Since(begun); took < 3*visibility || took > 4*visibility {
			t.Errorf("given up after %v, want three times %v", took, visibility)
		}
		if dead, err := b.Messages("Dead"); err != nil || len(dead) != 1 || dead[0].Receives != 3 {
			t.Errorf("dead letters %+v, %v", dead, err)
		}
	})
}

// TestThrottledBatchEndsWhenItsMessagesAreVisible: a batch that was throttled for that long is dropped, because its
// messages come in another batch.
func TestThrottledBatchEndsWhenItsMessagesAreVisible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, delivered := time.Now(), 0
		p := &program{do: func(int, []string, []string) (string, error) {
			if time.Since(begun) < visibility+time.Second {
				return "", &lambdahost.Error{Status: 429}
			}
			delivered++
			return "null", nil
		}}
		poll(t, template.QueueEvent{Batch: template.Batch{Size: 1}}, p, []string{"a"}, empty)
		time.Sleep(2 * visibility)
		if delivered != 1 {
			t.Errorf("delivered %d times", delivered)
		}
	})
}

func TestRetriesThrottledBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{do: func(call int, _, _ []string) (string, error) {
			if call == 1 {
				return "", &lambdahost.Error{Status: 429}
			}
			return "null", nil
		}}
		poll(t, template.QueueEvent{Batch: template.Batch{Size: 1}}, p, []string{"a"}, empty)
	})
}

func TestDropsFilteredMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{do: succeed}
		filter := map[string]any{"body": map[string]any{"kind": []any{"job"}}}
		poll(t, template.QueueEvent{Batch: template.Batch{Size: 1, Filters: []map[string]any{filter}}}, p,
			[]string{`{"kind":"job"}`, `{"kind":"other"}`, `text`}, empty)
		if calls := p.seen(); len(calls) != 1 || calls[0][0] != `{"kind":"job"}` {
			t.Errorf("calls %v", calls)
		}
	})
}

// TestBatchesContinueTheLongestChain: the event source gives the trace header of a message back to Lambda.
func TestBatchesContinueTheLongestChain(t *testing.T) {
	var own string // the name of F in a lineage
	{
		h := fnv.New32a()
		_, _ = h.Write([]byte("F"))
		own = fmt.Sprintf("%08x", h.Sum32())
	}
	traced := &traced{program: &program{do: succeed}}
	synctest.Test(t, func(t *testing.T) {
		b := queue.New([]*template.Queue{{
			Name: "Jobs", Visibility: visibility, Retention: time.Hour, MaxBytes: queue.MaxBytes,
		}}, clock.System, func(queue.Entry) error { return nil })
		for _, trace := range []string{"", "Lineage=" + own + ":3", "Root=1;Lineage=0a:9|" + own + ":7", "Lineage=0a:20"} {
			if _, err := b.Send("Jobs", queue.Outgoing{Body: "m", Trace: trace}); err != nil {
				t.Fatal(err)
			}
		}
		p := &QueuePoller{Broker: b, Invoker: traced, Function: "F", Region: "us-east-1", Log: quiet(), Mapping: template.QueueEvent{
			Queue: "Jobs", Batch: template.Batch{Size: 10},
		}}
		messages, visible, err := p.gather(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p.process(t.Context(), nil, messages, visible)
	})
	if want := "Root=1;Lineage=0a:9|" + own + ":7"; traced.trace != want {
		t.Errorf("invoked within %q, want %q", traced.trace, want)
	}
}

// traced is a program that notes the trace header of its invocation.
type traced struct {
	*program
	trace string
}

func (p *traced) Invoke(ctx context.Context, req lambdahost.Request) (lambdahost.Result, error) {
	p.trace = req.Trace
	return p.program.Invoke(ctx, req)
}

func closed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestLimitsConcurrentBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, most, two := 0, 0, make(chan struct{})
		p := &program{do: func(int, []string, []string) (string, error) {
			mu.Lock()
			running++
			if most = max(most, running); running == 2 && !closed(two) {
				close(two)
			}
			mu.Unlock()
			select {
			case <-two: // the first batch waits for the second
			case <-time.After(3 * time.Minute):
			}
			time.Sleep(time.Second) // a third batch would start now
			mu.Lock()
			running--
			mu.Unlock()
			return "null", nil
		}}
		poll(
			t, template.QueueEvent{Batch: template.Batch{Size: 1}, MaxConcurrency: 2}, p, []string{"a", "b", "c", "d", "e", "f"},
			empty,
		)
		if most != 2 {
			t.Errorf("%d at the same time, want 2", most)
		}
	})
}

// TestLongBatchesDoNotBlockOthers starts more than firstBatches long batches: the later ones must not wait for the end
// of the first.
func TestLongBatchesDoNotBlockOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		begun, all := 0, make(chan struct{})
		p := &program{do: func(int, []string, []string) (string, error) {
			mu.Lock()
			if begun++; begun == 7 {
				close(all)
			}
			mu.Unlock()
			select {
			case <-all:
				return "null", nil
			case <-time.After(3 * time.Minute):
				return "", errFailed
			}
		}}
		poll(t, template.QueueEvent{
			Batch: template.Batch{Size: 1},
		}, p, []string{"a", "b", "c", "d", "e", "f", "g"}, func(c queue.Count) bool {
			mu.Lock()
			defer mu.Unlock()
			return begun >= 7
		})
	})
}

func TestReadsFailedItems(t *testing.T) {
	known := []string{"a", "b"}
	tests := []struct {
		answer string
		failed []string
		all    bool
	}{
		{`null`, nil, false}, {``, nil, false}, {`{}`, nil, false}, {`{"batchItemFailures":null}`, nil, false},
		{`{"batchItemFailures":[]}`, nil, false},
		{`{"batchItemFailures":[{"itemIdentifier":"b"}]}`, []string{"b"}, false},
		{`{"batchItemFailures":[{"itemIdentifier":"zzz"}]}`, nil, true},
		{`{"batchItemFailures":[{"itemIdentifier":""}]}`, nil, true},
		{`{"batchItemFailures":"b"}`, nil, true}, {`[1]`, nil, true},
	}
	for _, tt := range tests {
		failed, all := failedItems([]byte(tt.answer), known)
		if !slices.Equal(failed, tt.failed) || all != tt.all {
			t.Errorf("%s: %v %v", tt.answer, failed, all)
		}
	}
}
