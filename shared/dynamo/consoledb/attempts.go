package consoledb

import (
	"context"
	"time"

	"minicloud/shared/dynamo/attemptdb"
)

func (s *Store) attempts() *attemptdb.Store {
	return &attemptdb.Store{Client: s.Client, Table: s.Table}
}

// Attempt is attemptdb.Store.Attempt.
func (s *Store) Attempt(
	ctx context.Context, key string, most int, period time.Duration, now time.Time,
) (time.Duration, error) {
	return s.attempts().Attempt(ctx, key, most, period, now)
}

// Forget is attemptdb.Store.Forget.
func (s *Store) Forget(ctx context.Context, key string) error { return s.attempts().Forget(ctx, key) }

// TakeBack is attemptdb.Store.TakeBack.
func (s *Store) TakeBack(ctx context.Context, key string) error {
	return s.attempts().TakeBack(ctx, key)
}
