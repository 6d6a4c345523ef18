// Package checkout creates orders of end users at the payment vendors. A pending order is stored before its vendor is
// asked, under the number by which the vendor knows it:
//
//	stored ──► asked ──► taken      201 with the parameters of the payment
//	             ├─────► refused    400 with the vendor's words; the order has failed
//	             └─────► unknown    503; the order stays pending, the same Idempotency-Key asks for the same number again
//
// So a request that timed out never leads to two orders that can be paid.
package checkout

import (
	"context"
	"log/slog"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/order"
	"minicloud/shared/order/payment"
	"minicloud/shared/tenant"
)

// Gateway creates orders of end users at the vendors (the port PaymentGateway): it has the setting of each application,
// and its Client reaches the vendors.
type Gateway struct {
	Orders   *order.Service
	Settings *payment.Settings
	Vendors  payment.Client
	Clock    clock.Clock
	Log      *slog.Logger
}

// Wanted is an order that an end user wants to create.
type Wanted struct {
	Order         order.Order // without numbers
	Buyer         Buyer
	Client        string // client id of the application
	BaseURL       string // of the platform, where vendors notify
	ProfitSharing bool
}

// Create stores a pending order, then asks its vendor to take it, and returns it with the parameters of the payment.
//
// It returns errs.Invalid, with the vendor's words, if the vendor refuses: the order has failed then. It returns
// errs.Unavailable if it is unknown what the vendor did: the order stays pending, and the same call with the same
// Idempotency-Key asks for the same number again, which the vendor takes once. Without a setting, or with an invalid
// field, nothing is stored: errs.Invalid.
func (g *Gateway) Create(ctx context.Context, scope tenant.Scope, w Wanted) (order.Order, Parameters, error) {
	vendor := payment.Vendor(w.Order.Gateway.Vendor())
	if !vendor.Known() { // not a gateway, which has no setting either
		return w.Order, nil, errs.Invalid("gateway_type must be one of the gateways, such as chatpay or altpay_wap")
	}
	keys, err := g.Settings.Open(ctx, scope, vendor, needs(vendor)...)
	if errs.Is(err, errs.KindNotFound) {
		err = errs.Invalid("there is no payment setting for %s: no order can be made", vendor)
	}
	if err != nil {
		return w.Order, nil, err
	}

	terms := Terms{Buyer: w.Buyer, Home: w.BaseURL, ProfitSharing: w.ProfitSharing}
	env := string(scope.Env)
	if scope.Env == tenant.Production {
		env = ""
	}
	terms.Notify = NotifyURL(w.BaseURL, vendor, w.Client, env)
	if err := terms.check(keys, w.Order.Gateway); err != nil {
		return w.Order, nil, err
	}

	o, err := g.Orders.Create(ctx, scope, w.Order)
	if err != nil {
		return o, nil, err
	}
	// An earlier try with the same key may have got further.
	switch o.Status {
	case order.Failed:
		return o, nil, refused(vendor, o.Reason)
	case order.Success:
		return o, nil, errs.Invalid("order %s is paid already", o.TransactionNo)
	}
	return g.ask(ctx, scope, keys, o, terms)
}

// ask makes the vendor take a stored order.
func (g *Gateway) ask(
	ctx context.Context, scope tenant.Scope, k payment.Keys, o order.Order, t Terms,
) (order.Order, Parameters, error) {
	if _, signed := signedMethods[o.Gateway]; signed {
		address, err := t.signedURL(k, o)
		p := Parameters{"payment_url": address}
		if o.Gateway == order.AltpayApp {
			p["appid"] = k.AppID
		}
		return o, p, err
	}

	told, err := g.take(ctx, k, o, t)
	if err != nil {
		g.Log.WarnContext(ctx, "order left open", "scope", scope.String(), "order", int64(o.ID), "error", err.Error())
		return o, nil, errs.Unavailable(retryAfter,
			"nobody knows whether %s took order %s: repeat the request with the same Idempotency-Key", k.Vendor, o.TransactionNo)
	}
	if told.Refusal != "" {
		// An order that the vendor knows already may be paid: its notification or a query decides.
		if !told.Known {
			if o, err = g.Orders.Refuse(ctx, scope, o, told.Refusal); err != nil {
				return o, nil, err
			}
		}
		return o, nil, refused(k.Vendor, told.Refusal)
	}
	if k.Vendor == payment.Alt {
		o, err = g.Orders.Numbered(ctx, scope, o, told.TradeNo)
		return o, nil, err
	}
	return o, parameters(k, o, told), nil
}

// take asks the vendor and reads its answer. After an error it is unknown whether the vendor took the order.
func (g *Gateway) take(ctx context.Context, k payment.Keys, o order.Order, t Terms) (Taken, error) {
	q, err := NewOrderQuery(k, o, t, id.Hex(16), g.Clock())
	if err != nil {
		return Taken{}, err
	}
	answer, err := g.Vendors.Do(ctx, q)
	// The address in the setting cannot be asked, so nothing was sent.
	if errs.Is(err, errs.KindInvalid) {
		return Taken{Refusal: errs.Message(err)}, nil
	}
	if err != nil {
		return Taken{}, err
	}
	return ReadOrderAnswer(k, o, answer, g.Clock())
}

// Seconds until a request whose outcome is unknown should be repeated, and the maximum length of a stored refusal, in
// characters.
const (
	retryAfter = 5
	maxReason  = 200
)

// refused returns the error of a refusal.
func refused(v payment.Vendor, words string) error {
	return errs.Invalid("%s refuses the order: %s", v, words)
}
