package orderdb

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

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

// List uses the index items of a number, of the merchandise or of the buyer if the filter names one. Otherwise it makes one Query for
// a page of a short list, and one of the counters for a total of 256 or more. It makes more for a filter that few
// orders pass, for an offset, and for the total on a page after a cursor.
func (s *Store) List(
	ctx context.Context, scope tenant.Scope, f order.Filter, req page.Request,
) (page.Page[order.Order], error) {
	switch {
	case f.TradeNo != "" || f.TransactionNo != "" || f.ID != 0:
		return s.listNumbered(ctx, scope, f, req)
	case f.Buyer != 0:
		rest := f
		rest.Buyer = 0 // all orders of the index have it
		return s.listIndexed(ctx, scope, buyerPK(scope, f.Buyer), f, rest, req)
	case f.MerchandiseRecord != "":
		rest := f
		rest.MerchandiseRecord = ""
		return s.listIndexed(ctx, scope, merchandisePK(scope, f.MerchandiseRecord), f, rest, req)
	case f.Uncounted():
		return s.listThrough(ctx, scope, f, req)
	case f.Oldest:
		return s.listOldest(ctx, scope, f, req)
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
		Query: func(from, below id.ID, keys bool) *dynamo.QueryInput { return s.query(scope, f, from, below, keys) },
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
	got.Objects = sorted(slices.DeleteFunc(found, func(o order.Order) bool { return !f.Matches(o) }), f.Oldest)
	got.Total = len(got.Objects)
	// All matches fit the first page: any later page is empty.
	if req.Offset > 0 || req.After != "" {
		got.Objects = nil
	}
	return got, nil
}

// listIndexed lists the orders of the index at pk that match f: it reads their ids, then the orders of the page. If the
// rest of the filter, which the index does not have, has conditions, it reads all orders of the index.
func (s *Store) listIndexed(
	ctx context.Context, scope tenant.Scope, pk string, f, rest order.Filter, req page.Request,
) (got page.Page[order.Order], err error) {
	in := dynamo.Query(s.Table, pk, "", "", !f.Oldest, 0)
	ids, err := dynamo.Collect(ctx, s.Client, in, func(it dynamo.Item) (id.ID, error) {
		n, err := strconv.ParseInt(dynamo.TextOf(it["sk"]), 10, 64)
		return id.ID(n), err
	})
	if err != nil {
		return got, err
	}

	// The index has only ids; other conditions need the attributes of the orders.
	if selective(rest) || rest.Uncounted() || rest.MerchandiseRecord != "" {
		all, err := s.read(ctx, scope, ids)
		if err != nil {
			return got, err
		}
		ids = ids[:0]
		for _, o := range sorted(all, f.Oldest) {
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
		ids = slices.DeleteFunc(ids, func(n id.ID) bool { return f.Oldest && n <= last || !f.Oldest && n >= last })
	}
	if req.Skip() > page.MaxOffset && len(ids) > page.MaxOffset {
		return got, page.ErrOffset()
	}
	ids = ids[min(req.Skip(), len(ids)):]
	// Read one order more than the page, to know whether there is a next page.
	orders, err := s.read(ctx, scope, ids[:min(req.Limit+1, len(ids))])
	got = page.Cut(sorted(orders, f.Oldest), req.Limit, wire, cursor)
	got.Total = total
	return got, err
}

// sorted returns orders that are sorted newest first in the order of a list.
func sorted(orders []order.Order, oldest bool) []order.Order {
	if oldest {
		slices.Reverse(orders)
	}
	return orders
}

// listOldest lists the orders oldest first: one Query per MB up to the end of the page, and the counters for the total.
func (s *Store) listOldest(
	ctx context.Context, scope tenant.Scope, f order.Filter, req page.Request,
) (got page.Page[order.Order], err error) {
	var from id.ID
	if req.After != "" {
		if from, err = req.After.ID(); err != nil {
			return got, err
		}
		from++
	}
	in := s.query(scope, f, from, endID, false)
	in.ScanIndexForward = new(true)
	got, err = page.Collect(req, dynamo.Decoded(dynamo.Items(ctx, s.Client, in), decodeOrder), wire, cursor)
	if err != nil {
		return got, err
	}
	f.Oldest = false
	newest, err := s.List(ctx, scope, f, page.Request{Limit: 1})
	got.Total = newest.Total
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
func (s *Store) query(scope tenant.Scope, f order.Filter, from, below id.ID, keys bool) *dynamo.QueryInput {
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
