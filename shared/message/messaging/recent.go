package messaging

import (
	"context"
	"time"

	"minicloud/shared/cache"
	"minicloud/shared/clock"
	"minicloud/shared/tenant"
)

// recent caches settings of one kind.
type recent[T any] struct {
	cache.Map[tenant.Scope, dated[T]]
}

// dated is a setting and the time at which its read began.
type dated[T any] struct {
	value T
	since time.Time
}

// read returns the cached setting if it is younger than keepFor, and reads the store otherwise. It caches only a
// complete setting, so that a correction of an incomplete one has effect at once. Callers must not change the result.
func (r *recent[T]) read(
	ctx context.Context, store Store[T], scope tenant.Scope, keepFor time.Duration, now clock.Clock, whole func(T) bool,
) (T, error) {
	if keepFor == 0 {
		kept, err := read(ctx, store, scope)
		return kept.Value, err
	}

	begun := now.Now()
	known, ok := r.Get(scope)
	// A clock that was set back must not extend the life of a cached setting.
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
