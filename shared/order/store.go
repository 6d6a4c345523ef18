package order

import (
	"context"
	"slices"
	"time"

	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// Numbers identifies an order; at least one of them must be set.
type Numbers struct {
	ID            id.ID
	TradeNo       string
	TransactionNo string
}

// Store stores orders. Every read is consistent.
type Store interface {
	// Insert adds an order with its numbers in one transaction. It returns errs.Duplicate if one of them is taken.
	// check is when the vendor is first queried about the order; zero means never.
	Insert(ctx context.Context, scope tenant.Scope, o Order, check time.Time) error
	// Find returns the orders that have any of these numbers, without duplicates.
	Find(ctx context.Context, scope tenant.Scope, n Numbers) ([]Order, error)
	// Change replaces old by next, which may add a trade number. It returns errs.Conflict if the stored order has
	// another revision than old, or if another order has the number.
	Change(ctx context.Context, scope tenant.Scope, old, next Order) error
	// List returns the orders that match the filter, newest first unless it says otherwise, with their total.
	List(ctx context.Context, scope tenant.Scope, f Filter, req page.Request) (page.Page[Order], error)
}

// Filter selects orders; a zero field matches all.
type Filter struct {
	Status            Status
	Refund            *Refund
	Gateway           Gateway
	TradeNo           string
	TransactionNo     string
	MerchandiseSchema int64
	MerchandiseRecord string
	// Buyer selects the orders of an end user by an index, which has those that end users created.
	Buyer int64
	// Oldest lists the oldest orders first.
	Oldest bool

	// These fields are for functions only and have no counters: List scans the orders for them.
	ID        id.ID
	CreatedBy int64
	CreatedAt time.Time // to the second
	PaidFrom  time.Time // paid at or after
	PaidTo    time.Time // paid at or before
}

// Uncounted reports whether the number of matching orders is known only after a scan.
func (f Filter) Uncounted() bool {
	return f.CreatedBy != 0 || !f.CreatedAt.IsZero() || !f.PaidFrom.IsZero() || !f.PaidTo.IsZero()
}

// Matches reports whether an order matches the filter.
func (f Filter) Matches(o Order) bool {
	return (f.Status == "" || o.Status == f.Status) && (f.Refund == nil || o.Refund == *f.Refund) &&
		(f.Gateway == "" || o.Gateway == f.Gateway) && (f.TradeNo == "" || o.TradeNo == f.TradeNo) &&
		(f.TransactionNo == "" || o.TransactionNo == f.TransactionNo) &&
		(f.MerchandiseSchema == 0 || o.MerchandiseSchema == f.MerchandiseSchema) &&
		(f.MerchandiseRecord == "" || o.MerchandiseRecord == f.MerchandiseRecord) &&
		(f.Buyer == 0 || o.CreatedBy == f.Buyer) && (f.ID == 0 || o.ID == f.ID) && (f.CreatedBy == 0 || o.CreatedBy == f.CreatedBy) &&
		(f.CreatedAt.IsZero() || o.CreatedAt.Unix() == f.CreatedAt.Unix()) && f.paid(o.PaidAt)
}

func (f Filter) paid(at time.Time) bool {
	if f.PaidFrom.IsZero() && f.PaidTo.IsZero() {
		return true
	}
	return !at.IsZero() && !at.Before(f.PaidFrom) && (f.PaidTo.IsZero() || !at.After(f.PaidTo))
}

// Checks are the times, after the creation of a pending order, at which its vendor is queried, because no vendor
// guarantees delivery of notifications. Ticks come every minute.
var Checks = []time.Duration{
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// Check is a scheduled query about an order.
type Check struct {
	Scope   tenant.Scope
	Order   id.ID
	At      time.Time // when it is due
	Attempt int       // 0 = the first
	Shard   int       // of the list that has it
}

// Next returns the check after this one, for an order created at created; ok is false if there is none.
func (c Check) Next(created time.Time) (Check, bool) {
	if c.Attempt+1 >= len(Checks) {
		return Check{}, false
	}
	c.Attempt++
	c.At = created.Add(Checks[c.Attempt])
	return c, true
}

// CheckStore stores the scheduled checks.
type CheckStore interface {
	// Due returns checks that are due, oldest first: fewer than limit are all there are.
	Due(ctx context.Context, now time.Time, limit int) ([]Check, error)
	// Take replaces a check by next, nil for none, in one transaction, and sets the shard of next. It returns errs.Conflict if the check does not
	// exist: another process took it.
	Take(ctx context.Context, c Check, next *Check) error
}

// known reports whether a value is empty or in the list.
func known[T ~string](v T, list []T) bool { return v == "" || slices.Contains(list, v) }
