package order

import (
	"context"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/page"
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
		_, err := s.amend(ctx, scope, o, func(next *Order) bool {
			named := next.CreatedBy != 0 // else another request has erased it
			if named {
				next.CreatedBy, next.IP, next.Extra = 0, "", nil
				next.ErasedAt = s.Clock().Truncate(time.Second)
			}
			return named
		})
		if err != nil {
			return erased, "", err
		}
		erased++
	}
	return erased, found.Next, nil
}
