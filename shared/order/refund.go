package order

import (
	"maps"

	"minicloud/shared/errs"
)

// MaxRefunds is how many refunds one order may have; vendors allow 50.
const MaxRefunds = 100

// ranks order what an order hears of its refunds, which comes more than once and in any order: the higher one stays. A
// refund that fails beside one that did not changes nothing.
var ranks = map[Refund]int{NoRefund: 0, RefundFailed: 1, RefundPartial: 2, RefundComplete: 3}

// refunded returns the order with the refunds of notification p. Each refund number counts once; refunds that the platform
// requested are matched by our number.
func (o Order) refunded(p Order) (Order, error) {
	next := o
	// o is compared with the result later, so its maps must not change.
	next.Refunds = maps.Clone(o.Refunds)
	next.RefundRequests = maps.Clone(o.RefundRequests)
	for no, amount := range p.Refunds {
		if next.Refunds == nil {
			next.Refunds = map[string]Amount{}
		}
		if _, known := next.Refunds[no]; !known {
			next.Refunds[no] = amount
		}
		if amount > o.Total {
			return o, errs.Mismatch("refund_amount of refund %s is more than the order's total_cost", no)
		}
	}
	if len(next.Refunds) > MaxRefunds {
		return o, errs.Mismatch("the order has %d refunds already", len(o.Refunds))
	}

	next.Refund = next.refundStatus(p.Refund)
	if r, ours := next.RefundRequests[p.RefundNo]; ours {
		next.hearOf(r, p)
	}
	return next, nil
}

// hearOf notes what a vendor tells of a refund that we asked for. A failure does not undo what was told as a success.
func (o *Order) hearOf(r RefundRequest, p Order) {
	if p.Refund == RefundFailed {
		if r.State == RequestPending || r.State == RequestAccepted {
			r.State, r.Reason = RequestFailed, "the vendor told that it failed"
			o.settle(r)
		}
	} else {
		r.State, r.Reason = RequestSucceeded, ""
		for no := range p.Refunds {
			if r.VendorNo == "" && no != r.No {
				delete(o.Refunds, r.No) // known by our number until now
			}
			r.VendorNo = no
		}
		o.Refund = o.refundStatus(NoRefund)
	}
	o.RefundRequests[r.No] = r
}

// validateRefund returns errs.Invalid naming the field by which a payment cannot tell of a refund.
func (o Order) validateRefund() error {
	if o.Status != Success && (o.Refund != NoRefund || len(o.Refunds) > 0) {
		return errs.Invalid("refund_status needs status success: what is paid back was paid")
	}
	for no, amount := range o.Refunds {
		switch {
		case no == "" || len(no) > MaxNumber || !printable(no):
			return errs.Invalid("refund_no must be 1 to %d printable characters", MaxNumber)
		case amount <= 0 || amount > MaxAmount:
			return errs.Invalid("refund_amount must be above 0 and at most %s", MaxAmount)
		}
	}
	return nil
}
