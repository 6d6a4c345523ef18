package claimdb

import (
	"context"
	"strconv"
	"time"

	"minicloud/shared/dynamo"
)

// Rates implements clientrate.Store, in the table of idempotency keys, which every program with endpoints may write:
//
//	pk = rate#<key>#<minute, Unix seconds>   sk = rate   calls, expires_at
type Rates struct {
	Client *dynamo.Client
	Table  string
}

// Reserve makes one write.
func (s *Rates) Reserve(ctx context.Context, key string, minute time.Time, calls int) (int, error) {
	pk := "rate#" + key + "#" + strconv.FormatInt(minute.Unix(), 10)
	it, err := dynamo.UpdateItem(ctx, s.Client, dynamo.Update(
		s.Table, pk, "rate", "SET expires_at = :expires ADD calls :calls", "",
		dynamo.Item{":calls": dynamo.Number(int64(calls)), ":expires": dynamo.Instant(minute.Add(5 * time.Minute))},
	))
	if err != nil {
		return 0, dynamo.Wrap("reserve calls", err)
	}
	return int(dynamo.IntegerOf(it["calls"])), nil
}
