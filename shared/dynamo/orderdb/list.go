package orderdb

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/order"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

const (
	lastID id.ID = 1<<53 - 1
	// exactTotal is below what a total is counted and not read from counters (D6).
	exactTotal = 256
	// exactAmong is how many orders are looked through to count those that pass a filter, or to find those of a page.
	exactAmong = 1000
	// exactOffset is how far an offset leads by keys and not by counters (D6).
	exactOffset = 1000
	// maxLook is how many orders one Query looks at.
	maxLook = 1000
	// lookPerOrder is how many orders are looked at for one that is rare, sooner than asking once more.
	lookPerOrder = 10
)

// List goes by a number or by what was bought, where the filter names one. Else it is one Query for a page, more where
// few orders pass the filter; where there are more than the page, one for the total, and the counters from 256 on.
func (s *Store) List(
	ctx context.Context, scope tenant.Scope, f order.Filter, req page.Request,
) (page.Page[order.Order], error) {
	switch {
	case f.TradeNo != "" || f.TransactionNo != "" || f.ID != 0:
		return s.listNumbered(ctx, scope, f, req)
	case f.MerchandiseRecord != "":
		return s.listMerchandise(ctx, scope, f, req)
	case f.Uncounted():
		return s.listThrough(ctx, scope, f, req)
	}
	l := &orderList{store: s, scope: scope, filter: f, to: lastID, tree: count.Tree{
		Reader: orderCounts{s.Counts}, Collection: Collection(scope), Kinds: selects(f), Deep: true,
	}}
	return l.list(ctx, req)
}

// Paid returns the orders that were made since a time and are paid, newest first: one Query for each MB of all orders
// of that time.
func (s *Store) Paid(ctx context.Context, scope tenant.Scope, since time.Time) iter.Seq2[order.Order, error] {
	return func(yield func(order.Order, error) bool) {
		l := &orderList{store: s, scope: scope, filter: order.Filter{Status: order.Success}}
		in := l.query(lastID)
		in.ExpressionAttributeValues[":from"] = dynamo.Text(orderSK(id.First(since)))
		for it, err := range dynamo.Items(ctx, s.Client, in) {
			var o order.Order
			if err == nil {
				o, err = decodeOrder(it)
			}
			if !yield(o, err) || err != nil {
				return
			}
		}
	}
}

// listNumbered lists the one order that has a number, if it does pass.
func (s *Store) listNumbered(
	ctx context.Context, scope tenant.Scope, f order.Filter, req page.Request,
) (got page.Page[order.Order], err error) {
	found, err := s.Find(ctx, scope, order.Numbers{
		ID: f.ID, TradeNo: f.TradeNo, TransactionNo: f.TransactionNo,
	})
	if err != nil {
		return got, err
	}
	got.Objects = slices.DeleteFunc(found, func(o order.Order) bool { return !f.Matches(o) })
	got.Total = len(got.Objects)
	if req.Offset > 0 || req.After != "" {
		got.Objects = nil
	}
	return got, nil
}

// listMerchandise lists the orders of one row. It knows them by their ids, and reads those of the page; with another
// filter beside it, all.
func (s *Store) listMerchandise(
	ctx context.Context, scope tenant.Scope, f order.Filter, req page.Request,
) (got page.Page[order.Order], err error) {
	var ids []id.ID
	in := dynamo.Query(s.Table, merchandisePK(scope, f.MerchandiseRecord), "", "", true, 0)
	for it, err := range dynamo.Items(ctx, s.Client, in) {
		if err != nil {
			return got, err
		}
		n, _ := strconv.ParseInt(dynamo.TextOf(it["sk"]), 10, 64)
		ids = append(ids, id.ID(n))
	}

	if selective(f) || f.Uncounted() {
		all, err := s.readAll(ctx, scope, ids)
		if err != nil {
			return got, err
		}
		ids = ids[:0]
		for _, o := range all {
			if f.Matches(o) {
				ids = append(ids, o.ID)
			}
		}
	}
	got.Total = len(ids)

	start := min(req.Offset, len(ids))
	if req.After != "" {
		last, err := readCursor(req.After)
		if err != nil {
			return got, err
		}
		if start = slices.IndexFunc(ids, func(n id.ID) bool { return n < last }); start < 0 {
			start = len(ids)
		}
	}
	shown := ids[start:min(start+req.Limit+1, len(ids))]
	orders, err := s.readAll(ctx, scope, shown)
	if err != nil {
		return got, err
	}
	cut(&got, orders, req.Limit)
	return got, nil
}

// readAll returns orders in the order of their ids, newest first.
func (s *Store) readAll(ctx context.Context, scope tenant.Scope, ids []id.ID) ([]order.Order, error) {
	var all []order.Order
	for some := range slices.Chunk(ids, dynamo.MaxBatchGet) {
		set := map[id.ID]bool{}
		for _, n := range some {
			set[n] = true
		}
		orders, err := s.read(ctx, scope, set)
		if err != nil {
			return nil, err
		}
		all = append(all, orders...)
	}
	slices.SortFunc(all, func(a, b order.Order) int { return int(b.ID - a.ID) })
	return all, nil
}

func readCursor(c page.Cursor) (id.ID, error) {
	n, err := strconv.ParseInt(string(c), 10, 64)
	if err != nil {
		return 0, errs.Invalid("cursor is not one this list gave")
	}
	return id.ID(n), nil
}

// cut makes a page of the orders: up to limit of them, and a Next if there are more.
func cut(got *page.Page[order.Order], orders []order.Order, limit int) {
	if n := min(page.Fit(orders, wire), limit); n < len(orders) {
		orders = orders[:n]
		got.Next = page.Cursor(orders[n-1].ID.Key())
	}
	got.Objects = orders
}

// wireRest is what the answer has of an order beside its texts and objects: names, numbers, times.
const wireRest = 700

// wire is at most how long an order is in an answer.
func wire(o order.Order) int {
	return wireRest + page.Wire(o.TradeNo) + page.Wire(o.TransactionNo) + page.Wire(o.MerchandiseRecord) +
		page.Wire(o.Description) + page.Wire(o.IP) + page.Wire(o.Snapshot) + page.Wire(o.Extra)
}

// orderList is one listing, of the orders below to.
type orderList struct {
	store  *Store
	scope  tenant.Scope
	filter order.Filter
	to     id.ID
	tree   count.Tree // of those that pass the filter
}

func (l *orderList) list(ctx context.Context, req page.Request) (got page.Page[order.Order], err error) {
	if req.After != "" {
		if l.to, err = readCursor(req.After); err != nil {
			return got, err
		}
	} else if err = l.skip(ctx, req.Offset); err != nil {
		return got, err
	}

	items, err := l.read(ctx, l.to, req.Limit+1, "")
	if err != nil {
		return got, err
	}
	orders := make([]order.Order, len(items))
	for i, it := range items {
		if orders[i], err = decodeOrder(it); err != nil {
			return got, fmt.Errorf("decode order: %w", err)
		}
	}
	cut(&got, orders, req.Limit)

	if req.After == "" && req.Offset == 0 && got.Next == "" {
		got.Total = len(orders)
		return got, nil
	}
	got.Total, err = l.total(ctx)
	return got, err
}

// skip moves the upper end of the list below as many orders: by counters, and the last of them, or up to 1,000, by
// keys.
func (l *orderList) skip(ctx context.Context, offset int) error {
	if offset > exactOffset {
		total, err := l.tree.Total(ctx)
		if err != nil {
			return err
		}
		leaf, ok, err := l.tree.Nth(ctx, max(total-offset-1, 0))
		switch {
		case err != nil:
			return err
		case total <= offset || !ok:
			l.to = 0
			return nil
		}
		l.to, offset = leaf.To, offset-(total-leaf.Before-leaf.Records)
	}

	if offset <= 0 {
		return nil
	}
	keys, err := l.read(ctx, l.to, offset, "id")
	if err != nil {
		return err
	}
	if l.to = 0; len(keys) == offset {
		l.to = id.ID(dynamo.IntegerOf(keys[offset-1]["id"]))
	}
	return nil
}

// read returns the next n orders below to that pass the filter. Where few do, each Query looks at more than the one
// before. Of attributes only those named are read.
func (l *orderList) read(ctx context.Context, to id.ID, n int, attributes string) ([]dynamo.Item, error) {
	if to <= 0 {
		return nil, nil
	}

	in := l.query(to)
	if attributes != "" {
		in.ProjectionExpression = &attributes
	}
	var found []dynamo.Item
	looked := 0
	for look := n; ; look = min(2*look, maxLook) {
		in.Limit = aws.Int32(int32(look))
		out, err := l.store.Client.Query(ctx, in)
		if err != nil {
			return nil, dynamo.Wrap("list orders", err)
		}
		found, looked = append(found, out.Items...), looked+int(out.ScannedCount)
		if in.ExclusiveStartKey = out.LastEvaluatedKey; len(found) >= n || len(in.ExclusiveStartKey) == 0 {
			return found[:min(n, len(found))], nil
		}
		if looked >= exactAmong && selective(l.filter) {
			last, err := readKey(in.ExclusiveStartKey)
			if err != nil {
				return nil, err
			}
			return l.readRare(ctx, last, found, n, attributes)
		}
	}
}

// readRare goes on below to until n are found, where few orders pass the filter: the counters lead to the times that
// have some. They are up to 2 s behind.
func (l *orderList) readRare(
	ctx context.Context, to id.ID, found []dynamo.Item, n int, attributes string,
) ([]dynamo.Item, error) {
	for len(found) < n {
		some, ok, err := l.tree.Below(ctx, to, min(lookPerOrder*(n-len(found)), maxLook))
		if err != nil || !ok {
			return found, err
		}

		in := l.query(some.To)
		in.ExpressionAttributeValues[":from"] = dynamo.Text(orderSK(some.From))
		if attributes != "" {
			in.ProjectionExpression = &attributes
		}
		for it, err := range dynamo.Items(ctx, l.store.Client, in) {
			if err != nil {
				return nil, dynamo.Wrap("list orders", err)
			}
			if found = append(found, it); len(found) == n {
				break
			}
		}
		to = some.From
	}
	return found, nil
}

// readKey returns the id of the order that a key of the table is of.
func readKey(key dynamo.Item) (id.ID, error) {
	digits, _ := strings.CutPrefix(dynamo.TextOf(key["sk"]), orderPrefix)
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no key of an order", dynamo.TextOf(key["sk"]))
	}
	return id.ID(n), nil
}

// query asks for the orders below to that pass the filter, newest first.
func (l *orderList) query(to id.ID) *dynamodb.QueryInput {
	in := dynamo.Query(l.store.Table, ordersPK(l.scope), orderSK(0), orderSK(to-1), true, 0)
	var terms []string
	compare := func(attribute, operator, value string, v types.AttributeValue) {
		if in.ExpressionAttributeNames == nil {
			in.ExpressionAttributeNames = map[string]string{}
		}
		in.ExpressionAttributeNames["#"+attribute], in.ExpressionAttributeValues[":"+value] = attribute, v
		terms = append(terms, "#"+attribute+" "+operator+" :"+value)
	}
	where := func(attribute string, v types.AttributeValue) { compare(attribute, "=", attribute, v) }

	if l.filter.Status != "" {
		where("status", dynamo.Text(string(l.filter.Status)))
	}
	if l.filter.Refund != nil {
		where("refund", dynamo.Text(string(*l.filter.Refund)))
	}
	if l.filter.Gateway != "" {
		where("gateway", dynamo.Text(string(l.filter.Gateway)))
	}
	if l.filter.MerchandiseSchema != 0 {
		where("merchandise_schema", dynamo.Number(l.filter.MerchandiseSchema))
	}
	if l.filter.CreatedBy != 0 {
		where("created_by", dynamo.Number(l.filter.CreatedBy))
	}
	if !l.filter.CreatedAt.IsZero() {
		where("created_at", dynamo.Number(l.filter.CreatedAt.Unix()))
	}
	if !l.filter.PaidFrom.IsZero() {
		compare("paid_at", ">=", "paid_from", dynamo.Number(l.filter.PaidFrom.Unix()))
	}
	if !l.filter.PaidTo.IsZero() {
		compare("paid_at", "<=", "paid_to", dynamo.Number(l.filter.PaidTo.Unix()))
	}
	if len(terms) > 0 {
		in.FilterExpression = aws.String(strings.Join(terms, " AND "))
	}
	return in
}

// total counts the orders as far as D6 wants it, then the counters say how many there are.
func (l *orderList) total(ctx context.Context) (int, error) {
	in, left := l.query(lastID), exactTotal
	if selective(l.filter) {
		left = exactAmong
	}
	in.Select = types.SelectCount

	n := 0
	for left > 0 {
		in.Limit = aws.Int32(int32(left))
		out, err := l.store.Client.Query(ctx, in)
		if err != nil {
			return 0, dynamo.Wrap("count orders", err)
		}
		n, left = n+int(out.Count), left-int(out.ScannedCount)
		if in.ExclusiveStartKey = out.LastEvaluatedKey; len(in.ExclusiveStartKey) == 0 {
			return n, nil
		}
	}
	counted, err := l.tree.Total(ctx)
	return max(n, counted), err
}
