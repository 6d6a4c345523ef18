package order

import (
	"context"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/page"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
)

// eraseAtOnce is how many orders one call of Erase changes at most: one write each, within the time of a request.
const eraseAtOnce = 100

// Erase removes a user from their orders: the user's number, the IP address and the vendor's data of the payment, which
// names the payer. Numbers, amounts, times, the purchased item and refunds stay, because they are the record of the
// payment. It scans up to 20,000 orders, newest first, and continues after a cursor; next is empty when all are scanned.
// A repeated call finds only orders that still name the user.
func (s *Service) Erase(
	ctx context.Context, scope tenant.Scope, user int64, after page.Cursor,
) (erased int, next page.Cursor, err error) {
	if user <= 0 {
		return 0, "", errs.Invalid("user_id must be a positive integer")
	}
	found, err := s.Store.List(ctx, scope, Filter{CreatedBy: user}, page.Request{Limit: eraseAtOnce, After: after})
	if err != nil {
		return 0, "", err
	}
	for _, o := range found.Objects {
		if err := s.erase(ctx, scope, o); err != nil {
			return erased, "", err
		}
		erased++
	}
	return erased, found.Next, nil
}

// erase removes the user from one order, and again after a concurrent change of the order.
func (s *Service) erase(ctx context.Context, scope tenant.Scope, o Order) error {
	return retry.Writes.Do(ctx, retry.OnConflict, func(try int) (err error) {
		if try > 0 {
			if o, err = s.One(ctx, scope, Numbers{ID: o.ID}); err != nil {
				return err
			}
		}
		if o.CreatedBy == 0 {
			return nil // another request erased it
		}
		return s.Store.Change(ctx, scope, o, o.erased(s.Clock().Truncate(time.Second)))
	})
}

// erased returns the order without its user.
func (o Order) erased(now time.Time) Order {
	o.CreatedBy, o.IP, o.Extra = 0, "", nil
	o.ErasedAt, o.UpdatedAt = now, now
	return o
}
