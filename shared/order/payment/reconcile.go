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
	// Do returns the answer of a vendor with status 200 or 4xx.
	Do(ctx context.Context, q Query) (Answer, error)
}

// Bus takes events; *bus.Bus is one.
type Bus interface {
	Put(ctx context.Context, detailType string, detail []byte) error
}

// DetailType is that of payments on the bus (D41).
const DetailType = "payment"

// Reconciler asks vendors about orders that stay pending: none promises a last notification.
type Reconciler struct {
	Orders   *order.Service
	Checks   order.CheckStore
	Settings *Settings
	Vendors  Client
	Bus      Bus // takes payments that contradict their order
	Clock    clock.Clock
	Log      *slog.Logger
}

const (
	// dueAtOnce is how many checks one read brings.
	dueAtOnce = 50
	// maxRounds bounds one tick; what is left is due at the next.
	maxRounds = 10
	// askedAtOnce is how many vendors' answers are waited for side by side.
	askedAtOnce = 10
	// storeAgain is when the last check is made again whose answer could not be stored.
	storeAgain = 5 * time.Minute
)

// Tick queries the vendors about every order that is due, and returns their number. Without such orders it costs one query.
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

// check asks about one order. The next check is put in place before, and the last one is removed after its answer is
// stored: a crash in between does not lose the order.
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
	if errs.Is(err, errs.KindNotFound) || err == nil && keys.BaseURL == "" {
		return r.Checks.Take(ctx, c, nil) // there is nobody to ask
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
		return errors.Join(err, r.Checks.Take(ctx, next, nil)) // the vendor would say the same again
	case more:
		return err
	case answered && err != nil && !refused:
		again := c
		again.At = r.Clock().Add(storeAgain)
		return errors.Join(err, r.Checks.Take(ctx, c, &again))
	}
	return errors.Join(err, r.Checks.Take(ctx, c, nil))
}

// ask returns what the vendor says about an order, which is still pending where it knows of no end.
func (r *Reconciler) ask(ctx context.Context, k Keys, o order.Order) (order.Order, error) {
	q, err := NewQuery(k, o, id.Hex(16), r.Clock())
	if err != nil {
		return order.Order{}, err
	}
	answer, err := r.Vendors.Do(ctx, q)
	if err != nil {
		return order.Order{}, err
	}
	if answer.Status != statusOK {
		return order.Order{}, errs.Unavailable(0, "the vendor answered with status %d", answer.Status)
	}
	return ReadAnswer(k, o, answer, r.Clock())
}

// store stores a payment. errs.Mismatch where it contradicts its order: the bus has it then. With any other error
// nothing is stored.
func (r *Reconciler) store(ctx context.Context, scope tenant.Scope, p order.Order) error {
	_, _, err := r.Orders.Paid(ctx, scope, p)
	if !errs.Is(err, errs.KindMismatch) {
		return err
	}

	// The consumer of the bus refuses it, too, and keeps it with the reason, where its owner is told.
	detail, failed := order.Detail{Scope: scope, Payment: p}.JSON()
	if failed == nil {
		failed = r.Bus.Put(ctx, DetailType, detail)
	}
	if failed != nil {
		return failed // asked again
	}
	return err
}
