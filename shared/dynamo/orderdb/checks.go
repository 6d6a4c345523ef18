package orderdb

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/order"
	"minicloud/shared/tenant"
)

func dueSK(c order.Check) string {
	return fmt.Sprintf("%010d#%s#%s", c.At.Unix(), c.Scope, c.Order.Key())
}

func (s *Store) putCheck(c order.Check) types.TransactWriteItem {
	it := dynamo.Key(duePK, dueSK(c))
	it["attempt"] = dynamo.Number(int64(c.Attempt))
	return dynamo.Put(s.Table, it, "", nil)
}

// Due is one Query: nothing but that where nothing is due.
func (s *Store) Due(ctx context.Context, now time.Time, limit int) ([]order.Check, error) {
	in := dynamo.Query(s.Table, duePK, "", fmt.Sprintf("%010d", now.Unix()+1), false, limit)
	out, err := s.Client.Query(ctx, in)
	if err != nil {
		return nil, dynamo.Wrap("list due checks", err)
	}

	checks := make([]order.Check, 0, len(out.Items))
	for _, it := range out.Items {
		c, err := readCheck(dynamo.TextOf(it["sk"]))
		if err != nil {
			return nil, err
		}
		c.Attempt = int(dynamo.IntegerOf(it["attempt"]))
		checks = append(checks, c)
	}
	return checks, nil
}

func readCheck(sk string) (c order.Check, err error) {
	parts := strings.SplitN(sk, "#", 3)
	if len(parts) != 3 {
		return c, fmt.Errorf("%q is no check", sk)
	}
	at, failed := strconv.ParseInt(parts[0], 10, 64)
	n, wrong := strconv.ParseInt(parts[2], 10, 64)
	if c.Scope, err = tenant.Parse(parts[1]); err != nil || failed != nil || wrong != nil {
		return c, fmt.Errorf("%q is no check", sk)
	}
	c.At, c.Order = time.Unix(at, 0).UTC(), id.ID(n)
	return c, nil
}

// Take is one transaction.
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
