package action

import (
	"context"
	"errors"
	"fmt"
	"time"

	"minicloud/shared/cache"
	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// shareFor is the largest age of a shared read of a trigger or a table. A change of the owner is always too late for
// attempts that have just read the trigger; sharing delays it by no more than this.
const shareFor = 100 * time.Millisecond

// Batch returns a context in which the messages of one batch, handled concurrently, share their reads of triggers and
// tables: the actions of an event mostly arrive together, and so do the events of a trigger.
func Batch(ctx context.Context) context.Context { return context.WithValue(ctx, batchKey{}, &batch{}) }

type batchKey struct{}

// batch has the shared reads of a batch.
type batch struct {
	triggers reads[trigger.ID, trigger.Trigger]
	tables   reads[table.ID, table.Table]
}

// reads has the shared reads of one kind.
type reads[K comparable, V any] struct {
	all cache.Map[readKey[K], *read[V]]
}

type readKey[K comparable] struct {
	scope tenant.Scope
	id    K
}

// read is a read in progress or done. Its value must not be changed.
type read[V any] struct {
	begun time.Time
	ended chan struct{}
	value V
	err   error
}

// errUnread is the error of a read that panicked.
var errUnread = errors.New("the read of the batch did not end")

// get returns the value of a recent read of the batch, or calls fresh. Runs wait on a channel: the simulation's clock
// would stop while they wait for a mutex, as in sync.OnceValues.
func (s *reads[K, V]) get(
	ctx context.Context, scope tenant.Scope, id K, now time.Time, fresh func() (V, error),
) (V, error) {
	mine := &read[V]{begun: now, ended: make(chan struct{}), err: errUnread}
	shared := mine
	s.all.Update(readKey[K]{scope, id}, func(known *read[V]) *read[V] {
		if known != nil && now.Sub(known.begun) < shareFor {
			shared = known
		}
		return shared
	})
	if shared == mine {
		defer close(mine.ended)
		mine.value, mine.err = fresh()
		return mine.value, mine.err
	}

	select {
	case <-shared.ended:
	case <-ctx.Done():
		return *new(V), ctx.Err()
	}
	if shared.err != nil {
		return fresh() // the shared read may have failed for a reason of its own run, such as its deadline
	}
	return shared.value, nil
}

// stored returns the trigger of a run, also if it was deleted.
func (x *Executor) stored(ctx context.Context, r run.Run) (trigger.Trigger, error) {
	if own, ok := r.Requested(); ok {
		return own, nil
	}
	fresh := func() (trigger.Trigger, error) { return x.read(ctx, r) }
	if b, ok := ctx.Value(batchKey{}).(*batch); ok {
		return b.triggers.get(ctx, r.Scope, r.Trigger, x.Clock.Now(), fresh)
	}
	return fresh()
}

// schema returns the table that a run changes.
func (d *TableOperations) schema(ctx context.Context, scope tenant.Scope, t table.ID) (table.Table, error) {
	fresh := func() (table.Table, error) { return d.Tables.Table(ctx, scope, t) }
	if b, ok := ctx.Value(batchKey{}).(*batch); ok {
		return b.tables.get(ctx, scope, t, d.Clock.Now(), fresh)
	}
	return fresh()
}

func (x *Executor) read(ctx context.Context, r run.Run) (trigger.Trigger, error) {
	t, err := x.Triggers.Trigger(ctx, r.Scope, r.Trigger)
	if errs.Is(err, errs.KindNotFound) {
		t, err = x.Triggers.Deleted(ctx, r.Scope, r.Trigger)
	}
	if err != nil {
		return t, fmt.Errorf("trigger of run %s: %w", r.ID, err)
	}
	return t, nil
}
