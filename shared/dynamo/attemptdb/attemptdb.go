// Package attemptdb counts attempts that are limited per period, such as wrong passwords.
package attemptdb

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/retry"
)

// Store counts attempts in a table of the program:
//
//	pk = <key>   sk = attempts   attempts: their number, expires_at: the end of the period
type Store struct {
	Client *dynamodb.Client
	Table  string
}

const attemptsSK = "attempts"

// Attempt counts an attempt under a key and returns 0. If the key already has most attempts, it returns the time to
// wait. The first attempt starts a period, after which the count is reset. It makes one conditional write, or two for
// the first attempt of a period.
func (s *Store) Attempt(
	ctx context.Context, key string, most int, period time.Duration, now time.Time,
) (time.Duration, error) {
	var wait time.Duration
	err := retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		var err error
		wait, err = s.attempt(ctx, key, most, period, now)
		return err
	})
	return wait, err
}

func (s *Store) attempt(
	ctx context.Context, key string, most int, period time.Duration, now time.Time,
) (time.Duration, error) {
	err := dynamo.Write(ctx, s.Client, dynamo.Update(
		s.Table, key, attemptsSK, "ADD attempts :one", "expires_at > :now AND attempts < :most",
		dynamo.Item{":one": dynamo.Number(1), ":now": dynamo.Instant(now), ":most": dynamo.Number(int64(most))}))
	if !dynamo.ConditionFailed(err) {
		return 0, dynamo.Wrap("count attempt", err)
	}

	until := time.Unix(dynamo.IntegerOf(dynamo.ItemAt(err, 0)["expires_at"]), 0)
	if until.Unix() > now.Unix() {
		return until.Sub(now), nil
	}

	// The period is over. One of the concurrent attempts starts a new period; the others retry and count in it.
	return 0, dynamo.Do(ctx, s.Client, "count attempt", errs.Conflict("another attempt came in between"), dynamo.Update(
		s.Table, key, attemptsSK, "SET attempts = :one, expires_at = :until",
		dynamo.NotExists+" OR expires_at <= :now", dynamo.Item{
			":one": dynamo.Number(1), ":now": dynamo.Instant(now), ":until": dynamo.Instant(now.Add(period)),
		}))
}

// Forget resets the count of a key. It makes one write.
func (s *Store) Forget(ctx context.Context, key string) error {
	return dynamo.Do(ctx, s.Client, "forget attempts", nil, dynamo.Delete(s.Table, key, attemptsSK, "", nil))
}

// TakeBack decrements the count of a key. It makes one conditional write.
func (s *Store) TakeBack(ctx context.Context, key string) error {
	return dynamo.Do(ctx, s.Client, "take back attempt", nil, dynamo.Update(s.Table, key, attemptsSK, "ADD attempts :less",
		"attempts > :none", dynamo.Item{":less": dynamo.Number(-1), ":none": dynamo.Number(0)}))
}
