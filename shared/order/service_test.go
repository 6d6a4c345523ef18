package order_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/errs"
	"minicloud/shared/order"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

var (
	shop  = tenant.Scope{App: 7, Env: tenant.Production}
	trial = tenant.Scope{App: 7, Env: "0123456789abcdef0123"}
	noon  = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
)

func newService(t testing.TB) (*order.Service, *orderdb.Store) {
	store := &orderdb.Store{Client: dynamotest.Start(t, "OrdersTable"), Table: "OrdersTable"}
	return &order.Service{Store: store, Clock: clock.Fixed(noon)}, store
}

func payment(no string) order.Order {
	return order.Order{Gateway: order.Chatpay, TradeNo: "T" + no, TransactionNo: "N" + no, Total: 100, CreatedBy: 70}
}

// TestConcurrentPaymentsChangeOrderOnce reports a payment twenty times at once: one call creates the order. Of twenty
// more, one completes it, and later ones change nothing.
func TestConcurrentPaymentsChangeOrderOnce(t *testing.T) {
	s, _ := newService(t)
	for i, status := range []order.Status{order.Pending, order.Success, order.Success} {
		p := payment("1")
		p.Status = status
		var changes atomic.Int32
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				o, changed, err := s.Paid(t.Context(), shop, p)
				if err != nil || o.Status != status {
					t.Errorf("%+v, %v", o, err)
				}
				if changed {
					changes.Add(1)
				}
			})
		}
		group.Wait()
		if want := [...]int32{1, 1, 0}[i]; changes.Load() != want {
			t.Errorf("round %d: %d changes, want %d", i, changes.Load(), want)
		}
	}

	got, err := s.List(t.Context(), shop, order.Filter{}, page.Request{Limit: 10})
	if err != nil || len(got.Objects) != 1 || got.Total != 1 {
		t.Fatalf("%d orders, %v", len(got.Objects), err)
	}
}

// TestEachTransitionHappensOnce reports the statuses one after another.
func TestEachTransitionHappensOnce(t *testing.T) {
	s, _ := newService(t)
	for i, step := range []struct {
		status  order.Status
		changed bool
		is      order.Status
	}{
		{order.Pending, true, order.Pending}, {order.Pending, false, order.Pending}, {order.Failed, true, order.Failed},
		{order.Pending, false, order.Failed}, {order.Success, true, order.Success}, {"", false, order.Success},
		{order.Failed, false, order.Success}, {order.Pending, false, order.Success},
	} {
		p := payment("1")
		p.Status = step.status
		o, changed, err := s.Paid(t.Context(), shop, p)
		if err != nil || changed != step.changed || o.Status != step.is {
			t.Errorf("step %d: %s, changed %v, %v", i, o.Status, changed, err)
		}
	}

	o, err := s.ByTransactionNo(t.Context(), shop, "N1")
	if err != nil || o.PaidAt != noon || o.CreatedBy != 70 {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestRefusesContradictingPayment also checks that the orders are unchanged (G16).
func TestRefusesContradictingPayment(t *testing.T) {
	s, _ := newService(t)
	for _, no := range []string{"1", "2"} {
		p := payment(no)
		p.Status = order.Pending
		if _, _, err := s.Paid(t.Context(), shop, p); err != nil {
			t.Fatal(err)
		}
	}

	for name, change := range map[string]func(*order.Order){
		"total_cost": func(p *order.Order) { p.Total++ }, "created_by": func(p *order.Order) { p.CreatedBy++ },
		"currency_type":  func(p *order.Order) { p.Currency = "USD" },
		"gateway_type":   func(p *order.Order) { p.Gateway = order.Altpay },
		"different":      func(p *order.Order) { p.TransactionNo = "N2" },
		"trade_no":       func(p *order.Order) { p.TradeNo = "T3" },
		"transaction_no": func(p *order.Order) { p.TransactionNo = "N3" },
		"id is":          func(p *order.Order) { p.ID = 99 },
	} {
		p := payment("1")
		change(&p)
		if _, changed, err := s.Paid(t.Context(), shop, p); !errs.Is(err, errs.KindMismatch) || changed ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: changed %v, %v", name, changed, err)
		}
	}

	for _, no := range []string{"N1", "N2"} {
		if o, err := s.ByTransactionNo(t.Context(), shop, no); err != nil || o.Status != order.Pending || o.Total != 100 {
			t.Errorf("%+v, %v", o, err)
		}
	}
}

// TestRefusesOrderInForeignCurrency checks that 100 US cents are not stored as 1 yuan.
func TestRefusesOrderInForeignCurrency(t *testing.T) {
	s, _ := newService(t)
	p := payment("1")
	p.Currency = "USD"
	if _, changed, err := s.Paid(t.Context(), shop, p); !errs.Is(err, errs.KindMismatch) || changed ||
		!strings.Contains(err.Error(), "currency_type is USD") {
		t.Errorf("changed %v, %v", changed, err)
	}
	for _, same := range []string{"CNY", "cny", ""} {
		p.Currency = same
		if _, _, err := s.Paid(t.Context(), shop, p); err != nil {
			t.Errorf("%q: %v", same, err)
		}
	}
	if got, err := s.List(t.Context(), shop, order.Filter{}, page.Request{Limit: 10}); err != nil || len(got.Objects) != 1 {
		t.Errorf("%d orders, %v", len(got.Objects), err)
	}
}

func TestRefusesInvalidPayments(t *testing.T) {
	s, _ := newService(t)
	for name, change := range map[string]func(*order.Order){
		"gateway_type": func(p *order.Order) { p.Gateway = "cash" }, "status": func(p *order.Order) { p.Status = "paid" },
		"refund_status": func(p *order.Order) { p.Refund = "some" }, "total_cost": func(p *order.Order) { p.Total = 0 },
		"trade_no":              func(p *order.Order) { p.TradeNo = strings.Repeat("x", 65) },
		"transaction_no":        func(p *order.Order) { p.TransactionNo = "a\nb" },
		"merchandise_record_id": func(p *order.Order) { p.MerchandiseRecord = "a\x00" },
		"required":              func(p *order.Order) { p.TradeNo, p.TransactionNo = "", "" },
		"merchandise_snapshot": func(p *order.Order) {
			p.Snapshot = map[string]any{
				"x": strings.Repeat("x", order.MaxObjects),
			}
		},
		"id must": func(p *order.Order) { p.ID = 1 << 53 },
	} {
		p := payment("1")
		change(&p)
		if _, _, err := s.Paid(t.Context(), shop, p); !errs.Is(err, errs.KindInvalid) ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPaymentSetsTradeNumberOfAltOrder: afterwards the order is found by its trade number, and no other order can take
// that number.
func TestPaymentSetsTradeNumberOfAltOrder(t *testing.T) {
	s, _ := newService(t)
	for _, no := range []string{"N1", "N2"} {
		p := order.Order{Gateway: order.AltpayWap, TransactionNo: no, Total: 100, Status: order.Pending}
		if _, _, err := s.Paid(t.Context(), shop, p); err != nil {
			t.Fatal(err)
		}
	}

	paid := order.Order{Gateway: order.Altpay, TransactionNo: "N1", TradeNo: "V1", Total: 100}
	if o, changed, err := s.Paid(t.Context(), shop, paid); err != nil || !changed || o.Gateway != order.AltpayWap {
		t.Fatalf("%+v, %v", o, err)
	}
	got, err := s.List(t.Context(), shop, order.Filter{TradeNo: "V1"}, page.Request{Limit: 10})
	if err != nil || len(got.Objects) != 1 || got.Objects[0].TransactionNo != "N1" {
		t.Errorf("%+v, %v", got, err)
	}
	paid.TransactionNo = "N2"
	if _, _, err := s.Paid(t.Context(), shop, paid); !errs.Is(err, errs.KindMismatch) {
		t.Errorf("another order's trade number: %v", err)
	}
}

// TestEnvironmentsAreSeparate creates orders with the same numbers in three environments.
func TestEnvironmentsAreSeparate(t *testing.T) {
	s, _ := newService(t)
	for i, scope := range []tenant.Scope{shop, trial, {App: 8, Env: tenant.Production}} {
		p := payment("1")
		p.Total = order.Amount(100 + i)
		if _, changed, err := s.Paid(t.Context(), scope, p); err != nil || !changed {
			t.Errorf("%v: %v, %v", scope, changed, err)
		}
	}
}

// TestListsOrdersByCreationTime reports orders that were created elsewhere long ago.
func TestListsOrdersByCreationTime(t *testing.T) {
	s, _ := newService(t)
	for i, ago := range []time.Duration{time.Hour, 48 * time.Hour, 0} {
		p := payment(fmt.Sprint(i))
		p.CreatedAt = noon.Add(-ago)
		if _, _, err := s.Paid(t.Context(), shop, p); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.List(t.Context(), shop, order.Filter{}, page.Request{Limit: 10})
	if err != nil || len(got.Objects) != 3 || got.Objects[0].TradeNo != "T2" || got.Objects[2].TradeNo != "T1" {
		t.Errorf("%+v, %v", got.Objects, err)
	}
}

// TestRefundStatusFollowsReports repeats reports and sends them out of order.
func TestRefundStatusFollowsReports(t *testing.T) {
	type told struct {
		refund order.Refund
		no     string
		amount order.Amount
	}

	for name, tt := range map[string]struct {
		told    []told
		want    order.Refund
		changes int
	}{
		"none": {[]told{{}, {}}, order.NoRefund, 0},
		"failed": {
			[]told{{refund: order.RefundFailed}, {refund: order.RefundFailed}}, order.RefundFailed, 1,
		},
		"partial": {[]told{{refund: order.RefundPartial}, {}}, order.RefundPartial, 1},
		"complete": {
			[]told{{refund: order.RefundComplete}, {refund: order.RefundComplete}}, order.RefundComplete, 1,
		},
		"failed, then complete": {
			[]told{{refund: order.RefundFailed}, {refund: order.RefundComplete}}, order.RefundComplete, 2,
		},
		"complete, late partial": {
			[]told{{refund: order.RefundComplete}, {refund: order.RefundPartial}}, order.RefundComplete, 1,
		},
		"partial, another fails": {
			[]told{{refund: order.RefundPartial}, {refund: order.RefundFailed}}, order.RefundPartial, 1,
		},
		"two that are all":     {[]told{{no: "a", amount: 60}, {no: "b", amount: 40}}, order.RefundComplete, 2},
		"two that are not all": {[]told{{no: "a", amount: 60}, {no: "b", amount: 39}}, order.RefundPartial, 2},
		"one twice":            {[]told{{no: "a", amount: 60}, {no: "a", amount: 60}}, order.RefundPartial, 1},
	} {
		s, _ := newService(t)
		if _, _, err := s.Paid(t.Context(), shop, payment("1")); err != nil {
			t.Fatal(err)
		}
		changes := 0
		for _, r := range tt.told {
			p := payment("1")
			if p.Refund = r.refund; r.no != "" {
				p.Refunds = map[string]order.Amount{r.no: r.amount}
			}
			_, changed, err := s.Paid(t.Context(), shop, p)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if changed {
				changes++
			}
		}

		o, err := s.ByTransactionNo(t.Context(), shop, "N1")
		if err != nil || o.Refund != tt.want || changes != tt.changes || o.Status != order.Success || o.PaidAt != noon {
			t.Errorf("%s: %+v after %d changes, %v", name, o, changes, err)
		}
	}
}

// TestConcurrentRefundsCountOnce reports each of ten refunds twice.
func TestConcurrentRefundsCountOnce(t *testing.T) {
	s, _ := newService(t)
	if _, _, err := s.Paid(t.Context(), shop, payment("1")); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			p := payment("1")
			p.Refunds = map[string]order.Amount{fmt.Sprint(i % 10): 10}
			for {
				if _, _, err := s.Paid(t.Context(), shop, p); !errs.Is(err, errs.KindConflict) {
					if err != nil {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	group.Wait()

	if o, err := s.ByTransactionNo(t.Context(), shop, "N1"); err != nil || o.Refund != order.RefundComplete ||
		len(o.Refunds) != 10 {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestRefusesInvalidRefunds checks that the error names the field and that the order is unchanged.
func TestRefusesInvalidRefunds(t *testing.T) {
	s, _ := newService(t)
	if _, _, err := s.Paid(t.Context(), shop, payment("1")); err != nil {
		t.Fatal(err)
	}

	for want, change := range map[string]func(p *order.Order){
		"refund_status":      func(p *order.Order) { p.Refund = "much" },
		"status success":     func(p *order.Order) { p.Status, p.Refund = order.Failed, order.RefundComplete },
		"refund_no":          func(p *order.Order) { p.Refunds = map[string]order.Amount{"": 1} },
		"refund_amount must": func(p *order.Order) { p.Refunds = map[string]order.Amount{"a": 0} },
		"refund_amount of":   func(p *order.Order) { p.Refunds = map[string]order.Amount{"a": 101} },
		"total_cost is 2":    func(p *order.Order) { p.Total, p.Refund = 200, order.RefundPartial },
		"status must be":     func(p *order.Order) { p.Status, p.Refund = "refunded", order.RefundPartial },
	} {
		p := payment("1")
		change(&p)
		if _, changed, err := s.Paid(t.Context(), shop, p); err == nil || changed || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}

	if o, err := s.ByTransactionNo(t.Context(), shop, "N1"); err != nil || o.Refund != order.NoRefund {
		t.Errorf("%+v, %v", o, err)
	}
}
