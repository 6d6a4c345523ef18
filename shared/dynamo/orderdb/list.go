package orderdb

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/counted"
	"minicloud/shared/id"
	"minicloud/shared/order"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

const (
	endID id.ID = 1 << 53
	// maxThrough is how many orders one list looks through for those that pass a filter that is not counted.
	maxThrough = 20_000
)

// List goes by a number or by what was bought, where the filter names one. Else it is one Query for a page of a short
// list, and one of the counters for a total of 256 and more; there are more for few orders that pass the filter, for an
// offset, and for the total on the page behind a cursor.
func (s *Store) List(
	ctx context.Context, scope tenant.Scope, f order.Filter, req page.Request,
) (page.Page[order.Order], error) {
	switch {
	case f.TradeNo != "" || f.TransactionNo != "" || f.ID != 0:
		return s.listNumbered(ctx, scope, f, req)
	case f.MerchandiseRecord != "":
		return s.listMerchandise(ctx, scope, f, req)
	}
	if f.Uncounted() {
		return s.listThrough(ctx, scope, f, req)
	}
	l := s.orders(scope, f)
	return counted.Pages[order.Order]{
		Top: endID, Long: &s.long, Name: Collection(scope), Count: func(ctx context.Context) (int, error) {
			return l.Tree.Between(ctx, 0, endID)
		},
		Read: func(ctx context.Context, below id.ID, w counted.Want) ([]order.Order, bool, error) {
			return counted.Read(ctx, l, below, w, decodeOrder)
		},
		ID: func(o order.Order) id.ID { return o.ID }, Wire: wire,
	}.Page(ctx, req)
}

// orders is the list of the orders that pass a filter.
func (s *Store) orders(scope tenant.Scope, f order.Filter) *counted.List {
	l := &counted.List{
		Client: s.Client, Selective: selective(f),
		Query: func(from, below id.ID, keys bool) *dynamodb.QueryInput { return s.query(scope, f, from, below, keys) },
	}
	if f.Uncounted() {
		l.Most = maxThrough
	} else {
		l.Tree = &count.Tree{Reader: s.Counts, Collection: Collection(scope), Kinds: selects(f)}
	}
	return l
}

// listThrough looks through the orders for a filter that is not counted: one Query for each MB. Of the newest 20,000
// below the cursor nothing is left out, and Next leads on where there are more, however few were found. A page without
// a cursor has a total, of those that were looked at.
func (s *Store) listThrough(
	ctx context.Context, scope tenant.Scope, f order.Filter, req page.Request,
) (got page.Page[order.Order], err error) {
	l := s.orders(scope, f)
	below, err := counted.Below(req.After, endID)
	if err != nil {
		return got, err
	}

	total, counts := 0, req.After == ""
	var failed error
	found := func(yield func(order.Order, error) bool) {
		wanted := true
		for o, err := range decoded(l.Walk(ctx, below, counted.Want{Items: l.Most})) {
			total++
			// The walk goes on behind a full page only to count.
			if wanted = wanted && yield(o, err); err != nil || !wanted && !counts {
				failed = err
				return
			}
		}
	}
	got, err = page.Collect(req, found, wire, cursor)
	if err = cmp.Or(err, failed); err != nil {
		return got, err
	}

	if got.Next == "" && l.Rest > 0 {
		got.Next = page.Cursor(l.Rest.Key())
	}
	if counts {
		got.Total = total
	}
	return got, nil
}

// decoded yields the orders of items.
func decoded(items iter.Seq2[dynamo.Item, error]) iter.Seq2[order.Order, error] {
	return func(yield func(order.Order, error) bool) {
		for it, err := range items {
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

// Paid returns the orders that were made since a time and are paid, newest first: one Query for each MB of all orders
// of that time.
func (s *Store) Paid(ctx context.Context, scope tenant.Scope, since time.Time) iter.Seq2[order.Order, error] {
	in := s.query(scope, order.Filter{Status: order.Success}, id.First(since), endID, false)
	return decoded(dynamo.Items(ctx, s.Client, in))
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
	// The list has one order at most: anything behind it is an empty page.
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
	// The row leads to ids only; a filter needs the attributes of the orders.
	if selective(f) || f.Uncounted() {
		all, err := s.read(ctx, scope, ids)
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
	total := len(ids)

	if req.After != "" {
		last, err := req.After.ID()
		if err != nil {
			return got, err
		}
		ids = slices.DeleteFunc(ids, func(n id.ID) bool { return n >= last })
	}
	if req.Skip() > page.MaxOffset && len(ids) > page.MaxOffset {
		return got, page.ErrOffset()
	}
	ids = ids[min(req.Skip(), len(ids)):]
	// Read one order more than the page, to know whether there is a next one.
	orders, err := s.read(ctx, scope, ids[:min(req.Limit+1, len(ids))])
	got = page.Cut(orders, req.Limit, wire, cursor)
	got.Total = total
	return got, err
}

// cursor leads behind an order.
func cursor(o order.Order) page.Cursor { return page.Cursor(o.ID.Key()) }

// wireRest is the size of an order in a response without its texts and objects: names, numbers, times.
const wireRest = 700

// wire is at most how long an order is in an answer.
func wire(o order.Order) int {
	return wireRest + page.Wire(o.TradeNo) + page.Wire(o.TransactionNo) + page.Wire(o.MerchandiseRecord) +
		page.Wire(o.Description) + page.Wire(o.IP) + page.Wire(o.Snapshot) + page.Wire(o.Extra)
}

// query asks for the orders with from ≤ id < below that pass the filter, newest first.
func (s *Store) query(scope tenant.Scope, f order.Filter, from, below id.ID, keys bool) *dynamodb.QueryInput {
	in := dynamo.Query(s.Table, ordersPK(scope), orderSK(from), orderSK(below-1), true, 0)
	if keys {
		dynamo.Project(in, "id")
	}
	where := func(attribute, operator string, v types.AttributeValue) {
		parameter := fmt.Sprint(":f", len(in.ExpressionAttributeValues)) // an attribute may be compared twice
		dynamo.Where(in, "#"+attribute+" "+operator+" "+parameter, dynamo.Item{parameter: v})
	}
	if f.Status != "" {
		where("status", "=", dynamo.Text(string(f.Status)))
	}
	if f.Refund != nil {
		where("refund", "=", dynamo.Text(string(*f.Refund)))
	}
	if f.Gateway != "" {
		where("gateway", "=", dynamo.Text(string(f.Gateway)))
	}
	if f.MerchandiseSchema != 0 {
		where("merchandise_schema", "=", dynamo.Number(f.MerchandiseSchema))
	}
	if f.CreatedBy != 0 {
		where("created_by", "=", dynamo.Number(f.CreatedBy))
	}
	if !f.CreatedAt.IsZero() {
		where("created_at", "=", dynamo.Instant(f.CreatedAt))
	}
	if !f.PaidFrom.IsZero() {
		where("paid_at", ">=", dynamo.Instant(f.PaidFrom))
	}
	if !f.PaidTo.IsZero() {
		where("paid_at", "<=", dynamo.Instant(f.PaidTo))
	}
	return in
}
