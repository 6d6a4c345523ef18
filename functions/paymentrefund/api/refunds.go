package api

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/order"
)

// requestView is a refund of an order as the open API shows it.
type requestView struct {
	RefundNo  string             `json:"refund_no"`
	Amount    json.Number        `json:"refund_amount"`
	Status    order.RequestState `json:"status"`
	Memo      string             `json:"memo"`
	Message   string             `json:"error_msg"` // the vendor's words
	VendorNo  string             `json:"vendor_refund_no"`
	Asked     bool               `json:"asked"`      // here; others the vendor told of
	CreatedAt *int64             `json:"created_at"` // Unix seconds; null where the vendor told of it
	id        id.ID
}

type requestsView struct {
	Total        json.Number   `json:"total_cost"`
	Left         json.Number   `json:"left"`
	RefundStatus order.Refund  `json:"refund_status"`
	Objects      []requestView `json:"objects"`
}

func viewRequest(r order.RefundRequest) requestView {
	at := r.ID.Time().Unix()
	return requestView{
		RefundNo: r.No, Amount: json.Number(r.Amount.String()), Status: r.State, Memo: r.Memo, Message: r.Reason,
		VendorNo: r.VendorNo, Asked: true, CreatedAt: &at, id: r.ID,
	}
}

// viewRequests shows all refunds of an order: those that were asked for, the newest first, and then those that only the
// vendor told of.
func viewRequests(o order.Order) requestsView {
	view := requestsView{
		Total: json.Number(o.Total.String()), Left: json.Number(o.Left().String()), RefundStatus: o.Refund,
		Objects: []requestView{},
	}
	asked := map[string]bool{}
	for _, r := range o.RefundRequests {
		asked[r.No], asked[r.VendorNo] = true, true
		view.Objects = append(view.Objects, viewRequest(r))
	}
	for no, amount := range o.Refunds {
		if !asked[no] {
			view.Objects = append(view.Objects, requestView{
				RefundNo: no, VendorNo: no, Amount: json.Number(amount.String()), Status: order.RequestSucceeded,
			})
		}
	}
	slices.SortFunc(view.Objects, func(a, b requestView) int {
		return cmp.Or(cmp.Compare(b.id, a.id), cmp.Compare(a.RefundNo, b.RefundNo))
	})
	return view
}

// listRefunds serves GET /oserve/v3/order/:transaction_no/refund/.
func (g *Group) listRefunds(w http.ResponseWriter, r *http.Request) error {
	o, err := g.Refunds.Orders.ByTransactionNo(r.Context(), httpapi.ScopeOf(r), r.PathValue("transaction_no"))
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, viewRequests(o))
	return nil
}

// refundOrder serves POST /oserve/v3/order/:transaction_no/refund/. Unlike a function's, its amount and number are
// given: whoever asks again by the same number, after a second click or a lost answer, asks for the same refund.
func (g *Group) refundOrder(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Amount   json.RawMessage `json:"refund_amount"`
		Memo     string          `json:"memo"`
		RefundNo string          `json:"refund_no"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	if body.RefundNo == "" {
		return errs.Invalid("refund_no is required: the same number is paid once")
	}
	text := string(body.Amount)
	if text == "" || text == "null" {
		return errs.Invalid("refund_amount is required")
	}
	amount, err := order.ParseAmount("refund_amount", text)
	if err != nil {
		return err
	}

	numbers := order.Numbers{TransactionNo: r.PathValue("transaction_no")}
	wanted := order.RefundRequest{No: body.RefundNo, Amount: amount, Memo: body.Memo}
	_, made, err := g.Refunds.Refund(r.Context(), httpapi.ScopeOf(r), numbers, wanted)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, viewRequest(made))
	return nil
}
