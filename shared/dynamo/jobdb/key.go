package jobdb

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/dynamo"
)

// keysPK is the partition of items that belong to no application.
const keysPK = "platform"

func linkKeySK(period int64) string { return fmt.Sprintf("link-key#%d", period) }

// LinkKey makes one GetItem.
func (s *Store) LinkKey(ctx context.Context, period int64) ([]byte, error) {
	it, err := s.get(ctx, keysPK, linkKeySK(period))
	return dynamo.BytesOf(it["sealed"]), err
}

// InsertLinkKey makes one PutItem. The item expires.
func (s *Store) InsertLinkKey(ctx context.Context, period int64, sealed []byte, until time.Time) error {
	it := dynamo.Key(keysPK, linkKeySK(period))
	it["sealed"], it["expires_at"] = dynamo.Binary(sealed), dynamo.Instant(until)
	return dynamo.Do(ctx, s.Client, "insert link key", nil, dynamo.Put(s.Table, it, dynamo.NotExists, nil))
}
