package orderdb_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/id"
	"minicloud/shared/order"
	"minicloud/shared/page"
)

// metered returns a store like s that adds the cost of its reads to c.
func metered(s *orderdb.Store, c *dynamotest.Cost) *orderdb.Store {
	return &orderdb.Store{Client: dynamotest.Metered(s.Client, c), Table: s.Table, Counts: s.Counts}
}

// counted is a count.Reader of given orders.
type counted struct {
	nodes map[count.NodeID]map[string]*count.Node
}

func countAll(all []order.Order, kinds map[id.ID]string) *counted {
	c := &counted{map[count.NodeID]map[string]*count.Node{}}
	for _, o := range all {
		for level := range count.Levels {
			at, child := count.NodeOf(o.ID, level)
			if c.nodes[at] == nil {
				c.nodes[at] = map[string]*count.Node{}
			}
			node := c.nodes[at][kinds[o.ID]]
			if node == nil {
				node = &count.Node{NodeID: at, Kind: kinds[o.ID], Children: map[int]int{}}
				c.nodes[at][kinds[o.ID]] = node
			}
			node.Sum++
			node.Children[child]++
		}
	}
	return c
}

func (c *counted) Node(_ context.Context, _ count.Collection, at count.NodeID) (nodes []count.Node, _ error) {
	for _, n := range c.nodes[at] {
		nodes = append(nodes, *n)
	}
	return nodes, nil
}

// month inserts n orders spread over thirty days: per 1,000 orders, two are partially refunded and one belongs to table
// 13; one in 10 is pending, and one in 50 is paid by alt.
func month(t testing.TB, s *orderdb.Store, n int) []order.Order {
	t.Helper()
	all := make([]order.Order, n)
	var group sync.WaitGroup
	gate := make(chan struct{}, 8)
	for i := range all {
		o := order.Order{
			ID:     id.First(noon.Add(-time.Duration(n-i)*(30*24*time.Hour/time.Duration(n)))) + 7,
			Status: order.Success, Gateway: order.Chatpay, TransactionNo: fmt.Sprint("N", i), Total: 100,
			MerchandiseSchema: 12, CreatedAt: noon, UpdatedAt: noon, Description: "tea of the house, 500 g",
			Snapshot: map[string]any{"name": "tea of the house, 500 g", "price": "1"},
		}
		switch {
		case i%500 == 250:
			o.Refund = order.RefundPartial
		case i%1000 == 333:
			o.MerchandiseSchema = 13
		case i%50 == 3:
			o.Gateway = order.Altpay
		case i%10 == 0:
			o.Status = order.Pending
		}
		all[n-1-i] = o
		gate <- struct{}{}
		group.Go(func() {
			if err := s.Insert(t.Context(), shop, o, time.Time{}); err != nil {
				t.Error(err)
			}
			<-gate
		})
	}
	group.Wait()
	return all
}

// TestFindsRareOrdersByCounters: a page of rare orders equals that of the model and does not read all other orders.
func TestFindsRareOrdersByCounters(t *testing.T) {
	s := newStore(t)
	all := month(t, s, 2500)
	kinds := map[id.ID]string{}
	if err := s.Records(
		t.Context(), orderdb.Collection(shop), 0, 1<<53-1, func(n id.ID, kind string) { kinds[n] = kind },
	); err != nil {
		t.Fatal(err)
	}
	s.Counts = countAll(all, kinds)

	none, partial, complete := order.NoRefund, order.RefundPartial, order.RefundComplete
	for name, filter := range map[string]order.Filter{
		"all": {}, "pending": {Status: order.Pending}, "not paid back": {Refund: &none}, "partial": {Refund: &partial},
		"complete": {Refund: &complete}, "altpay": {Gateway: order.Altpay}, "table 13": {MerchandiseSchema: 13},
		"partial pending": {Refund: &partial, Status: order.Pending},
	} {
		var want, got []id.ID
		for _, o := range all {
			if filter.Matches(o) {
				want = append(want, o.ID)
			}
		}
		var c dynamotest.Cost
		p, err := metered(s, &c).List(t.Context(), shop, filter, page.Request{Limit: 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range p.Objects {
			got = append(got, o.ID)
		}
		if !slices.Equal(got, want[:min(20, len(want))]) || p.Total != len(want) || (p.Next != "") != (len(want) > 20) {
			t.Errorf("%s: %d orders of %d, next %q, want %d", name, len(got), p.Total, p.Next, len(want))
		}
		// Reading all orders costs 157 units; the 1,323 orders scanned for a page cost 85, those counted for a total
		// 62.
		if c.Units > 150 || c.Calls > 15 {
			t.Errorf("%s: %d calls, %.0f units", name, c.Calls, c.Units)
		}
	}
}
