package order_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/order"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// TestEraseKeepsPayment removes a user from all of their orders, in two calls, and from no other order.
func TestEraseKeepsPayment(t *testing.T) {
	s, _ := newService(t)
	const orders = 101 // more than one call changes
	pay := func(scope tenant.Scope, no string, user int64) order.Order {
		t.Helper()
		p := payment(no)
		p.CreatedBy, p.IP, p.Description = user, "203.0.113.9", "green tea"
		p.Snapshot, p.Extra = map[string]any{"size": "small"}, map[string]any{"openid": "ada"}
		o, _, err := s.Paid(t.Context(), scope, p)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	for n := range orders {
		pay(shop, fmt.Sprint("mine", n), 70)
	}
	theirs, elsewhere := pay(shop, "theirs", 71), pay(trial, "trial", 70)
	before, err := s.ByTransactionNo(t.Context(), shop, "Nmine0")
	if err != nil {
		t.Fatal(err)
	}

	later := noon.Add(time.Hour)
	s.Clock = clock.Fixed(later)
	first, next, err := s.Erase(t.Context(), shop, 70, "")
	if err != nil || first != 100 || next == "" {
		t.Fatalf("the first call erased %d, next %q, %v", first, next, err)
	}
	second, next, err := s.Erase(t.Context(), shop, 70, next)
	if err != nil || second != 1 || next != "" {
		t.Errorf("the second call erased %d, next %q, %v", second, next, err)
	}
	if again, _, err := s.Erase(t.Context(), shop, 70, ""); err != nil || again != 0 {
		t.Errorf("a repeated call erased %d, %v", again, err)
	}
	for user, want := range map[int64]int{70: 0, 71: 1} { // by the index
		if own, err := s.List(t.Context(), shop, order.Filter{Buyer: user}, page.Request{Limit: 20}); err != nil || own.Total != want {
			t.Errorf("user %d has %d orders, %v", user, own.Total, err)
		}
	}

	want := before
	want.CreatedBy, want.IP, want.Extra, want.ErasedAt, want.UpdatedAt, want.Revision = 0, "", nil, later, later, 1
	got, err := s.ByTransactionNo(t.Context(), shop, "Nmine0")
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, an erased order (-want +got):\n%s", err, diff)
	}
	for scope, o := range map[tenant.Scope]order.Order{shop: theirs, trial: elsewhere} {
		if got, err := s.ByTransactionNo(t.Context(), scope, o.TransactionNo); err != nil || got.CreatedBy != o.CreatedBy || got.IP == "" {
			t.Errorf("%s: %+v, %v, want it unchanged", scope, got, err)
		}
	}
}

// TestLatePaymentDoesNotNameErasedUser: a vendor that reports the payment after the erasure completes the order only.
func TestLatePaymentDoesNotNameErasedUser(t *testing.T) {
	s, _ := newService(t)
	p := payment("1")
	p.Status = order.Pending
	if _, _, err := s.Paid(t.Context(), shop, p); err != nil {
		t.Fatal(err)
	}
	if n, _, err := s.Erase(t.Context(), shop, 70, ""); n != 1 || err != nil {
		t.Fatalf("erased %d, %v", n, err)
	}

	p.Status, p.Extra = order.Success, map[string]any{"openid": "ada"}
	o, changed, err := s.Paid(t.Context(), shop, p)
	if err != nil || !changed || o.Status != order.Success || o.CreatedBy != 0 || o.Extra != nil {
		t.Errorf("%+v, %v, %v", o, changed, err)
	}
}

// meeting is a store in which another request changes an order before the first change of Erase.
type meeting struct {
	order.Store
	other func()
}

func (m *meeting) Change(ctx context.Context, scope tenant.Scope, old, next order.Order) error {
	if other := m.other; other != nil {
		m.other = nil
		other()
	}
	return m.Store.Change(ctx, scope, old, next)
}

// TestEraseKeepsConcurrentChange: what another request changes meanwhile stays.
func TestEraseKeepsConcurrentChange(t *testing.T) {
	s, store := newService(t)
	p := payment("1")
	p.Status = order.Pending
	if _, _, err := s.Paid(t.Context(), shop, p); err != nil {
		t.Fatal(err)
	}
	erasing := &order.Service{Clock: s.Clock, Store: &meeting{store, func() {
		p.Status = order.Success
		if _, _, err := s.Paid(t.Context(), shop, p); err != nil {
			t.Error(err)
		}
	}}}
	n, _, err := erasing.Erase(t.Context(), shop, 70, "")
	o, readErr := s.ByTransactionNo(t.Context(), shop, "N1")
	if n != 1 || err != nil || readErr != nil || o.Status != order.Success || o.CreatedBy != 0 {
		t.Errorf("erased %d, %v; %+v, %v", n, err, o, readErr)
	}
}

func TestEraseNamesInvalidField(t *testing.T) {
	s, _ := newService(t)
	if _, _, err := s.Erase(t.Context(), shop, 0, ""); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("no user: %v", err)
	}
	if _, _, err := s.Erase(t.Context(), shop, 1, page.Cursor("x")); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("no cursor: %v", err)
	}
}
