package action

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// shareFor is how old a read of a trigger may be when another run of its batch uses it. What an owner changes has
// always been too late for attempts that had just read it; it is so for no longer than this.
const shareFor = 100 * time.Millisecond

// Batch lets the messages that a queue has brought at once, and that are worked on at the same time, share what they
// read of their triggers: the actions of an event mostly come together.
func Batch(ctx context.Context) context.Context {
	return context.WithValue(ctx, batchKey{}, &batch{reads: map[readKey]*read{}})
}

type batchKey struct{}

// batch are the reads of a batch.
type batch struct {
	mu    sync.Mutex
	reads map[readKey]*read
}

type readKey struct {
	scope   tenant.Scope
	trigger trigger.ID
}

// read is one that was begun. What it brought is for reading only.
type read struct {
	begun   time.Time
	ended   chan struct{}
	trigger trigger.Trigger
	err     error
}

// errUnread says that a read did not end.
var errUnread = errors.New("the trigger was not read")

// stored returns the trigger of a run, also one that was deleted. It was read after the message of the run had come.
func (x *Executor) stored(ctx context.Context, r trigger.Run) (trigger.Trigger, error) {
	if own, ok := r.Requested(); ok {
		return own, nil
	}
	b, ok := ctx.Value(batchKey{}).(*batch)
	if !ok {
		return x.read(ctx, r)
	}

	now, key := x.Clock.Now(), readKey{r.Scope, r.Trigger}
	b.mu.Lock()
	shared, ok := b.reads[key]
	if ok && now.Sub(shared.begun) < shareFor {
		b.mu.Unlock()
		select {
		case <-shared.ended:
		case <-ctx.Done():
			return trigger.Trigger{}, ctx.Err()
		}
		if shared.err == nil {
			return shared.trigger, nil
		}
		return x.read(ctx, r) // what failed for one need not fail for all
	}
	mine := &read{begun: now, ended: make(chan struct{})}
	b.reads[key] = mine
	b.mu.Unlock()

	defer close(mine.ended)
	mine.err = errUnread // of one that panics
	mine.trigger, mine.err = x.read(ctx, r)
	return mine.trigger, mine.err
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
