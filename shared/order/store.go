package order

import (
	"context"
	"slices"
	"time"

	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// Numbers name an order; at least one of them is given.
type Numbers struct {
	ID            id.ID
	TradeNo       string
	TransactionNo string
}

// Store remembers orders. Every read is consistent.
type Store interface {
	// Insert adds an order with its numbers, all or nothing, errs.Duplicate when one of them is taken. check is when
	// its vendor is asked about it first; zero is never.
	Insert(ctx context.Context, scope tenant.Scope, o Order, check time.Time) error
	// Find returns the orders that have one of these numbers, each once: several, when they belong to different ones.
	Find(ctx context.Context, scope tenant.Scope, n Numbers) ([]Order, error)
	// Change replaces old by next, which may get a trade number that old had not. errs.Conflict when the order has
	// another status, update time or refunds than old by now, or somebody else has the number.
	Change(ctx context.Context, scope tenant.Scope, old, next Order) error
	// List returns the orders that pass the filter, newest first, with their total.
	List(ctx context.Context, scope tenant.Scope, f Filter, req page.Request) (page.Page[Order], error)
}

// Filter selects orders; a zero field selects all.
type Filter struct {
	Status            Status
	Refund            *Refund
	Gateway           Gateway
	TradeNo           string
	TransactionNo     string
	MerchandiseSchema int64
	MerchandiseRecord string

	// These are of functions only, and none is counted: List looks through the orders for them.
	ID        id.ID
	CreatedBy int64
	CreatedAt time.Time // to the second
	PaidFrom  time.Time // paid at or after
	PaidTo    time.Time // paid at or before
}

// Uncounted reports whether nothing but looking tells how many orders pass the filter.
func (f Filter) Uncounted() bool {
	return f.CreatedBy != 0 || !f.CreatedAt.IsZero() || !f.PaidFrom.IsZero() || !f.PaidTo.IsZero()
}

// Matches reports whether an order passes the filter.
func (f Filter) Matches(o Order) bool {
	return (f.Status == "" || o.Status == f.Status) && (f.Refund == nil || o.Refund == *f.Refund) &&
		(f.Gateway == "" || o.Gateway == f.Gateway) && (f.TradeNo == "" || o.TradeNo == f.TradeNo) &&
		(f.TransactionNo == "" || o.TransactionNo == f.TransactionNo) &&
		(f.MerchandiseSchema == 0 || o.MerchandiseSchema == f.MerchandiseSchema) &&
		(f.MerchandiseRecord == "" || o.MerchandiseRecord == f.MerchandiseRecord) &&
		(f.ID == 0 || o.ID == f.ID) && (f.CreatedBy == 0 || o.CreatedBy == f.CreatedBy) &&
		(f.CreatedAt.IsZero() || o.CreatedAt.Unix() == f.CreatedAt.Unix()) && f.paid(o.PaidAt)
}

func (f Filter) paid(at time.Time) bool {
	if f.PaidFrom.IsZero() && f.PaidTo.IsZero() {
		return true
	}
	return !at.IsZero() && !at.Before(f.PaidFrom) && (f.PaidTo.IsZero() || !at.After(f.PaidTo))
}

// Checks is how long after its creation the vendor of a pending order is asked about it, since no vendor promises a
// last notification. The clock ticks by the minute.
var Checks = []time.Duration{
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// Check is an order whose vendor is to be asked.
type Check struct {
	Scope   tenant.Scope
	Order   id.ID
	At      time.Time // when it is due
	Attempt int       // 0 = the first
}

// Next is the check after this one of an order made at created, false when there is none.
func (c Check) Next(created time.Time) (Check, bool) {
	if c.Attempt+1 >= len(Checks) {
		return Check{}, false
	}
	c.Attempt++
	c.At = created.Add(Checks[c.Attempt])
	return c, true
}

// CheckStore remembers which orders' vendors to ask, and when.
type CheckStore interface {
	// Due returns up to limit checks that are due, the oldest first.
	Due(ctx context.Context, now time.Time, limit int) ([]Check, error)
	// Take removes a check and puts next in its place, nil is none, all or nothing. errs.Conflict when it is not there:
	// somebody else took it.
	Take(ctx context.Context, c Check, next *Check) error
}

// known reports whether a value is one of a list, or none.
func known[T ~string](v T, list []T) bool { return v == "" || slices.Contains(list, v) }
