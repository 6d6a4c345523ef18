package payment

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/order"
	"minicloud/shared/tenant"
)

// Client sends requests to vendors.
type Client interface {
	// Do returns a vendor's response with status 200 or 4xx.
	Do(ctx context.Context, q Query) (Answer, error)
}

// Bus publishes events; *bus.Bus implements it.
type Bus interface {
	// Put returns nil when the bus has accepted the event.
	Put(ctx context.Context, detailType string, detail []byte) error
}

// DetailType is the detail type of payments on the bus (D41).
const DetailType = "payment"

// Reconciler queries vendors about orders that stay pending, because no vendor guarantees delivery of notifications.
type Reconciler struct {
	Orders   *order.Service
	Checks   order.CheckStore
	Settings *Settings
	Vendors  Client
	Bus      Bus // receives payments that contradict their order
	Clock    clock.Clock
	Log      *slog.Logger
}

const (
	// dueAtOnce is the number of checks per read.
	dueAtOnce = 50
	// maxRounds is the maximum number of reads per tick; the remaining checks are due at the next tick.
	maxRounds = 10
	// askedAtOnce is the number of concurrent requests to vendors.
	askedAtOnce = 10
	// storeAgain is the delay of another check if the answer of the last check could not be stored.
	storeAgain = 5 * time.Minute
)

// Tick queries the vendors about every order that is due and returns their number. Without such orders it costs one
// query.
func (r *Reconciler) Tick(ctx context.Context) (asked int, err error) {
	now := r.Clock()
	for range maxRounds {
		due, err := r.Checks.Due(ctx, now, dueAtOnce)
		if err != nil {
			return asked, err
		}

		var group errgroup.Group
		group.SetLimit(askedAtOnce)
		for _, c := range due {
			group.Go(func() error {
				// A failed check stays due; it must not stop the others.
				if err := r.check(ctx, c); err != nil {
					r.Log.WarnContext(ctx, "check failed", "scope", c.Scope.String(), "order", int64(c.Order),
						"attempt", c.Attempt, "error", err.Error())
				}
				return nil
			})
		}
		_ = group.Wait() // no check returns an error
		if asked += len(due); len(due) < dueAtOnce {
			break
		}
	}
	return asked, nil
}

// check queries the vendor about one order. It stores the next check first, and removes the last check only after its
// answer is stored, so that a crash in between does not lose the order.
func (r *Reconciler) check(ctx context.Context, c order.Check) error {
	o, err := r.Orders.ByID(ctx, c.Scope, c.Order)
	if errs.Is(err, errs.KindNotFound) || err == nil && o.Status != order.Pending {
		return r.Checks.Take(ctx, c, nil)
	}
	if err != nil {
		return err
	}

	vendor := Vendor(o.Gateway.Vendor())
	keys, err := r.Settings.Open(ctx, c.Scope, vendor, MerchantKey, PrivateKey)
	if errs.Is(err, errs.KindNotFound) || err == nil && !keys.asks() {
		return r.Checks.Take(ctx, c, nil) // the vendor cannot be queried
	}
	if err != nil {
		return err
	}

	next, more := c.Next(o.CreatedAt)
	for more && !next.At.After(r.Clock()) {
		next, more = next.Next(o.CreatedAt)
	}
	if more {
		if err := r.Checks.Take(ctx, c, &next); err != nil {
			return err
		}
	}
	p, err := r.ask(ctx, keys, o)
	answered := err == nil && p.Status != order.Pending
	if answered {
		err = r.store(ctx, c.Scope, p)
	}
	refused := errs.Is(err, errs.KindMismatch)

	switch {
	case more && refused:
		return errors.Join(err, r.Checks.Take(ctx, next, nil)) // the vendor's answer would not change
	case more:
		return err
	case answered && err != nil && !refused:
		again := c
		again.At = r.Clock().Add(storeAgain)
		return errors.Join(err, r.Checks.Take(ctx, c, &again))
	}
	return errors.Join(err, r.Checks.Take(ctx, c, nil))
}

// asks reports whether the setting has what questions need. An application may have set only what verifies notifications.
func (k Keys) asks() bool {
	signs := k.Secret[MerchantKey] != "" || k.usesV3()
	if k.Vendor == Alt {
		signs = k.Secret[PrivateKey] != ""
	}
	return signs && k.BaseURL != ""
}

// ask returns the vendor's state of an order, which is pending unless the vendor reports its end.
func (r *Reconciler) ask(ctx context.Context, k Keys, o order.Order) (order.Order, error) {
	q, err := NewQuery(k, o, id.Hex(16), r.Clock())
	if err != nil {
		return order.Order{}, err
	}
	answer, err := r.Vendors.Do(ctx, q)
	if err != nil {
		return order.Order{}, err
	}
	if answer.Status != StatusOK {
		return order.Order{}, errs.Unavailable(0, "the vendor answered with status %d", answer.Status)
	}
	return ReadAnswer(k, o, answer, r.Clock())
}

// store stores a payment. It returns errs.Mismatch, after publishing the payment on the bus, if the payment contradicts
// its order. With any other error nothing is stored.
func (r *Reconciler) store(ctx context.Context, scope tenant.Scope, p order.Order) error {
	_, _, err := r.Orders.Paid(ctx, scope, p)
	if !errs.Is(err, errs.KindMismatch) {
		return err
	}

	// The consumer of the bus refuses the payment as well and stores it with the reason as a dead letter, where its
	// owner is notified.
	detail, failed := order.Detail{Scope: scope, Payment: p}.JSON()
	if failed == nil {
		failed = r.Bus.Put(ctx, DetailType, detail)
	}
	if failed != nil {
		return failed // the check is repeated
	}
	return err
}
