package order

import (
	"maps"

	"minicloud/shared/errs"
)

// MaxRefunds is the maximum number of refunds of an order; vendors allow 50.
const MaxRefunds = 100

// ranks orders the refund statuses. Vendors report them repeatedly and in any order, and the highest one is kept. A
// failed refund does not change the status after a successful one.
var ranks = map[Refund]int{NoRefund: 0, RefundFailed: 1, RefundPartial: 2, RefundComplete: 3}

// refunded returns the order with the refunds of notification p. Each refund number counts once; refunds that the
// platform requested are matched by the platform's number.
func (o Order) refunded(p Order) (Order, error) {
	next := o
	// Copy the maps: o is compared with the result later.
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

// hearOf applies a vendor's report of a requested refund. A failure does not undo a reported success.
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
				delete(o.Refunds, r.No) // stored under the platform's number until now
			}
			r.VendorNo = no
		}
		o.Refund = o.refundStatus(NoRefund)
	}
	o.RefundRequests[r.No] = r
}

// validateRefund returns errs.Invalid, which names the field, if the refund data is inconsistent.
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
