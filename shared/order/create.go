package order

import (
	"context"
	"encoding/json"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
)

// Limits of an order that an end user creates (C42). Orders of notifications may be larger.
const (
	MaxOffered  = 127      // characters of the description, the limit of WeChat Pay
	MaxSnapshot = 16 << 10 // bytes of JSON
)

// offer returns errs.Invalid, which names the field, for an order that an end user may not create.
func (o Order) offer() error {
	switch n := len([]rune(o.Description)); {
	case n == 0 || n > MaxOffered:
		return errs.Invalid("merchandise_description must be 1 to %d characters", MaxOffered)
	case o.Gateway == "" || !known(o.Gateway, Gateways):
		return errs.Invalid("gateway_type must be one of the gateways, such as chatpay or altpay_wap")
	}
	snapshot, err := json.Marshal(o.Snapshot)
	if err != nil || len(snapshot) > MaxSnapshot {
		return errs.Invalid("merchandise_snapshot must be an object of at most %d KB", MaxSnapshot>>10)
	}
	return o.validate()
}

// Create stores a pending order of an end user before its vendor is asked, with new numbers: trade_no for vendors that
// know it by our number, and transaction_no. It returns errs.Invalid, which names the invalid field.
//
// With an Idempotency-Key, every try has the same numbers, and returns the order that the first one stored, as it is
// now.
func (s *Service) Create(ctx context.Context, scope tenant.Scope, o Order) (Order, error) {
	ids, now := writetoken.IDs(ctx, s.IDs, s.Clock())
	o.Status, o.CreatedAt = Pending, now.Truncate(time.Second).UTC()
	o.UpdatedAt = o.CreatedAt

	err := retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		o.ID, o.TransactionNo = ids.New(now), ids.Hex(16)
		// Alipay gives the order a number of its own.
		if o.Gateway.Vendor() != "alt" {
			o.TradeNo = ids.Hex(16)
		}
		if err := o.offer(); err != nil {
			return err
		}
		err := s.Store.Insert(ctx, scope, o, s.Clock().Add(Checks[0]))
		if !errs.Is(err, errs.KindDuplicate) {
			return err
		}

		// Either an earlier try stored this order, or the id is that of another one.
		found, err := s.Store.Find(ctx, scope, Numbers{TransactionNo: o.TransactionNo})
		switch {
		case err != nil:
			return err
		case len(found) == 1 && found[0].ID == o.ID:
			o = found[0]
			return nil
		}
		return errs.Conflict("another order has the same id, try again")
	})
	return o, err
}

// Refuse stores that the vendor refused to take a pending order, and why. It does not change an order that has been
// paid or refused meanwhile; it returns the order as it is then.
func (s *Service) Refuse(ctx context.Context, scope tenant.Scope, o Order, reason string) (Order, error) {
	return s.amend(ctx, scope, o, func(next *Order) bool {
		refuses := next.Status == Pending
		if refuses {
			next.Status, next.Reason = Failed, reason
		}
		return refuses
	})
}

// Numbered stores the number that the vendor gave a new order.
func (s *Service) Numbered(ctx context.Context, scope tenant.Scope, o Order, tradeNo string) (Order, error) {
	return s.amend(ctx, scope, o, func(next *Order) bool {
		unnumbered := next.TradeNo == ""
		if unnumbered {
			next.TradeNo = tradeNo
		}
		return unnumbered
	})
}

// amend changes an order, and again after a concurrent change; change returns false if there is nothing left to do.
func (s *Service) amend(
	ctx context.Context, scope tenant.Scope, o Order, change func(next *Order) bool,
) (Order, error) {
	err := retry.Writes.Do(ctx, retry.OnConflict, func(try int) (err error) {
		if try > 0 {
			if o, err = s.ByID(ctx, scope, o.ID); err != nil {
				return err
			}
		}
		next := o
		if !change(&next) {
			return nil
		}
		next.UpdatedAt = s.Clock().Truncate(time.Second)
		if err := s.Store.Change(ctx, scope, o, next); err != nil {
			return err
		}
		o = next
		return nil
	})
	return o, err
}
