package orderdb

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"

	"minicloud/shared/dynamo"
	"minicloud/shared/order"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// maxThrough is how many orders one list looks through for those that pass a filter that is not counted.
const maxThrough = 20_000

// listThrough looks through the orders, newest first: one Query for each MB. A page that began at the top has a total,
// which is exact unless it was looked for among the newest 20,000 only: then Next leads on, however few were found.
func (s *Store) listThrough(
	ctx context.Context, scope tenant.Scope, f order.Filter, req page.Request,
) (got page.Page[order.Order], err error) {
	l := &orderList{store: s, scope: scope, filter: f, to: lastID}
	skip := req.Offset
	if req.After != "" {
		skip, got.Total = 0, -1
		if l.to, err = readCursor(req.After); err != nil {
			return got, err
		}
	}

	in := l.query(l.to)
	var found []order.Order
	for looked := 0; looked < maxThrough; {
		in.Limit = aws.Int32(int32(maxThrough - looked))
		out, err := s.Client.Query(ctx, in)
		if err != nil {
			return got, dynamo.Wrap("list orders", err)
		}
		looked += int(out.ScannedCount)
		if got.Total >= 0 {
			got.Total += len(out.Items)
		}
		past := min(skip, len(out.Items))
		skip -= past
		for _, it := range out.Items[past:] {
			if len(found) > req.Limit {
				break
			}
			o, err := decodeOrder(it)
			if err != nil {
				return got, err
			}
			found = append(found, o)
		}

		in.ExclusiveStartKey = out.LastEvaluatedKey
		if len(in.ExclusiveStartKey) == 0 || got.Total < 0 && len(found) > req.Limit {
			cut(&got, found, req.Limit)
			return got, nil
		}
	}

	last, err := readKey(in.ExclusiveStartKey)
	if err != nil {
		return got, err
	}
	if cut(&got, found, req.Limit); got.Next == "" {
		got.Next = page.Cursor(last.Key())
	}
	return got, nil
}
