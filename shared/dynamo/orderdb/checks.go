package orderdb

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/order"
)

func dueSK(c order.Check) string {
	return fmt.Sprintf("%s#%s#%s", dynamo.DueSeconds(c.At), c.Scope, c.Order.Key())
}

func (s *Store) putCheck(c order.Check) types.TransactWriteItem {
	it := dynamo.Key(duePK, dueSK(c))
	it["attempt"] = dynamo.Number(int64(c.Attempt))
	return dynamo.Put(s.Table, it, "", nil)
}

// Due makes one Query.
func (s *Store) Due(ctx context.Context, now time.Time, limit int) ([]order.Check, error) {
	return dynamo.ReadDue(ctx, s.Client, s.Table, duePK, dynamo.DueSeconds(now.Add(time.Second)), limit, 1,
		func(key dynamo.DueKey, it dynamo.Item) (order.Check, error) {
			return order.Check{
				Scope: key.Scope, At: key.At, Order: id.ID(key.Numbers[0]), Attempt: int(dynamo.IntegerOf(it["attempt"])),
			}, nil
		})
}

// Take runs one transaction.
func (s *Store) Take(ctx context.Context, c order.Check, next *order.Check) error {
	parts := []types.TransactWriteItem{dynamo.Delete(s.Table, duePK, dueSK(c), dynamo.Exists, nil)}
	if next != nil {
		parts = append(parts, s.putCheck(*next))
	}
	err := dynamo.Transact(ctx, s.Client, parts...)
	if dynamo.ConditionFailed(err) {
		return errs.Conflict("the check of order %d was taken", c.Order)
	}
	return dynamo.Wrap("take check", err)
}
