package orderdb

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/order"
)

func dueSK(c order.Check) string {
	return fmt.Sprintf("%s#%s#%s", dynamo.DueSeconds(c.At), c.Scope, c.Order.Key())
}

// dueList is the list of the checks of pending orders.
func (s *Store) dueList() dynamo.DueList {
	return dynamo.DueList{Client: s.Client, Table: s.Table, Name: "due", Numbers: 1, Shards: &s.shards}
}

// putCheck returns the write of a new check and sets its shard.
func (s *Store) putCheck(ctx context.Context, c *order.Check) (part dynamo.Part, err error) {
	if c.Shard, err = s.dueList().Shard(ctx, dueSK(*c)); err != nil {
		return part, err
	}
	it := dynamo.Key(s.dueList().Partition(c.Shard), dueSK(*c))
	it["attempt"] = dynamo.Number(int64(c.Attempt))
	return dynamo.Put(s.Table, it, "", nil), nil
}

// Due makes one Query per shard.
func (s *Store) Due(ctx context.Context, now time.Time, limit int) ([]order.Check, error) {
	return dynamo.ReadDue(ctx, s.dueList(), dynamo.DueSeconds(now.Add(time.Second)), limit,
		func(key dynamo.DueKey, it dynamo.Item) (order.Check, error) {
			return order.Check{
				Scope: key.Scope, At: key.At, Order: id.ID(key.Numbers[0]), Attempt: int(dynamo.IntegerOf(it["attempt"])),
				Shard: key.Shard,
			}, nil
		})
}

// Take runs one transaction.
func (s *Store) Take(ctx context.Context, c order.Check, next *order.Check) error {
	parts := []dynamo.Part{
		dynamo.Delete(s.Table, s.dueList().Partition(c.Shard), dueSK(c), dynamo.Exists, nil),
	}
	if next != nil {
		planned, err := s.putCheck(ctx, next)
		if err != nil {
			return err
		}
		parts = append(parts, planned)
	}
	return dynamo.DoTransact(ctx, s.Client, "take check", errs.Conflict("the check of order %d was taken", c.Order), parts...)
}
