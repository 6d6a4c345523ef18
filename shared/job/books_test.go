package job

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job/runlog"
	"minicloud/shared/page"
	"minicloud/shared/sandbox"
	"minicloud/shared/secret/sealed/sealedtest"
	"minicloud/shared/tenant"
)

var errDown = errors.New("no store")

// books is an in-memory store that records its calls and returns the errors in fails.

type books struct {
	*memory
	fails    map[string]error // by name of the call
	calls    []string
	descends int
	listings []Listing // results of List, in order
}

// withBooks returns a desk whose store is books.

func withBooks(t *testing.T) (*desk, *books) {
	d := newDesk(t)
	b := &books{memory: d.store, fails: map[string]error{}}
	d.Store, d.Links = b, &runlog.Keys{Store: b, Sealer: sealedtest.Sealer{}}
	return d, b
}

func (b *books) call(name string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls = append(b.calls, name)
	return b.fails[name]
}

// made returns the number of calls with this name.

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

func (b *books) End(ctx context.Context, scope tenant.Scope, r Record, from Place) (id.ID, error) {
	if err := b.call("End"); err != nil {
		return r.ID, err
	}
	return b.memory.End(ctx, scope, r, from)
}

func (b *books) Expire(ctx context.Context, scope tenant.Scope, r Record) (id.ID, error) {
	if err := b.call("Expire"); err != nil {
		return r.ID, err
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

func (b *books) LinkKey(_ context.Context, period int64) ([]byte, error) {
	_, sealed, _ := sealedtest.Sealer{}.NewKey(context.Background(), fmt.Sprintf("platform#log-link#%d", period))
	return sealed, b.call("LinkKey")
}

func (b *books) InsertLinkKey(context.Context, int64, []byte, time.Time) error {
	return b.call("InsertLinkKey")
}

// occupy fills all slots of the plan with jobs.
func (b *books) occupy(plan sandbox.Plan, lease time.Time) {
	for n := range Slots(plan) {
		b.slots[n] = Running{Scope: shop, Record: Record{
			ID: id.ID(n + 1), Function: 9, Plan: plan, Slot: n, Status: StatusExecuting, Lease: lease,
		}}
	}
}
