package consoledb

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/console"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/retry"
)

const attemptsSK = "attempts"

// Attempt is one conditional write, two for the first of a time.
func (s *Store) Attempt(ctx context.Context, key string, most int, now time.Time) (time.Duration, error) {
	var wait time.Duration
	err := retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		var err error
		wait, err = s.attempt(ctx, key, most, now)
		return err
	})
	return wait, err
}

func (s *Store) attempt(ctx context.Context, key string, most int, now time.Time) (time.Duration, error) {
	add := dynamo.Update(s.Table, key, attemptsSK, "ADD attempts :one", "expires_at > :now AND attempts < :most",
		dynamo.Item{":one": dynamo.Number(1), ":now": dynamo.Instant(now), ":most": dynamo.Number(int64(most))})
	add.Update.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	_, err := dynamo.UpdateItem(ctx, s.Client, add)
	failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err)
	if !ok {
		return 0, dynamo.Wrap("count attempt", err)
	}

	until := time.Unix(dynamo.IntegerOf(failed.Item["expires_at"]), 0)
	if until.Unix() > now.Unix() {
		return until.Sub(now), nil
	}

	// A new time begins; of many who see that, one begins it and the others count in it.
	_, err = dynamo.UpdateItem(ctx, s.Client, dynamo.Update(s.Table, key, attemptsSK,
		"SET attempts = :one, expires_at = :until", dynamo.NotExists+" OR expires_at <= :now", dynamo.Item{
			":one": dynamo.Number(1), ":now": dynamo.Instant(now), ":until": dynamo.Instant(now.Add(console.LockOut)),
		}))
	if dynamo.ConditionFailed(err) {
		return 0, errs.Conflict("another attempt came in between")
	}
	return 0, dynamo.Wrap("count attempt", err)
}

// Forget is one write.
func (s *Store) Forget(ctx context.Context, key string) error {
	_, err := s.Client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &s.Table, Key: dynamo.Key(key, attemptsSK)})
	return dynamo.Wrap("forget attempts", err)
}

// TakeBack is one conditional write.
func (s *Store) TakeBack(ctx context.Context, key string) error {
	_, err := dynamo.UpdateItem(ctx, s.Client, dynamo.Update(s.Table, key, attemptsSK, "ADD attempts :less",
		"attempts > :none", dynamo.Item{":less": dynamo.Number(-1), ":none": dynamo.Number(0)}))
	if dynamo.ConditionFailed(err) {
		return nil
	}
	return dynamo.Wrap("take back attempt", err)
}
