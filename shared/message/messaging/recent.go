package messaging

import (
	"context"
	"time"

	"minicloud/shared/cache"
	"minicloud/shared/clock"
	"minicloud/shared/tenant"
)

// recent are settings of one kind that were read lately.
type recent[T any] struct {
	cache.Map[tenant.Scope, dated[T]]
}

// dated is a setting with the time at which its read began.
type dated[T any] struct {
	value T
	since time.Time
}

// read returns the setting as it was less than keepFor ago, if it was whole then: who mends one that lacks something
// sees it at once. Nobody may change what it returns.
func (r *recent[T]) read(
	ctx context.Context, store Store[T], scope tenant.Scope, keepFor time.Duration, now clock.Clock, whole func(T) bool,
) (T, error) {
	if keepFor == 0 {
		kept, err := read(ctx, store, scope)
		return kept.Value, err
	}

	begun := now.Now()
	known, ok := r.Get(scope)
	// A clock that was put back must not keep a setting for longer.
	if age := begun.Sub(known.since); ok && age >= 0 && age < keepFor {
		return known.value, nil
	}

	kept, err := read(ctx, store, scope)
	if err != nil || kept.UpdatedAt.IsZero() || !whole(kept.Value) {
		return kept.Value, err
	}
	r.Put(scope, dated[T]{kept.Value, begun})
	return kept.Value, nil
}
