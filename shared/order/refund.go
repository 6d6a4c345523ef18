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

// refunded returns the refund status and the refunds of an order once it hears of p. Refunds with their amounts add up
// by their numbers, each once.
func (o Order) refunded(p Order) (Refund, map[string]Amount, error) {
	status, all := o.Refund, maps.Clone(o.Refunds)
	if ranks[p.Refund] > ranks[status] {
		status = p.Refund
	}
	for no, amount := range p.Refunds {
		if all == nil {
			all = map[string]Amount{}
		}
		if _, known := all[no]; !known {
			all[no] = amount
		}
	}
	if len(all) > MaxRefunds {
		return status, nil, errs.Mismatch("the order has %d refunds already", len(o.Refunds))
	}

	sum := Amount(0)
	for no, amount := range all {
		if amount > o.Total {
			return status, nil, errs.Mismatch("refund_amount of refund %s is more than the order's total_cost", no)
		}
		sum += amount
	}
	switch {
	case sum >= o.Total && sum > 0:
		status = RefundComplete
	case sum > 0 && ranks[status] < ranks[RefundPartial]:
		status = RefundPartial
	}
	return status, all, nil
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
