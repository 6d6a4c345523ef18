package order

import (
	"context"
	"maps"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
)

// RequestState is the state of a refund request to a vendor.
//
//	pending ──► accepted ──► succeeded   the vendor accepts it, then reports success
//	pending, accepted ──► failed         a repeated report of a failure changes nothing
//
// While it is pending the vendor's state is unknown; repeating the request with the same number reveals it.
type RequestState string

// The states of a request.
const (
	RequestPending   RequestState = "pending"
	RequestAccepted  RequestState = "accepted"
	RequestSucceeded RequestState = "succeeded"
	RequestFailed    RequestState = "failed"
)

// Limits of a request.
const (
	MaxMemo     = 80 // characters, the limit of WeChat Pay
	maxRefundNo = 32 // characters of the platform's number, the limit of all vendors
)

// RefundRequest is a refund request to the vendor of an order.
type RefundRequest struct {
	ID       id.ID
	No       string // the platform's number at the vendor
	Amount   Amount
	Memo     string
	State    RequestState
	VendorNo string // the vendor's number, "" if none
	Reason   string // why it failed
}

// number returns the key of the refund in Order.Refunds.
func (r RefundRequest) number() string {
	if r.VendorNo != "" {
		return r.VendorNo
	}
	return r.No
}

// Left returns the amount that can still be refunded: the total minus requested and reported refunds.
func (o Order) Left() Amount {
	if o.Refund == RefundComplete {
		return 0
	}
	left, counted := o.Total, map[string]bool{}
	// Pending requests count, because their money may have moved.
	for _, r := range o.RefundRequests {
		if r.State != RequestFailed {
			left, counted[r.number()] = left-r.Amount, true
		}
	}
	for no, amount := range o.Refunds {
		if !counted[no] {
			left -= amount
		}
	}
	return max(left, 0)
}

// RequestRefund stores a refund request before it is sent to the vendor, so that concurrent refunds never exceed the
// order. An Amount of 0 means the remaining amount.
//
// It returns the existing request, so that a retry does not refund twice, if r has the No of an existing one, or has no
// No while a request of that amount is pending. It returns errs.Invalid, with the reason, if the order cannot be
// refunded.
func (s *Service) RequestRefund(
	ctx context.Context, scope tenant.Scope, n Numbers, r RefundRequest,
) (Order, RefundRequest, error) {
	if err := r.validate(); err != nil {
		return Order{}, r, err
	}
	ids, now := writetoken.IDs(ctx, s.IDs, s.Clock())
	drawn, number := ids.New(now), ids.Hex(maxRefundNo/2)

	var o Order
	next := r
	err := retry.Writes.Do(ctx, retry.OnConflict, func(int) (err error) {
		if o, err = s.One(ctx, scope, n); err != nil {
			return err
		}
		// Read again after a conflict: the other writer may have stored the same request.
		if known, ok, err := o.sameRequest(r, number); ok || err != nil {
			next = known
			return err
		}
		if next.ID, next.State = drawn, RequestPending; next.No == "" {
			next.No = number
		}
		if next.Amount, err = o.refundable(r.Amount); err != nil {
			return err
		}
		return s.Store.Change(ctx, scope, o, o.withRequest(next, s.Clock()))
	})
	return o, next, err
}

// One returns the order that has all given numbers. It returns errs.NotFound if there is none, and errs.Invalid if the
// numbers belong to different orders.
func (s *Service) One(ctx context.Context, scope tenant.Scope, n Numbers) (Order, error) {
	found, err := s.Store.Find(ctx, scope, n)
	switch {
	case err != nil:
		return Order{}, err
	case len(found) == 0:
		return Order{}, errs.NotFound("there is no such order")
	case len(found) > 1:
		return Order{}, errs.Invalid("order_id, trade_no and transaction_no are of different orders")
	}
	o := found[0]
	// Find matches any of the numbers, so check all.
	if n.ID != 0 && n.ID != o.ID || n.TradeNo != "" && n.TradeNo != o.TradeNo ||
		n.TransactionNo != "" && n.TransactionNo != o.TransactionNo {
		return o, errs.Invalid("order_id, trade_no and transaction_no are of different orders")
	}
	return o, nil
}

// sameRequest returns the existing request that r repeats, if any. number is the refund number that an earlier try of
// the same call generated.
func (o Order) sameRequest(r RefundRequest, number string) (known RefundRequest, ok bool, err error) {
	no := r.No
	if no == "" {
		no = number
	}
	if known, ok = o.RefundRequests[no]; ok {
		if r.Amount != 0 && r.Amount != known.Amount {
			return known, true, errs.Invalid("refund_amount of refund %s is %s", no, known.Amount)
		}
		return known, true, nil
	}
	if r.No != "" {
		return r, false, nil
	}
	// Without a number, a second concurrent refund of the same amount cannot be distinguished from a retry.
	for _, other := range o.RefundRequests {
		if other.State == RequestPending && (r.Amount == 0 || r.Amount == other.Amount) {
			return other, true, nil
		}
	}
	return r, false, nil
}

// refundable returns the amount to refund; 0 means the remaining amount.
func (o Order) refundable(amount Amount) (Amount, error) {
	left := o.Left()
	switch {
	case o.Status != Success:
		return 0, errs.Invalid("the order is not paid: there is nothing to refund")
	case left == 0:
		return 0, errs.Invalid("nothing of the order is left to refund")
	case amount > left:
		return 0, errs.Invalid("refund_amount is %s, only %s of the order are left", amount, left)
	case len(o.RefundRequests) >= MaxRefunds || len(o.Refunds) >= MaxRefunds:
		return 0, errs.Invalid("the order has %d refunds already", MaxRefunds)
	case amount == 0:
		return left, nil
	}
	return amount, nil
}

func (r RefundRequest) validate() error {
	switch {
	case r.Amount < 0 || r.Amount > MaxAmount:
		return errs.Invalid("refund_amount must be above 0 and at most %s", MaxAmount)
	case len([]rune(r.Memo)) > MaxMemo || !printable(r.Memo):
		return errs.Invalid("memo must be at most %d printable characters", MaxMemo)
	case len(r.No) > maxRefundNo || strings.ContainsFunc(r.No, func(c rune) bool {
		return c != '_' && c != '-' && (c < '0' || '9' < c) && (c|0x20 < 'a' || 'z' < c|0x20)
	}):
		return errs.Invalid("refund_no must be at most %d letters, digits, _ and -", maxRefundNo)
	}
	return nil
}

// withRequest returns the order with the request added or replaced.
func (o Order) withRequest(r RefundRequest, now time.Time) Order {
	o.RefundRequests = maps.Clone(o.RefundRequests)
	if o.RefundRequests == nil {
		o.RefundRequests = map[string]RefundRequest{}
	}
	o.RefundRequests[r.No] = r
	o.UpdatedAt = now.Truncate(time.Second)
	return o
}

// SettleRefund stores the vendor's result of a request: accepted, succeeded or failed, with the vendor's number or
// reason. It does not change a request that a notification or another try has settled.
func (s *Service) SettleRefund(
	ctx context.Context, scope tenant.Scope, order id.ID, answered RefundRequest,
) (RefundRequest, error) {
	var r RefundRequest
	err := retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		o, err := s.ByID(ctx, scope, order)
		if err != nil {
			return err
		}
		// A notification may arrive before the response.
		var known bool
		if r, known = o.RefundRequests[answered.No]; !known || r.State != RequestPending {
			return nil
		}
		r.State, r.VendorNo, r.Reason = answered.State, answered.VendorNo, answered.Reason

		next := o.withRequest(r, s.Clock())
		next.settle(r)
		return s.Store.Change(ctx, scope, o, next)
	})
	return r, err
}

// settle updates the refunds and the refund status of an order for the result of a request.
func (o *Order) settle(r RefundRequest) {
	if r.State == RequestFailed {
		if _, counted := o.Refunds[r.number()]; counted { // it was accepted before
			o.Refunds = maps.Clone(o.Refunds)
			if delete(o.Refunds, r.number()); len(o.Refunds) == 0 {
				o.Refunds = nil
			}
			o.Refund = NoRefund // recomputed from the remaining refunds
		}
		o.Refund = o.refundStatus(RefundFailed)
		return
	}
	o.Refunds = maps.Clone(o.Refunds)
	if o.Refunds == nil {
		o.Refunds = map[string]Amount{}
	}
	o.Refunds[r.number()] = r.Amount
	o.Refund = o.refundStatus(NoRefund)
}

// refundStatus returns the highest of the stored status, the reported one, and the one that the sum of refunds implies.
func (o Order) refundStatus(told Refund) Refund {
	status := o.Refund
	if ranks[told] > ranks[status] {
		status = told
	}
	// Vendors also report "partial" for the last of several refunds.
	sum := Amount(0)
	for _, amount := range o.Refunds {
		sum += amount
	}
	switch {
	case sum >= o.Total && sum > 0:
		return RefundComplete
	case sum > 0 && ranks[status] < ranks[RefundPartial]:
		return RefundPartial
	}
	return status
}
