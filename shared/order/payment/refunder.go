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

// Refunder pays back orders at their vendors.
type Refunder struct {
	Orders   *order.Service
	Settings *Settings
	Vendors  Client
	Clock    clock.Clock
	Log      *slog.Logger
}

// Refund pays back of the order that the numbers name, and returns it with what became of the request: accepted,
// succeeded or failed.
//
// The request is noted before the vendor hears of it, and asked under the same number until the vendor's answer is
// known: errs.Unavailable where it is not, and then the same call asks for the same refund again. errs.Invalid where
// nothing was asked for; errs.NotFound for an unknown order.
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

// retryAfter is when to ask again about a refund that is left open, in seconds.
const retryAfter = 5

// open returns the order and the setting of its vendor.
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

func (s *Refunder) ask(
	ctx context.Context, k Keys, o order.Order, r order.RefundRequest,
) (order.RefundRequest, error) {
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
