package payment

import (
	"context"
	"log/slog"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/order"
	"minicloud/shared/tenant"
)

// Refunder refunds orders through their vendors.
type Refunder struct {
	Orders   *order.Service
	Settings *Settings
	Vendors  Client
	Clock    clock.Clock
	Log      *slog.Logger
}

// Refund refunds the order with these numbers and returns it with the result of the request: accepted, succeeded or
// failed.
//
// The request is stored before it is sent, and retried with the same number until the vendor's result is known. If it
// is unknown, Refund returns errs.Unavailable, and the same call repeats the same refund. It returns errs.Invalid if
// nothing was requested, and errs.NotFound for an unknown order.
func (s *Refunder) Refund(
	ctx context.Context, scope tenant.Scope, n order.Numbers, wanted order.RefundRequest,
) (order.Order, order.RefundRequest, error) {
	o, keys, err := s.open(ctx, scope, n)
	if err != nil {
		return o, wanted, err
	}
	// Report missing settings before anything is stored.
	if _, err := NewRefundQuery(keys, o, wanted, id.Hex(16), s.Clock()); err != nil {
		return o, wanted, err
	}
	o, r, err := s.Orders.RequestRefund(ctx, scope, order.Numbers{ID: o.ID}, wanted)
	if err != nil || r.State != order.RequestPending {
		return o, r, err
	}

	answered, err := s.ask(ctx, keys, o, r)
	if err != nil {
		s.Log.WarnContext(ctx, "refund left open", "scope", scope.String(), "order", int64(o.ID), "refund_no", r.No,
			"error", err.Error())
		return o, r, errs.Unavailable(retryAfter,
			"nobody knows what the vendor did: call again, refund %s of %s is asked for once more and paid once", r.No,
			r.Amount)
	}
	r, err = s.Orders.SettleRefund(ctx, scope, o.ID, answered)
	return o, r, err
}

// retryAfter is the time to wait before repeating a refund with an unknown result, in seconds.
const retryAfter = 5

// open returns the order and the opened setting of its vendor.
func (s *Refunder) open(ctx context.Context, scope tenant.Scope, n order.Numbers) (order.Order, Keys, error) {
	o, err := s.Orders.One(ctx, scope, n)
	if err != nil {
		return o, Keys{}, err
	}
	vendor := Vendor(o.Gateway.Vendor())
	keys, err := s.Settings.Open(ctx, scope, vendor, secretNames[vendor]...)
	if errs.Is(err, errs.KindNotFound) {
		err = errs.Invalid("there is no payment setting for %s: there is nobody to ask for a refund", vendor)
	}
	return o, keys, err
}

func (s *Refunder) ask(ctx context.Context, k Keys, o order.Order, r order.RefundRequest) (order.RefundRequest, error) {
	q, err := NewRefundQuery(k, o, r, id.Hex(16), s.Clock())
	if err != nil {
		return r, err
	}
	answer, err := s.Vendors.Do(ctx, q)
	if err != nil {
		return r, err
	}
	return ReadRefundAnswer(k, o, r, answer, s.Clock())
}
