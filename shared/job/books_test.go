package job

import (
	"context"
	"errors"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

var errDown = errors.New("no store")

// books is a store in memory that notes its calls, and fails those that it is told to.

type books struct {
	*memory
	fails    map[string]error // by call
	calls    []string
	descends int
	listings []Listing // what List returns, one after another
}

// withBooks has a desk's store note its calls.

func withBooks(t *testing.T) (*desk, *books) {
	d := newDesk(t)
	b := &books{memory: d.store, fails: map[string]error{}}
	d.Store = b
	return d, b
}

func (b *books) call(name string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls = append(b.calls, name)
	return b.fails[name]
}

// made is how often a call was made.

func (b *books) made(name string) (n int) {
	for _, call := range b.calls {
		if call == name {
			n++
		}
	}
	return n
}

func (b *books) Accept(ctx context.Context, scope tenant.Scope, w PendingJob, delayed bool) error {
	if err := b.call("Accept"); err != nil {
		return err
	}
	return b.memory.Accept(ctx, scope, w, delayed)
}

func (b *books) Descend(context.Context, tenant.Scope, id.ID, int, time.Time) error {
	b.descends++
	return b.call("Descend")
}

func (b *books) ReadPending(ctx context.Context, scope tenant.Scope, fn, job id.ID) (PendingJob, error) {
	if err := b.call("ReadPending"); err != nil {
		return PendingJob{}, err
	}
	return b.memory.ReadPending(ctx, scope, fn, job)
}

func (b *books) Begin(ctx context.Context, r Running, from Place) error {
	if err := b.call("Begin"); err != nil {
		return err
	}
	return b.memory.Begin(ctx, r, from)
}

func (b *books) PutBack(ctx context.Context, r Running, w PendingJob) error {
	if err := b.call("PutBack"); err != nil {
		return err
	}
	return b.memory.PutBack(ctx, r, w)
}

func (b *books) End(ctx context.Context, scope tenant.Scope, r Record, from Place) error {
	if err := b.call("End"); err != nil {
		return err
	}
	return b.memory.End(ctx, scope, r, from)
}

func (b *books) Expire(ctx context.Context, scope tenant.Scope, r Record) error {
	if err := b.call("Expire"); err != nil {
		return err
	}
	return b.memory.Expire(ctx, scope, r)
}

func (b *books) Announce(ctx context.Context, a Active) error {
	if err := b.call("Announce"); err != nil {
		return err
	}
	return b.memory.Announce(ctx, a)
}

func (b *books) Active(ctx context.Context) ([]Active, error) {
	if err := b.call("Active"); err != nil {
		return nil, err
	}
	return b.memory.Active(ctx)
}

func (b *books) Forget(_ context.Context, a Active) error {
	if err := b.call("Forget"); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.active, activity{a.Scope, a.Function})
	return nil
}

func (b *books) Slots(ctx context.Context, app tenant.AppID) ([]Running, error) {
	if err := b.call("Slots"); err != nil {
		return nil, err
	}
	return b.memory.Slots(ctx, app)
}

func (b *books) Pending(ctx context.Context, scope tenant.Scope, fn id.ID, before time.Time) ([]PendingJob, error) {
	if err := b.call("Pending"); err != nil {
		return nil, err
	}
	return b.memory.Pending(ctx, scope, fn, before)
}

func (b *books) Due(ctx context.Context, t time.Time, limit int) ([]Due, error) {
	if err := b.call("Due"); err != nil {
		return nil, err
	}
	return b.memory.Due(ctx, t, limit)
}

func (b *books) Drop(ctx context.Context, d Due) error {
	if err := b.call("Drop"); err != nil {
		return err
	}
	return b.memory.Drop(ctx, d)
}

func (b *books) Read(_ context.Context, _ tenant.Scope, _, job id.ID, _ time.Time) (Record, error) {
	if err := b.call("Read"); err != nil {
		return Record{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if r, ok := b.ended[job]; ok {
		return r, nil
	}
	for _, r := range b.slots {
		if r.ID == job {
			return r.Record, nil
		}
	}
	if w, ok := b.pending[job]; ok {
		return w.Record, nil
	}
	return Record{}, errs.NotFound("no job")
}

func (b *books) List(
	context.Context, tenant.Scope, id.ID, Filter, time.Time, page.Request,
) (Listing, error) {
	if err := b.call("List"); err != nil {
		return Listing{}, err
	}
	next := b.listings[0]
	b.listings = b.listings[min(1, len(b.listings)-1):]
	return next, nil
}

func (b *books) Key(context.Context) ([]byte, error) { return []byte("key"), b.call("Key") }

// occupy puts jobs of the plan into all of its slots.

func (b *books) occupy(plan sandbox.Plan, lease time.Time) {
	for n := range Slots(plan) {
		b.slots[n] = Running{Scope: shop, Record: Record{
			ID: id.ID(n + 1), Function: 9, Plan: plan, Slot: n, Status: StatusExecuting, Lease: lease,
		}}
	}
}

// TestWhatTheStoreCannotDoIsSaid: every call that fails fails what needs it.

// TestWhatIsNotAccepted: data that is too large or too deep, a time that is too far, and asynchronous runs where there

// is no queue.

// TestADelayedRunIsSent at once where the queue can hold it back until the next tick, else by a tick. A job that could

// not be sent is accepted all the same.

// TestWhatMayNotRun is recorded as rejected, before it has a slot, whether somebody waits for it or not.

// TestWhatAWorkerMeets: a job that waited is ended where it cannot run any more, left alone where somebody else has it,

// and sent again where it may run later.

// noVariables fails to open them.

// TestWhatARunLeaves: its result and what it took, or why there is none.

// TestAnEndIsWrittenAgain while the store is busy, and the result is the caller's in any case.

// TestASynchronousRunWaits for a slot and for a sandbox, two seconds each; then it is told that there is none.

// TestASlotIsTakenAgain by the process that left it, without a look.

// TestAFunctionIsReadOnceASecond by workers, in the revision that its message knows of.

// hosts is a Hosts that keeps the run it was asked for.

// TestARunReachesThePlatform only where its address is known, one deeper than what started it and under the same root.

// TestEventsOfEnvironments name it, but for production; what the data does not say is an empty object.

// TestASweepForgetsWhatIsIdle: a function that has nothing pending and nothing in a slot, once its announcement is
// over.

// TestASweepSendsAgain what is pending for half a minute, then every minute, unless there is no slot for it anyway.

// TestWhatIsOverdueEnds as of when its time was over, and its callback is asked for; that others were faster is fine.

// TestAJobIsReadUntilItEnds, and is ended first where its time is over.

// TestACallbackIsAskedFor when its job has ended, by its worker and, where that message is lost, by a tick; who works
// on it reads the job first.

// TestOnlyWhatWaitsIsCancelled.

// TestAListEndsWhatIsOverdue first, and is read again, three times at most. Far pages are reached by cursors only.

// TestASignedLog is opened for a day by whoever has the reference as it is, and for thirty days at all.

// TestWhatBecomesOfACallback by the answer of its receiver, and when it is tried again.

// TestACallbackThatCannotBeTold leaves its message, unless there is nothing to tell.

// TestWhatACallbackSays about its job, signed where there is a key.
