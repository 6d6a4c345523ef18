package payment

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/order"
)

// Asker sends a question to a vendor and returns what it answered with status 200 or 4xx.
type Asker interface {
	Ask(ctx context.Context, q Query) (Answer, error)
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
	Vendors  Asker
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
)

// Tick asks about every order that is due and returns how many. Where none is, it costs one query.
func (r *Reconciler) Tick(ctx context.Context) (asked int, err error) {
	now := r.Clock()
	for range maxRounds {
		due, err := r.Checks.Due(ctx, now, dueAtOnce)
		if err != nil {
			return asked, err
		}

		var group sync.WaitGroup
		free := make(chan struct{}, askedAtOnce)
		for _, c := range due {
			free <- struct{}{}
			group.Go(func() {
				defer func() { <-free }()
				if err := r.check(ctx, c); err != nil {
					r.Log.WarnContext(ctx, "check failed", "scope", c.Scope.String(), "order", int64(c.Order),
						"attempt", c.Attempt, "error", err.Error())
				}
			})
		}
		group.Wait()
		if asked += len(due); len(due) < dueAtOnce {
			break
		}
	}
	return asked, nil
}

// check asks about one order. The next check is put in place before: who dies in between has not lost the order.
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
	following := &next
	if !more {
		following = nil
	}
	if err := r.Checks.Take(ctx, c, following); err != nil {
		return err
	}
	err = r.ask(ctx, c, keys, o)
	if errs.Is(err, errs.KindMismatch) && following != nil {
		return errors.Join(err, r.Checks.Take(ctx, *following, nil)) // the vendor would say the same again
	}
	return err
}

func (r *Reconciler) ask(ctx context.Context, c order.Check, k Keys, o order.Order) error {
	q, err := Ask(k, o, id.Hex(16), r.Clock())
	if err != nil {
		return err
	}
	answer, err := r.Vendors.Ask(ctx, q)
	if err != nil {
		return err
	}
	if answer.Status != statusOK {
		return errs.Unavailable(0, "the vendor answered with status %d", answer.Status)
	}
	p, err := ReadAnswer(k, o, answer, r.Clock())
	if err != nil || p.Status == order.Pending {
		return err
	}
	if _, _, err = r.Orders.Paid(ctx, c.Scope, p); !errs.Is(err, errs.KindMismatch) {
		return err
	}

	// The consumer of the bus refuses it, too, and keeps it with the reason, where its owner is told.
	detail, failed := order.Detail{Scope: c.Scope, Payment: p}.JSON()
	if failed == nil {
		failed = r.Bus.Put(ctx, DetailType, detail)
	}
	if failed != nil {
		return failed // asked again
	}
	return err
}
