package job

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job/event"
	"minicloud/shared/oauth"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
)

// TestWorkerEndsOrResendsPendingJobs: a worker ends a job that can no longer run, ignores a job that another worker
// has, and resends a job that may run later.
func TestWorkerEndsOrResendsPendingJobs(t *testing.T) {
	for name, c := range map[string]struct {
		late  time.Duration
		fault func(*desk, *books)
		end   Status // "" = still pending
		why   string
		again bool // its message is sent again
		err   error
		ran   int
	}{
		"nothing":              {0, func(*desk, *books) {}, StatusFulfilled, "", false, nil, 1},
		"the last moment":      {GiveUp, func(*desk, *books) {}, StatusFulfilled, "", false, nil, 1},
		"it is too late":       {GiveUp + time.Millisecond, func(*desk, *books) {}, StatusScheduleFailed, "within 5 minutes", false, nil, 0},
		"no function":          {0, func(d *desk, _ *books) { d.missing = errs.NotFound("gone") }, StatusExecutionRejected, `"f" was deleted`, false, nil, 0},
		"no store":             {0, func(d *desk, _ *books) { d.missing = errDown }, "", "", false, errDown, 0},
		"it is not approved":   {0, func(d *desk, _ *books) { d.function.Audit = "pending" }, StatusExecutionRejected, "audit status", false, nil, 0},
		"no slot":              {0, func(_ *desk, b *books) { b.occupy(sandbox.PlanFree, time.Time{}) }, "", "", true, nil, 0},
		"slots of another":     {0, func(_ *desk, b *books) { b.occupy(sandbox.PlanPersonal, time.Time{}) }, StatusFulfilled, "", false, nil, 1},
		"another worker":       {0, func(_ *desk, b *books) { b.fails["Begin"] = errs.NotFound("not pending") }, "", "", false, nil, 0},
		"an answer is lost":    {0, func(_ *desk, b *books) { b.fails["Begin"] = errDown }, "", "", true, nil, 0},
		"and nothing put back": {0, func(_ *desk, b *books) { b.fails["Begin"], b.fails["PutBack"] = errDown, errDown }, "", "", false, errDown, 0},
		"no sandbox": {0, func(d *desk, _ *books) {
			d.give = func() (sandbox.Result, error) { return sandbox.Result{}, sandbox.ErrNotStarted }
		}, "", "", true, nil, 1},
		"no sandbox, and no store": {0, func(d *desk, b *books) {
			b.fails["PutBack"] = errDown
			d.give = func() (sandbox.Result, error) { return sandbox.Result{}, sandbox.ErrNotStarted }
		}, "", "", false, errDown, 1},
		"no sandbox in time": {GiveUp - time.Second, func(d *desk, _ *books) {
			d.give = func() (sandbox.Result, error) {
				d.now = d.now.Add(2 * time.Second)
				return sandbox.Result{}, sandbox.ErrNotStarted
			}
		}, StatusScheduleFailed, "", false, nil, 1},
		"no queue": {0, func(d *desk, b *books) { b.occupy(sandbox.PlanFree, time.Time{}); d.full = errDown }, "", "", false, errDown, 0},
		"no sandbox and no queue": {0, func(d *desk, _ *books) {
			d.full = errDown
			d.give = func() (sandbox.Result, error) { return sandbox.Result{}, sandbox.ErrNotStarted }
		}, "", "", false, errDown, 1},
		"no answer and no queue": {0, func(d *desk, b *books) { b.fails["Begin"], d.full = errDown, errDown }, "", "", false, errDown, 0},
		"no variables, no queue": {0, func(d *desk, _ *books) {
			d.full, d.function.VariablesVersion, d.Variables = errDown, 1, noVariables{errs.Unavailable(1, "no key")}
		}, "", "", false, errDown, 0},
		"no variables": {0, func(d *desk, _ *books) {
			d.function.VariablesVersion, d.Variables = 1, noVariables{errs.Unavailable(1, "no key")}
		}, "", "", true, nil, 0},
		"damaged variables": {0, func(d *desk, _ *books) {
			d.function.VariablesVersion, d.Variables = 1, noVariables{errs.TooLarge("variables are too large")}
		}, StatusExecutionFailed, "variables are too large", false, nil, 0},
	} {
		d, b := withBooks(t)
		r, m := d.start(0, Call{})
		d.take()
		m.Revision, d.now = 0, d.now.Add(c.late)
		c.fault(d, b)

		err := d.Work(t.Context(), m)
		got := d.take()
		if !errors.Is(err, c.err) || c.err == nil && err != nil || len(d.ran) != c.ran || (len(got) == 1) != c.again {
			t.Errorf("%s: %v, %d runs, sent %+v", name, err, len(d.ran), got)
		}
		ended := d.store.ended[r.ID]
		// A taken slot costs a random pause; times are stored in milliseconds.
		if ended.Status != c.end || c.why != "" && !strings.Contains(ended.Error.Message, c.why) || !ended.FinishedAt.IsZero() && !ended.FinishedAt.Equal(d.now.Truncate(time.Millisecond)) {
			t.Errorf("%s: %+v %+v", name, ended, ended.Error)
		}
		if c.again && (got[0].Job != r.ID || got[0].delay < time.Second || got[0].delay > 5*time.Second) {
			t.Errorf("%s: sent %+v", name, got)
		}
	}

	// A message whose job cannot be ended is delivered again; it is no error if another process ended the job.
	for fails, wrong := range map[error]bool{errDown: true, errs.NotFound("has ended"): false} {
		for _, fault := range []func(*desk){
			func(d *desk) { d.now = d.now.Add(GiveUp + time.Second) }, func(d *desk) { d.missing = errs.NotFound("gone") },
			func(d *desk) { d.function.Audit = "pending" },
			func(d *desk) { d.function.VariablesVersion, d.Variables = 1, noVariables{errs.TooLarge("too large")} },
		} {
			d, b := withBooks(t)
			_, m := d.start(0, Call{})
			b.fails["End"] = fails
			fault(d)
			if err := d.Work(t.Context(), m); (err != nil) != wrong || wrong && !errors.Is(err, errDown) {
				t.Errorf("%v: %v", fails, err)
			}
		}
	}

	d, b := withBooks(t)
	for _, m := range []Message{{Scope: "junk"}, {Scope: shop.String(), Function: 1, Job: 77}} {
		d.work(m)
	}
	b.fails["Active"] = errDown
	d.work(Message{Sweep: true}) // the next sweep comes sooner than a redelivery
	if b.made("Active") != 1 || len(d.take()) != 0 {
		t.Errorf("calls %v", b.calls)
	}
}

type noVariables struct{ err error }

func (v noVariables) Values(context.Context, tenant.Scope, cloudfunction.Function) (map[string]string, []string, error) {
	return nil, nil, v.err
}

// TestRecordsOutcomeOfRuns: the result and the metrics of the run, or the error.
func TestRecordsOutcomeOfRuns(t *testing.T) {
	for name, c := range map[string]struct {
		give   sandbox.Result
		failed error
		status Status
		why    string // type and message
	}{
		"a result": {sandbox.Result{
			Outcome: sandbox.OutcomeFulfilled, Data: json.RawMessage(`{"a":1}`), ExecutionMS: 12.5, MemUsage: 7, Log: "a line\n",
		}, nil, StatusFulfilled, ""},
		"an error": {sandbox.Result{
			Outcome: sandbox.OutcomeExecutionFailed, Error: &sandbox.Error{Type: "TypeError", Message: "x"}, ExecutionMS: 1,
		}, nil, StatusExecutionFailed, "TypeError x"},
		"a broken sandbox": {sandbox.Result{}, errDown, StatusExecutionFailed, "SandboxError the sandbox failed before the function ended"},
		"too large":        {sandbox.Result{}, errs.TooLarge("the result is too large"), StatusExecutionFailed, "SandboxError the result is too large"},
		"no answer in time": {
			sandbox.Result{}, context.DeadlineExceeded, StatusDeadlineExceeded, "TimeoutError function timed out after 5000 ms",
		},
	} {
		d, b := withBooks(t)
		d.give = func() (sandbox.Result, error) { d.now = d.now.Add(time.Second); return c.give, c.failed }
		ctx, hangUp := context.WithCancel(t.Context())
		hangUp()
		result, err := d.RunSync(ctx, shop, "f", Call{Source: SourceSDK})
		r, why := b.ended[result.Record.ID], ""
		if r.Error != nil {
			why = r.Error.Type + " " + r.Error.Message
		}
		text, _ := r.Log.Text()
		if err != nil || r.Status != c.status || why != c.why || text != c.give.Log || result.Log != c.give.Log ||
			string(result.Data) != string(c.give.Data) || string(r.Result) != string(c.give.Data) || r.MemUsage != c.give.MemUsage ||
			!r.FinishedAt.Equal(d.now) || r.Source != SourceSDK || r.Service != TimeSensitive || len(b.slots) != 0 {
			t.Errorf("%s: %+v, %q, %v", name, r, why, err)
		}
		if took := r.Execution; c.status != StatusDeadlineExceeded && took != c.give.ExecutionMS || c.status == StatusDeadlineExceeded && took != 5000 {
			t.Errorf("%s: it took %v ms", name, took)
		}
		if (result.Code() == 0) != (c.status == StatusFulfilled) {
			t.Errorf("%s: code %d", name, result.Code())
		}
	}
}

// TestRetriesEndWhileStoreIsBusy: the caller gets the result even if the end is never recorded.
func TestRetriesEndWhileStoreIsBusy(t *testing.T) {
	for name, c := range map[string]struct {
		fails     error
		recovers  int // after this many tries
		least     int // tries
		most      int
		endIsKept bool
	}{
		"at once":      {nil, 0, 1, 1, true},
		"a busy store": {errs.Unavailable(1, "busy"), 4, 5, 5, true},
		"a dead store": {errs.Unavailable(1, "busy"), 1000, 20, 150, false}, // about 50; the pauses are random
		"it is lost":   {errs.NotFound("has ended"), 1000, 1, 1, false},
	} {
		d, b := withBooks(t)
		b.fails["End"] = c.fails
		pause := d.Pause
		began := d.now
		d.Pause = func(ctx context.Context, wait time.Duration) error {
			if b.made("End") >= c.recovers {
				b.fails["End"] = nil
			}
			return pause(ctx, wait)
		}
		result, err := d.RunSync(t.Context(), shop, "f", Call{Callback: ""})
		if n := b.made("End"); err != nil || result.Record.Status != StatusFulfilled || n < c.least || n > c.most ||
			(len(b.ended) == 1) != c.endIsKept || d.now.Sub(began) > endPatience+time.Second {
			t.Errorf("%s: %v, %d tries in %v, ended %v", name, err, n, d.now.Sub(began), b.ended)
		}
	}
}

// TestSynchronousRunWaitsForSlotAndSandbox for two seconds each, then fails.
func TestSynchronousRunWaitsForSlotAndSandbox(t *testing.T) {
	d, b := withBooks(t)
	b.occupy(sandbox.PlanFree, time.Time{})
	began := d.now
	result, err := d.RunSync(t.Context(), shop, "f", Call{})
	if waited := d.now.Sub(began); err != nil || result.Record.Status != StatusScheduleFailed || result.Record.Error.Type != TypeSchedule ||
		waited < syncPatience || waited > syncPatience+time.Second || !strings.Contains(result.Record.Error.Message, "100 functions on plan") {
		t.Errorf("%+v, %v after %v", result.Record, err, waited)
	}

	// The slot of a dead worker is free.
	b.occupy(sandbox.PlanFree, d.now.Add(-time.Millisecond))
	if result, err = d.RunSync(t.Context(), shop, "f", Call{}); err != nil || result.Record.Status != StatusFulfilled {
		t.Errorf("a dead worker's slot: %+v, %v", result.Record, err)
	}

	d, b = withBooks(t)
	d.give = func() (sandbox.Result, error) { return sandbox.Result{}, sandbox.ErrNotStarted }
	began = d.now
	result, err = d.RunSync(t.Context(), shop, "f", Call{})
	if waited := d.now.Sub(began); !errors.Is(err, sandbox.ErrNotStarted) || waited < sandboxPatience || waited > sandboxPatience+time.Second || len(d.ran) < 4 {
		t.Errorf("no sandbox: %v after %v and %d tries", err, waited, len(d.ran))
	}
	if len(b.ended) != 1 || len(b.slots) != 0 {
		t.Errorf("%+v, ended %v, slots %v", result, b.ended, b.slots)
	}
	for _, r := range b.ended {
		if r.Status != StatusScheduleFailed {
			t.Errorf("it ended as %s", r.Status)
		}
	}

	d, _ = withBooks(t)
	tries := 0
	d.give = func() (sandbox.Result, error) {
		if tries++; tries < 3 {
			return sandbox.Result{}, sandbox.ErrNotStarted
		}
		return sandbox.Result{Outcome: sandbox.OutcomeFulfilled}, nil
	}
	if result, err = d.RunSync(t.Context(), shop, "f", Call{}); err != nil || result.Code() != 0 {
		t.Errorf("a sandbox at the third try: %+v, %v", result, err)
	}
}

// TestReusesSlotsOfTheProcess: a process reuses a slot it released, without a query for free slots.
func TestReusesSlotsOfTheProcess(t *testing.T) {
	d, b := withBooks(t)
	var slots []int
	for range 3 {
		result, err := d.RunSync(t.Context(), shop, "f", Call{})
		if err != nil {
			t.Fatal(err)
		}
		slots = append(slots, result.Record.Slot)
	}
	if looks := b.made("Slots"); looks != 1 || slots[0] != slots[1] || slots[1] != slots[2] {
		t.Errorf("slots %v after %d looks", slots, looks)
	}
	b.slots[slots[0]] = Running{Scope: shop, Record: Record{ID: 9, Plan: sandbox.PlanFree, Slot: slots[0], Status: StatusExecuting}}
	if result, err := d.RunSync(t.Context(), shop, "f", Call{}); err != nil || result.Record.Slot == slots[0] {
		t.Errorf("it took a slot that somebody has: %+v, %v", result.Record, err)
	}
}

// TestWorkersCacheFunctionsForASecond, unless a message needs a later revision.
func TestWorkersCacheFunctionsForASecond(t *testing.T) {
	d := newDesk(t)
	reads := 0
	d.Functions = countingFunctions{d, &reads}
	for i, step := range []struct {
		after    time.Duration
		revision int64
		reads    int
	}{
		{0, 1, 1}, {0, 1, 1}, {999 * time.Millisecond, 1, 1}, {time.Millisecond, 1, 2}, {0, 0, 3}, {0, 2, 4}, {0, 1, 4},
	} {
		d.now = d.now.Add(step.after)
		if _, err := d.Service.function(t.Context(), shop, 1, step.revision); err != nil || reads != step.reads {
			t.Errorf("step %d: %v, %d reads", i, err, reads)
		}
	}
	d.now, d.missing = d.now.Add(time.Minute), errDown
	for range 2 {
		if _, err := d.Service.function(t.Context(), shop, 1, 1); !errors.Is(err, errDown) {
			t.Errorf("%v", err)
		}
	}
}

type countingFunctions struct {
	*desk
	reads *int
}

func (c countingFunctions) ReadID(ctx context.Context, scope tenant.Scope, fn id.ID) (cloudfunction.Function, error) {
	*c.reads++
	return c.desk.ReadID(ctx, scope, fn)
}

type hosts struct {
	run oauth.Run
	err error
}

func (h *hosts) Access(_ context.Context, run oauth.Run) (token, depth string, err error) {
	h.run = run
	return "token", "depth", h.err
}

// TestRunTokensCarryDepthAndRoot: a run gets a host only if the platform's address is known; its token is one level
// deeper than the caller and has the same root.
func TestRunTokensCarryDepthAndRoot(t *testing.T) {
	for name, c := range map[string]struct {
		meta event.Meta
		want oauth.Run // zero = no host
	}{
		"no address":  {event.Meta{Depth: 1}, oauth.Run{}},
		"a first run": {event.Meta{BaseURL: "http://a"}, oauth.Run{Depth: 1}},
		"of another":  {event.Meta{BaseURL: "http://a", Depth: 2, Root: 5, Trace: trace.Link{ID: "t"}}, oauth.Run{Depth: 3, Root: 5}},
	} {
		d, h := newDesk(t), &hosts{}
		d.Hosts = h
		r := Record{ID: 4, Function: 1, Service: TimeSensitive}
		request, err := d.prepare(t.Context(), shop, d.function, r, event.Input{Meta: c.meta})
		if err != nil || (request.Host != nil) != (c.want.Depth > 0) {
			t.Errorf("%s: %+v, %v", name, request.Host, err)
		}
		if c.want.Depth == 0 {
			continue
		}
		if c.want.Root == 0 {
			c.want.Root = 4
		}
		c.want.Scope, c.want.JobID, c.want.Deadline = shop, "4", d.now.Add(syncPatience+racePatience+SyncTime)
		c.want.Trace = trace.Link{ID: c.meta.Trace.ID, Cause: "1/4"}
		if h.run != c.want {
			t.Errorf("%s: %+v, want %+v", name, h.run, c.want)
		}
		h.err = errDown
		if _, err := d.prepare(t.Context(), shop, d.function, r, event.Input{Meta: c.meta}); !errors.Is(err, errDown) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
