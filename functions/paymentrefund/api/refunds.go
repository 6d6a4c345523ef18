package api

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/order"
)

// Refund is a refund of an order.
type Refund struct {
	RefundNo  string             `json:"refund_no"`
	Amount    json.Number        `json:"refund_amount"`
	Status    order.RequestState `json:"status" enum:"pending,accepted,succeeded,failed"` // The status. pending: the outcome at the vendor is unknown; accepted: the vendor will report the outcome.
	Memo      string             `json:"memo"`
	Message   string             `json:"error_msg"` // The vendor's message when the refund failed.
	VendorNo  string             `json:"vendor_refund_no"`
	Asked     bool               `json:"asked"`      // Whether the refund was requested through the platform. The vendor reported other refunds.
	CreatedAt *int64             `json:"created_at"` // Unix seconds, or null when the vendor reported the refund.
	id        id.ID
}

// RefundPage is the refunds of an order.
type RefundPage struct {
	Total        json.Number  `json:"total_cost"`
	Left         json.Number  `json:"left"` // The amount that is not refunded yet.
	RefundStatus order.Refund `json:"refund_status" enum:",complete,partial,failed"`
	Objects      []Refund     `json:"objects"`
}

func viewRequest(r order.RefundRequest) Refund {
	at := r.ID.Time().Unix()
	return Refund{
		RefundNo: r.No, Amount: json.Number(r.Amount.String()), Status: r.State, Memo: r.Memo, Message: r.Reason,
		VendorNo: r.VendorNo, Asked: true, CreatedAt: &at, id: r.ID,
	}
}

// viewRequests lists all refunds of an order: the requested ones, newest first, then those that only the vendor
// reported.
func viewRequests(o order.Order) RefundPage {
	view := RefundPage{
		Total: json.Number(o.Total.String()), Left: json.Number(o.Left().String()), RefundStatus: o.Refund,
		Objects: []Refund{},
	}
	asked := map[string]bool{}
	for _, r := range o.RefundRequests {
		// The vendor may report a refund by either number; it must not be listed twice.
		asked[r.No], asked[r.VendorNo] = true, true
		view.Objects = append(view.Objects, viewRequest(r))
	}
	for no, amount := range o.Refunds {
		if !asked[no] {
			view.Objects = append(view.Objects, Refund{
				RefundNo: no, VendorNo: no, Amount: json.Number(amount.String()), Status: order.RequestSucceeded,
			})
		}
	}
	slices.SortFunc(view.Objects, func(a, b Refund) int {
		return cmp.Or(cmp.Compare(b.id, a.id), cmp.Compare(a.RefundNo, b.RefundNo))
	})
	return view
}

type ofOrder struct {
	TransactionNo string `path:"transaction_no"`
}

// listRefunds serves GET /oserve/v3/order/:transaction_no/refund/.
func (g *Group) listRefunds(ctx context.Context, in ofOrder) (RefundPage, error) {
	o, err := g.Refunds.Orders.ByTransactionNo(ctx, httpapi.Scope(ctx), in.TransactionNo)
	return viewRequests(o), err
}

type refundOrder struct {
	ofOrder
	Amount   json.RawMessage `json:"refund_amount" type:"number" exclusiveMinimum:"0" required:"true"`                  // The amount in yuan, at most the remaining amount.
	RefundNo string          `json:"refund_no" minLength:"1" maxLength:"32" pattern:"^[0-9A-Za-z_-]*$" required:"true"` // A number chosen by the caller.
	Memo     string          `json:"memo" maxLength:"80"`                                                               // The reason. Vendors show it to the user.
}

// refundOrder serves POST /oserve/v3/order/:transaction_no/refund/. Unlike for functions, amount and number are
// required: a request with the same number, after a second click or a lost response, is the same refund.
func (g *Group) refundOrder(ctx context.Context, in refundOrder) (v Refund, err error) {
	if in.RefundNo == "" {
		return v, errs.Invalid("refund_no is required: the same number is paid once")
	}
	text := string(in.Amount)
	if text == "" || text == "null" {
		return v, errs.Invalid("refund_amount is required")
	}
	amount, err := order.ParseAmount("refund_amount", text)
	if err != nil {
		return v, err
	}
	numbers := order.Numbers{TransactionNo: in.TransactionNo}
	wanted := order.RefundRequest{No: in.RefundNo, Amount: amount, Memo: in.Memo}
	_, made, err := g.Refunds.Refund(ctx, httpapi.Scope(ctx), numbers, wanted)
	return viewRequest(made), err
}
