package action

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// shareFor is how old a read of a trigger or of a table's schema may be when another run of its batch uses it. What an
// owner changes has always been too late for attempts that had just read it; it is so for no longer than this.
const shareFor = 100 * time.Millisecond

// Batch lets the messages that a queue has brought at once, and that are worked on at the same time, share what they
// read of their triggers and of the tables that they change: the actions of an event mostly come together, and so do
// the events of a trigger.
func Batch(ctx context.Context) context.Context { return context.WithValue(ctx, batchKey{}, &batch{}) }

type batchKey struct{}

// batch are the reads of a batch.
type batch struct {
	triggers reads[trigger.ID, trigger.Trigger]
	tables   reads[table.ID, table.Table]
}

// reads are those of one kind.
type reads[K comparable, V any] struct {
	mu  sync.Mutex
	all map[readKey[K]]*read[V]
}

type readKey[K comparable] struct {
	scope tenant.Scope
	id    K
}

// read is one that was begun. What it brought is for reading only.
type read[V any] struct {
	begun time.Time
	ended chan struct{}
	value V
	err   error
}

// errUnread says that a read did not end.
var errUnread = errors.New("what the batch shares was not read")

// get returns what fresh reads, or what it has read a moment ago. It was read after the messages had come.
func (s *reads[K, V]) get(
	ctx context.Context, scope tenant.Scope, id K, now time.Time, fresh func() (V, error),
) (V, error) {
	key := readKey[K]{scope, id}
	s.mu.Lock()
	shared, ok := s.all[key]
	if ok && now.Sub(shared.begun) < shareFor {
		s.mu.Unlock()
		select {
		case <-shared.ended:
		case <-ctx.Done():
			return *new(V), ctx.Err()
		}
		if shared.err == nil {
			return shared.value, nil
		}
		return fresh() // what failed for one need not fail for all
	}
	mine := &read[V]{begun: now, ended: make(chan struct{})}
	if s.all == nil {
		s.all = map[readKey[K]]*read[V]{}
	}
	s.all[key] = mine
	s.mu.Unlock()

	defer close(mine.ended)
	mine.err = errUnread // of one that panics
	mine.value, mine.err = fresh()
	return mine.value, mine.err
}

// stored returns the trigger of a run, also one that was deleted.
func (x *Executor) stored(ctx context.Context, r trigger.Run) (trigger.Trigger, error) {
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

func (x *Executor) read(ctx context.Context, r trigger.Run) (trigger.Trigger, error) {
	t, err := x.Triggers.Trigger(ctx, r.Scope, r.Trigger)
	if errs.Is(err, errs.KindNotFound) {
		t, err = x.Triggers.Deleted(ctx, r.Scope, r.Trigger)
	}
	if err != nil {
		return t, fmt.Errorf("trigger of run %s: %w", r.ID, err)
	}
	return t, nil
}
