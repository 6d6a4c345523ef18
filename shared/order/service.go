package order

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"maps"
	"strings"
	"time"
	"unicode"

	"minicloud/shared/clip"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
)

// Limits of an order.
const (
	MaxNumber      = 64        // bytes of a trade or transaction number, or of a record id
	MaxDescription = 1000      // characters
	MaxObjects     = 200 << 10 // bytes of JSON of the snapshot and the vendor's data together
)

// Service creates and changes orders.
type Service struct {
	Store Store
	Clock clock.Clock
	IDs   *id.Source // of refunds; nil if the program requests none
}

// Paid records a payment. It creates the order if necessary, otherwise it updates the order once; changed is false for
// a repeated notification. A payment without a status is a success, a pending one creates an unpaid order, and one with
// a refund status reports a refund.
//
// It returns errs.Mismatch if the payment contradicts the order (another amount, currency, user or vendor, or numbers
// of different orders) or would create an order in a currency other than Currency, and errs.Invalid for an invalid
// field. Both are final; errs.Conflict and errs.Unavailable are retryable.
func (s *Service) Paid(ctx context.Context, scope tenant.Scope, p Order) (o Order, changed bool, err error) {
	if p.Status == "" {
		p.Status = Success
	}
	if err := p.validate(); err != nil {
		return o, false, err
	}

	// A concurrent notification may create or change the order: the next try reads its state.
	err = retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		found, err := s.Store.Find(ctx, scope, Numbers{p.ID, p.TradeNo, p.TransactionNo})
		if err != nil {
			return err
		}
		switch len(found) {
		case 0:
			o, err = s.create(ctx, scope, p)
			changed = err == nil
		case 1:
			o, changed, err = s.change(ctx, scope, found[0], p)
		default:
			err = errs.Mismatch("trade_no and transaction_no belong to different orders")
		}
		return err
	})
	return o, changed, err
}

// create adds the order of a payment. It returns errs.Conflict if another order has taken one of its numbers.
func (s *Service) create(ctx context.Context, scope tenant.Scope, p Order) (Order, error) {
	if p.foreign() {
		return p, errs.Mismatch("currency_type is %s, orders are in %s", clip.Text(p.Currency, clip.Name), Currency)
	}
	p.Currency = ""
	now := s.Clock().Truncate(time.Second)
	o := p
	refunded, err := (Order{Total: p.Total}).refunded(p)
	if err != nil {
		return o, err
	}
	o.Refund, o.Refunds, o.RefundNo = refunded.Refund, refunded.Refunds, ""
	if o.CreatedAt.IsZero() || o.CreatedAt.After(now) {
		o.CreatedAt = now
	}
	if o.UpdatedAt.IsZero() || o.UpdatedAt.After(now) {
		o.UpdatedAt = now
	}
	if o.Status == Success && o.PaidAt.IsZero() {
		o.PaidAt = now
	}
	if o.TransactionNo == "" {
		o.TransactionNo = id.Hex(16)
	}
	if o.ID == 0 {
		// Lists are ordered by id, so an order that was created earlier gets an id of that time. A random time within
		// the second avoids collisions: its first millisecond has few ids.
		o.ID = new(id.Source).New(o.CreatedAt.Add(aside()))
	}

	var check time.Time
	if o.Status == Pending {
		check = now.Add(Checks[0])
	}
	err = s.Store.Insert(ctx, scope, o, check)
	if errs.Is(err, errs.KindDuplicate) {
		err = errs.Conflict("another request has created the order, try again")
	}
	return o, err
}

// aside returns a random duration below a second, from the same random source as ids.
func aside() time.Duration {
	var random [2]byte
	rand.Read(random[:])
	return time.Duration(binary.BigEndian.Uint16(random[:])%1000) * time.Millisecond
}

// change updates a stored order by a payment, if anything differs.
func (s *Service) change(ctx context.Context, scope tenant.Scope, stored, p Order) (Order, bool, error) {
	if err := stored.contradiction(p); err != nil {
		return stored, false, err
	}
	next, err := stored.refunded(p)
	if err != nil {
		return stored, false, err
	}
	// Notifications are repeated: one that changes nothing must write nothing, so that no trigger fires.
	becomes := stored.Status.becomes(p.Status)
	if !becomes && next.Refund == stored.Refund && maps.Equal(next.Refunds, stored.Refunds) &&
		maps.Equal(next.RefundRequests, stored.RefundRequests) {
		return stored, false, nil
	}

	next.UpdatedAt = s.Clock().Truncate(time.Second)
	if becomes {
		next.pay(p)
	}
	if err := s.Store.Change(ctx, scope, stored, next); err != nil {
		return stored, false, err
	}
	return next, true, nil
}

// pay sets the status of a payment and stores the vendor's data. Refunds do not call it, so they keep the data of the
// payment.
func (o *Order) pay(p Order) {
	if o.Status = p.Status; o.Status == Success {
		if o.PaidAt = p.PaidAt; o.PaidAt.IsZero() {
			o.PaidAt = o.UpdatedAt
		}
	}
	if len(p.Extra) > 0 && o.ErasedAt.IsZero() {
		o.Extra = p.Extra
	}
	if o.TradeNo == "" {
		o.TradeNo = p.TradeNo
	}
}

// becomes reports whether the transition from s to next is allowed.
func (s Status) becomes(next Status) bool {
	return s == Pending && next != Pending || s == Failed && next == Success
}

// contradiction returns errs.Mismatch for a payment that contradicts the stored order.
func (o Order) contradiction(p Order) error {
	switch {
	case p.foreign():
		return errs.Mismatch("currency_type is %s, that of order %d is %s", clip.Text(p.Currency, clip.Name), o.ID, Currency)
	case p.Total != o.Total:
		return errs.Mismatch("total_cost is %s, that of order %d is %s", p.Total, o.ID, o.Total)
	case p.CreatedBy != 0 && o.CreatedBy != 0 && p.CreatedBy != o.CreatedBy:
		return errs.Mismatch("created_by is %d, order %d is of user %d", p.CreatedBy, o.ID, o.CreatedBy)
	case p.Gateway.Vendor() != o.Gateway.Vendor():
		return errs.Mismatch("gateway_type is %s, that of order %d is %s", p.Gateway, o.ID, o.Gateway)
	case p.TradeNo != "" && o.TradeNo != "" && p.TradeNo != o.TradeNo:
		return errs.Mismatch("trade_no is not that of order %d", o.ID)
	case p.TransactionNo != "" && p.TransactionNo != o.TransactionNo:
		return errs.Mismatch("transaction_no is not that of order %d", o.ID)
	case p.ID != 0 && p.ID != o.ID:
		return errs.Mismatch("id is %d, that of the order is %d", p.ID, o.ID)
	}
	return nil
}

// foreign reports whether a payment has another currency than orders: its number is then another amount.
func (o Order) foreign() bool { return o.Currency != "" && !strings.EqualFold(o.Currency, Currency) }

// validate returns errs.Invalid, which names the invalid field.
func (o Order) validate() error {
	switch {
	case o.ID < 0 || o.ID >= 1<<53:
		return errs.Invalid("id must be a positive integer below 2^53")
	case o.Gateway == "" || !known(o.Gateway, Gateways):
		return errs.Invalid("gateway_type %q is not known", clip.Text(string(o.Gateway), clip.Name))
	case o.Status == "" || !known(o.Status, Statuses):
		return errs.Invalid("status must be pending, failed or success")
	case !known(o.Refund, Refunds):
		return errs.Invalid("refund_status must be complete, partial or failed")
	case o.TradeNo == "" && o.TransactionNo == "" && o.ID == 0:
		return errs.Invalid("trade_no or transaction_no is required")
	case o.Total <= 0 || o.Total > MaxAmount:
		return errs.Invalid("total_cost must be above 0 and at most %s", MaxAmount)
	case o.MerchandiseSchema < 0:
		return errs.Invalid("merchandise_schema_id must be a positive integer")
	case o.CreatedBy < 0:
		return errs.Invalid("created_by must be a positive integer")
	case len([]rune(o.Description)) > MaxDescription:
		return errs.Invalid("merchandise_description must be at most %d characters", MaxDescription)
	case len(o.IP) > MaxNumber:
		return errs.Invalid("ip_address must be at most %d bytes", MaxNumber)
	}

	if err := checkNumbers(o.TradeNo, o.TransactionNo, o.MerchandiseRecord); err != nil {
		return err
	}
	objects, err := json.Marshal([]any{o.Snapshot, o.Extra})
	if err != nil || len(objects) > MaxObjects {
		return errs.Invalid("merchandise_snapshot and gateway_extra_info must be at most %d KB together", MaxObjects>>10)
	}
	return o.validateRefund()
}

// checkNumbers returns errs.Invalid, which names the invalid number.
func checkNumbers(trade, transaction, merchandise string) error {
	for _, n := range []struct{ field, text string }{
		{"trade_no", trade}, {"transaction_no", transaction}, {"merchandise_record_id", merchandise},
	} {
		if len(n.text) > MaxNumber || !printable(n.text) {
			return errs.Invalid("%s must be at most %d printable characters", n.field, MaxNumber)
		}
	}
	return nil
}

func printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// List returns the orders that match the filter, newest first (endpoint 20). It returns errs.Invalid for a number that
// no order can have.
func (s *Service) List(ctx context.Context, scope tenant.Scope, f Filter, req page.Request) (page.Page[Order], error) {
	if err := checkNumbers(f.TradeNo, f.TransactionNo, f.MerchandiseRecord); err != nil {
		return page.Page[Order]{}, err
	}
	return s.Store.List(ctx, scope, f, req)
}

// ErrUnknown returns the errs.NotFound for a transaction number of no order, or of an order of somebody else.
func ErrUnknown(transactionNo string) error {
	return errs.NotFound("there is no order with transaction_no %q", clip.Text(transactionNo, clip.Name))
}

// ByTransactionNo returns an order by its transaction number. It returns errs.NotFound if there is none.
func (s *Service) ByTransactionNo(ctx context.Context, scope tenant.Scope, no string) (Order, error) {
	found, err := s.Store.Find(ctx, scope, Numbers{TransactionNo: no})
	if err == nil && len(found) == 0 {
		err = ErrUnknown(no)
	}
	if err != nil {
		return Order{}, err
	}
	return found[0], nil
}

// ByID returns an order by its id. It returns errs.NotFound if there is none.
func (s *Service) ByID(ctx context.Context, scope tenant.Scope, orderID id.ID) (Order, error) {
	found, err := s.Store.Find(ctx, scope, Numbers{ID: orderID})
	if err == nil && len(found) == 0 {
		err = errs.NotFound("order %d not found", orderID)
	}
	if err != nil {
		return Order{}, err
	}
	return found[0], nil
}
