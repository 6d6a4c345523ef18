package job

import (
	"context"
	"sync"
	"testing"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/id"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// desk is a service on an in-memory store, with a manual clock; it records messages and runs.
type desk struct {
	*testing.T
	*Service
	store    *memory
	function cloudfunction.Function
	missing  error // error of reading the function
	now      time.Time

	mu   sync.Mutex
	sent []sent
	full error          // error of sending
	ran  []sandbox.Plan // one per run
	give func() (sandbox.Result, error)
}

// sent is a message with its delay.
type sent struct {
	Message
	delay time.Duration
}

func newDesk(t *testing.T) *desk {
	d := &desk{T: t, store: newMemory(), now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	d.function = cloudfunction.Function{
		ID: 1, Name: "f", Audit: cloudfunction.AuditApproved, Plan: sandbox.PlanFree, Revision: 1,
	}
	d.give = func() (sandbox.Result, error) { return sandbox.Result{Outcome: sandbox.OutcomeFulfilled}, nil }
	d.Service = &Service{
		Functions: d, Store: d.store, Runner: d, Queue: d, IDs: new(id.Source), Clock: clock.Clock(func() time.Time { return d.now }),
		Pause: func(_ context.Context, wait time.Duration) error { d.now = d.now.Add(wait); return nil },
	}
	return d
}

func (d *desk) Read(context.Context, tenant.Scope, string) (cloudfunction.Function, error) {
	return d.function, d.missing
}

func (d *desk) ReadID(context.Context, tenant.Scope, id.ID) (cloudfunction.Function, error) {
	return d.function, d.missing
}

func (d *desk) Send(_ context.Context, delay time.Duration, all ...Message) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full != nil {
		return d.full
	}
	for _, m := range all {
		d.sent = append(d.sent, sent{m, delay})
	}
	return nil
}

func (d *desk) Run(_ context.Context, _ tenant.Scope, p sandbox.Plan, _ sandbox.Request) (sandbox.Result, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ran = append(d.ran, p)
	return d.give()
}

// take returns the messages sent since the last call.
func (d *desk) take() (all []sent) {
	d.mu.Lock()
	defer d.mu.Unlock()
	all, d.sent = d.sent, nil
	return all
}

// start starts a run after a delay, and returns it with its message.
func (d *desk) start(delay time.Duration, call Call) (Record, Message) {
	d.Helper()
	r, err := d.Start(d.Context(), shop, "f", call, d.now.Add(delay))
	if err != nil {
		d.Fatal(err)
	}
	return r, Message{Scope: shop.String(), Function: 1, Job: r.ID, Revision: 1}
}

func (d *desk) work(m Message) {
	d.Helper()
	if err := d.Work(d.Context(), m); err != nil {
		d.Error(err)
	}
}

// TestDelayedJobWaitsForItsTime: an early message does not start the job and is sent again with a delay that the queue
// allows; at the job's time it starts the job.
func TestDelayedJobWaitsForItsTime(t *testing.T) {
	for _, c := range []struct{ early, again time.Duration }{
		{time.Millisecond, time.Millisecond}, {time.Minute, time.Minute}, {time.Hour, maxQueueDelay},
	} {
		d := newDesk(t)
		r, m := d.start(2*time.Hour, Call{})
		d.take()

		d.now = d.now.Add(2*time.Hour - c.early)
		d.work(m)
		if got := d.take(); len(d.ran) != 0 || len(got) != 1 || got[0].Message != m || got[0].delay != c.again {
			t.Errorf("%v early: %d runs, sent %+v", c.early, len(d.ran), got)
		}

		d.now = d.now.Add(c.early)
		d.work(m)
		if len(d.ran) != 1 || d.store.ended[r.ID].Status != StatusFulfilled || len(d.take()) != 0 {
			t.Errorf("%v later: %d runs, %+v", c.early, len(d.ran), d.store.ended[r.ID])
		}
	}
}

// TestDelayedJobRunsOnTheCurrentPlan of its function, and records that plan.
func TestDelayedJobRunsOnTheCurrentPlan(t *testing.T) {
	d := newDesk(t)
	r, m := d.start(time.Minute, Call{})
	d.now, d.function.Plan = d.now.Add(time.Minute), sandbox.PlanPersonal
	d.work(m)
	if len(d.ran) != 1 || d.ran[0] != sandbox.PlanPersonal || d.store.ended[r.ID].Plan != sandbox.PlanPersonal {
		t.Errorf("it ran on %v and is recorded with %s", d.ran, d.store.ended[r.ID].Plan)
	}
}
