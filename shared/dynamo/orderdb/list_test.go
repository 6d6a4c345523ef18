package orderdb_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/order"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

var (
	shop  = tenant.Scope{App: 7, Env: tenant.Production}
	trial = tenant.Scope{App: 7, Env: "0123456789abcdef0123"}
	noon  = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
)

// counters is a count.Reader of the stored orders without the lag of real counters. It counts a node when it is first
// read.
type counters struct {
	store *orderdb.Store
	known map[string][]count.Node
}

func (c *counters) Node(ctx context.Context, of count.Collection, at count.NodeID) ([]count.Node, error) {
	key := fmt.Sprint(of, at)
	if nodes, ok := c.known[key]; ok {
		return nodes, nil
	}
	kinds := map[string]*count.Node{}
	err := c.store.Records(ctx, of, 0, 1<<53-1, func(n id.ID, kind string) {
		node, child := count.NodeOf(n, at.Level)
		if node != at {
			return
		}
		if kinds[kind] == nil {
			kinds[kind] = &count.Node{NodeID: at, Kind: kind, Children: map[int]int{}}
		}
		kinds[kind].Sum++
		kinds[kind].Children[child]++
	})
	var nodes []count.Node
	for _, n := range kinds {
		nodes = append(nodes, *n)
	}
	c.known[key] = nodes
	return nodes, err
}

func newStore(t testing.TB) *orderdb.Store {
	s := &orderdb.Store{Client: dynamotest.Start(t, "OrdersTable"), Table: "OrdersTable"}
	s.Counts = &counters{s, map[string][]count.Node{}}
	return s
}

// fill inserts n orders of all kinds and returns them, newest first.
func fill(t testing.TB, s *orderdb.Store, scope tenant.Scope, n int) []order.Order {
	r := rand.New(rand.NewPCG(1, 2))
	var all []order.Order
	for i := range n {
		o := order.Order{
			ID: id.First(noon) + id.ID(i)<<10 + id.ID(r.IntN(1<<10)), Status: order.Statuses[r.IntN(3)],
			Refund:  order.Refunds[r.IntN(4)],
			Gateway: order.Gateways[r.IntN(len(order.Gateways))], TransactionNo: fmt.Sprint("N", i), Total: 100,
			MerchandiseSchema: int64(r.IntN(3)), CreatedAt: noon, UpdatedAt: noon, Description: "tea",
		}
		if r.IntN(3) > 0 {
			o.TradeNo = fmt.Sprint("T", i)
		}
		if r.IntN(10) == 0 {
			o.MerchandiseRecord = fmt.Sprint("r", r.IntN(3))
		}
		if err := s.Insert(t.Context(), scope, o, time.Time{}); err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	slices.Reverse(all)
	return all
}

// filters returns filters of every kind, and some combinations.
func filters() []order.Filter {
	none, partial := order.NoRefund, order.RefundPartial
	return []order.Filter{
		{}, {Status: order.Success}, {Status: order.Pending, Gateway: order.Altpay}, {Refund: &none},
		{Refund: &partial, Status: order.Success},
		{Gateway: order.Chatpay}, {MerchandiseSchema: 2},
		{MerchandiseSchema: 1, Refund: &none, Status: order.Success, Gateway: order.Tpay},
		{MerchandiseRecord: "r1"}, {MerchandiseRecord: "r2", Status: order.Success}, {MerchandiseRecord: "gone"},
		{TradeNo: "T5"},
		{TransactionNo: "N7"}, {TransactionNo: "N7", TradeNo: "T8"}, {TransactionNo: "N8", Status: order.Failed},
		{TradeNo: "gone"},
	}
}

// TestListsAgreeWithAModel: by cursor and by offset, each order is listed once and in order, and the total is correct,
// for totals that are counted item by item and for larger ones.
func TestListsAgreeWithAModel(t *testing.T) {
	s := newStore(t)
	all := fill(t, s, shop, 450)
	fill(t, s, trial, 3)
	for i, f := range filters() {
		var want []id.ID
		for _, o := range all {
			if f.Matches(o) {
				want = append(want, o.ID)
			}
		}

		for _, byCursor := range []bool{true, false} {
			var got []id.ID
			for req := (page.Request{Limit: 110}); ; {
				p, err := s.List(t.Context(), shop, f, req)
				if err != nil {
					t.Fatal(err)
				}
				if p.Total != len(want) {
					t.Errorf("filter %d at %d: total %d, want %d", i, req.Offset, p.Total, len(want))
				}
				for _, o := range p.Objects {
					got = append(got, o.ID)
				}
				if p.Next == "" {
					break
				}
				if req.Offset += len(p.Objects); byCursor {
					req.After = p.Next
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("filter %d, by cursor %v: %d orders, want %d", i, byCursor, len(got), len(want))
			}
		}
		if p, err := s.List(t.Context(), shop, f, page.Request{Limit: 10, Offset: 5000}); err != nil || len(p.Objects) > 0 ||
			p.Total != len(want) {
			t.Errorf("filter %d beyond its end: %d orders of %d, %v", i, len(p.Objects), p.Total, err)
		}
	}
	if _, err := s.List(
		t.Context(), shop, order.Filter{}, page.Request{Limit: 10, After: "x"},
	); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("a cursor nobody gave: %v", err)
	}
}

// TestTakesChecksOnce: each check is due at its time and is taken once.
func TestTakesChecksOnce(t *testing.T) {
	s := newStore(t)
	for i := range 3 {
		o := order.Order{
			ID: id.ID(100 + i), Gateway: order.Tpay, Status: order.Pending, TransactionNo: fmt.Sprint(i), CreatedAt: noon,
			UpdatedAt: noon,
		}
		if err := s.Insert(t.Context(), shop, o, noon.Add(time.Duration(3-i)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	if due, err := s.Due(t.Context(), noon, 10); err != nil || len(due) != 0 {
		t.Errorf("before its time: %+v, %v", due, err)
	}
	due, err := s.Due(t.Context(), noon.Add(2*time.Minute), 10)
	if err != nil || len(due) != 2 || due[0].Order != 102 || due[1].Order != 101 || due[0].Scope != shop ||
		due[0].Attempt != 0 {
		t.Fatalf("%+v, %v", due, err)
	}

	next, _ := due[0].Next(noon)
	if err := s.Take(t.Context(), due[0], &next); err != nil {
		t.Error(err)
	}
	if err := s.Take(t.Context(), due[0], &next); !errs.Is(err, errs.KindConflict) {
		t.Errorf("taken twice: %v", err)
	}
	if err := s.Take(t.Context(), due[1], nil); err != nil {
		t.Error(err)
	}
	due, err = s.Due(t.Context(), noon.Add(time.Hour), 10)
	if err != nil || len(due) != 2 || due[0] != next || due[0].Attempt != 1 || due[1].Order != 100 {
		t.Errorf("%+v, %v", due, err)
	}
}

// TestReadsChangesOfTheStream: an order counts for its status, and moves to another kind when it is paid.
func TestReadsChangesOfTheStream(t *testing.T) {
	image := func(status, refund, schema string) map[string]events.DynamoDBAttributeValue {
		it := map[string]events.DynamoDBAttributeValue{
			"status": events.NewStringAttribute(status), "refund": events.NewStringAttribute(refund),
			"gateway": events.NewStringAttribute("chatpay_wap"),
		}
		if schema != "" {
			it["merchandise_schema"] = events.NewNumberAttribute(schema)
		}
		return it
	}
	record := func(sk string, old, next map[string]events.DynamoDBAttributeValue) events.DynamoDBEventRecord {
		return events.DynamoDBEventRecord{Change: events.DynamoDBStreamRecord{
			SequenceNumber: "9", OldImage: old, NewImage: next, Keys: map[string]events.DynamoDBAttributeValue{
				"pk": events.NewStringAttribute("7.production#orders"), "sk": events.NewStringAttribute(sk),
			},
		}}
	}
	pending, success := image("pending", "", ""), image("success", "partial", "12")
	for name, tt := range map[string]struct {
		record events.DynamoDBEventRecord
		want   count.Change
	}{
		"comes":    {record("order#0000000000000015", nil, pending), count.Change{ID: 15, Kind: "aab", By: 1}},
		"is paid":  {record("order#0000000000000015", pending, success), count.Change{ID: 15, Was: "aab", Kind: "ccb12"}},
		"goes":     {record("order#0000000000000015", success, nil), count.Change{ID: 15, Kind: "ccb12", By: -1}},
		"the same": {record("order#0000000000000015", success, success), count.Change{ID: 15}},
		"no order": {record("trade", nil, pending), count.Change{}},
	} {
		tt.want.Sequence, tt.want.Collection = "9", orderdb.Collection(shop)
		if got, err := orderdb.Change(tt.record); err != nil || got != tt.want {
			t.Errorf("%s: %+v (%v), want %+v", name, got, err, tt.want)
		}
	}
	if _, err := orderdb.Change(record("order#0000000000000015", nil, image("paid", "", ""))); err == nil {
		t.Error("an unknown status is counted")
	}
}
