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
	// maxThrough is the maximum number of orders that one list scans for a filter that the counters do not cover.
	maxThrough = 20_000
)

// List uses the index items of a number or of the merchandise if the filter names one. Otherwise it makes one Query for
// a page of a short list, and one of the counters for a total of 256 or more. It makes more for a filter that few
// orders pass, for an offset, and for the total on a page after a cursor.
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

// orders returns the list of the orders that pass a filter.
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

// listThrough scans the orders for a filter that the counters do not cover, with one Query per MB. It scans up to
// 20,000 orders below the cursor, newest first. If there are more orders, Next continues after them, even if few
// matched. A page without a cursor has a total, of the scanned orders.
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
		for o, err := range dynamo.Decoded(l.Walk(ctx, below, counted.Want{Items: l.Most}), decodeOrder) {
			total++
			// After a full page the walk continues only to count.
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

// Paid returns the paid orders created since a time, newest first. It makes one Query per MB of all orders since then.
func (s *Store) Paid(ctx context.Context, scope tenant.Scope, since time.Time) iter.Seq2[order.Order, error] {
	in := s.query(scope, order.Filter{Status: order.Success}, id.First(since), endID, false)
	return dynamo.Decoded(dynamo.Items(ctx, s.Client, in), decodeOrder)
}

// listNumbered lists the orders with the given numbers that also pass the rest of the filter.
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
	// All matches fit the first page: any later page is empty.
	if req.Offset > 0 || req.After != "" {
		got.Objects = nil
	}
	return got, nil
}

// listMerchandise lists the orders of one row: it reads their ids from the index, then the orders of the page. If the
// filter has other conditions, it reads all orders of the row.
func (s *Store) listMerchandise(
	ctx context.Context, scope tenant.Scope, f order.Filter, req page.Request,
) (got page.Page[order.Order], err error) {
	in := dynamo.Query(s.Table, merchandisePK(scope, f.MerchandiseRecord), "", "", true, 0)
	ids, err := dynamo.Collect(ctx, s.Client, in, func(it dynamo.Item) (id.ID, error) {
		n, err := strconv.ParseInt(dynamo.TextOf(it["sk"]), 10, 64)
		return id.ID(n), err
	})
	if err != nil {
		return got, err
	}

	// The index has only ids; other conditions need the attributes of the orders.
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
	// Read one order more than the page, to know whether there is a next page.
	orders, err := s.read(ctx, scope, ids[:min(req.Limit+1, len(ids))])
	got = page.Cut(orders, req.Limit, wire, cursor)
	got.Total = total
	return got, err
}

// cursor returns the cursor of the page after an order.
func cursor(o order.Order) page.Cursor { return page.Cursor(o.ID.Key()) }

// wireRest is the size of an order in a response without its texts and objects: names, numbers and times.
const wireRest = 700

// wire returns an upper bound of the size of an order in a response.
func wire(o order.Order) int {
	return wireRest + page.Wire(o.TradeNo) + page.Wire(o.TransactionNo) + page.Wire(o.MerchandiseRecord) +
		page.Wire(o.Description) + page.Wire(o.IP) + page.Wire(o.Snapshot) + page.Wire(o.Extra)
}

// query returns the query for the orders with from ≤ id < below that pass the filter, newest first.
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
