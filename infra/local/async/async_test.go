package async

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/queue"
	"minicloud/infra/local/template"
)

type program struct {
	mu      sync.Mutex
	calls   []string
	answers []lambdahost.Result // one per call; the last one repeats
	errs    []error
}

func (p *program) Invoke(_ context.Context, req lambdahost.Request) (lambdahost.Result, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, req.Function+" "+req.Tenant+" "+string(req.Payload))
	n := len(p.calls) - 1
	return p.answers[min(n, len(p.answers)-1)], p.errs[min(n, len(p.errs)-1)]
}

func (p *program) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.calls)
}

type hand struct {
	mu  sync.Mutex
	now time.Time
}

func (h *hand) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func open(t *testing.T, dir string, p *program, h *hand) *Runner {
	t.Helper()
	b, err := queue.Open(
		dir, []*template.Queue{Queue()}, h.Now,
		slog.New(slog.DiscardHandler),
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return &Runner{
		Broker: b, Invoker: p, Clock: h.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Policies: map[string]template.Async{"F": {Retries: 2}},
	}
}

// step advances the clock and handles the messages now visible.
func step(t *testing.T, r *Runner, h *hand, forward time.Duration) {
	t.Helper()
	h.mu.Lock()
	h.now = h.now.Add(forward)
	h.mu.Unlock()
	messages, err := r.Broker.Receive(t.Context(), name, 10, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		if err := r.run(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRunsSuccessOnce(t *testing.T) {
	p := &program{answers: []lambdahost.Result{{}}, errs: []error{nil}}
	h := &hand{now: time.Now()}
	r := open(t, t.TempDir(), p, h)
	if err := r.Later(lambdahost.Request{Function: "F", Tenant: "t", Payload: []byte(`{"a":"\u0000"}`)}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		step(t, r, h, time.Hour)
	}
	if want := []string{`F t {"a":"\u0000"}`}; !slices.Equal(p.calls, want) {
		t.Errorf("calls %q", p.calls)
	}
}

func TestRetriesFailureThenBuriesIt(t *testing.T) {
	p := &program{answers: []lambdahost.Result{{FunctionError: "Unhandled", Payload: []byte("why")}}, errs: []error{nil}}
	h := &hand{now: time.Now()}
	r := open(t, t.TempDir(), p, h)
	if err := r.Later(lambdahost.Request{Function: "F", Payload: []byte(`{"n":1}`)}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		forward time.Duration
		calls   int
	}{{0, 1}, {59 * time.Second, 1}, {time.Second, 2}, {119 * time.Second, 2}, {time.Second, 3}, {time.Hour, 3}} {
		step(t, r, h, want.forward)
		if p.count() != want.calls {
			t.Fatalf("step %d: %d calls, want %d", i, p.count(), want.calls)
		}
	}
	if left, err := r.Broker.Count(name); err != nil || left != (queue.Count{}) {
		t.Errorf("left %+v, %v", left, err)
	}
}

func TestRetriesAsOftenAsFunctionSays(t *testing.T) {
	for function, want := range map[string]int{"Never": 1, "Once": 2, "SaysNothing": 3} {
		p := &program{answers: []lambdahost.Result{{FunctionError: "Unhandled"}}, errs: []error{nil}}
		h := &hand{now: time.Now()}
		r := open(t, t.TempDir(), p, h)
		r.Policies = map[string]template.Async{"Never": {}, "Once": {Retries: 1}}
		if err := r.Later(lambdahost.Request{Function: function, Payload: []byte(`{}`)}); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			step(t, r, h, time.Hour)
		}
		if p.count() != want {
			t.Errorf("%s: %d calls, want %d", function, p.count(), want)
		}
	}
}

func TestThrottlingIsNoFailure(t *testing.T) {
	throttled := &lambdahost.Error{Status: 429}
	p := &program{answers: []lambdahost.Result{{}}, errs: []error{throttled, throttled, throttled, throttled, nil}}
	h := &hand{now: time.Now()}
	r := open(t, t.TempDir(), p, h)
	if err := r.Later(lambdahost.Request{Function: "F", Payload: []byte(`{}`)}); err != nil {
		t.Fatal(err)
	}
	for range 8 {
		step(t, r, h, 10*time.Second)
	}
	if p.count() != 5 {
		t.Errorf("%d calls, want 5", p.count())
	}
}

// TestGivesUpOldInvocations: a throttled invocation older than the function's MaximumEventAgeInSeconds is dropped
// without another attempt.
func TestGivesUpOldInvocations(t *testing.T) {
	p := &program{answers: []lambdahost.Result{{}}, errs: []error{&lambdahost.Error{Status: 429}}}
	h := &hand{now: time.Now()}
	r := open(t, t.TempDir(), p, h)
	r.Policies = map[string]template.Async{"F": {Retries: 2, MaxAge: time.Minute}}
	if err := r.Later(lambdahost.Request{Function: "F", Payload: []byte(`{"n":1}`)}); err != nil {
		t.Fatal(err)
	}
	for _, forward := range []time.Duration{0, 30 * time.Second, 31 * time.Second, time.Minute} {
		step(t, r, h, forward)
	}
	if p.count() != 2 {
		t.Errorf("%d calls, want 2", p.count())
	}
	if left, err := r.Broker.Count(name); err != nil || left != (queue.Count{}) {
		t.Errorf("left %+v, %v", left, err)
	}
}

func TestInvocationsSurviveKill(t *testing.T) {
	dir := t.TempDir()
	p := &program{answers: []lambdahost.Result{{}}, errs: []error{nil}}
	h := &hand{now: time.Now()}
	if err := open(t, dir, p, h).Later(lambdahost.Request{Function: "F", Payload: []byte(`{}`)}); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir, p, h) // without Close
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := r.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	for deadline := time.Now().Add(3 * time.Minute); p.count() == 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	stop()
	running.Wait()
	if p.count() != 1 {
		t.Errorf("%d calls", p.count())
	}
}
