package api

import (
	"encoding/json"
	"net/http"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/order"
)

// refundView is a refund and what became of it.
type refundView struct {
	ID       id.ID       `json:"id"`
	RefundNo string      `json:"refund_no"`
	OrderID  id.ID       `json:"order_id"`
	Amount   json.Number `json:"refund_amount"`
	Status   string      `json:"status"` // succeed or failed
	Memo     string      `json:"memo"`
	Message  string      `json:"error_msg"`
}

func view(o order.Order, r order.RefundRequest) refundView {
	status := "succeed"
	if r.State == order.RequestFailed {
		status = "failed"
	}
	return refundView{
		ID: r.ID, RefundNo: r.No, OrderID: o.ID, Amount: json.Number(r.Amount.String()), Status: status, Memo: r.Memo,
		Message: r.Reason,
	}
}

// refund serves POST /dserve/v1/payment/refund/ (BaaS.Order.refund).
func (g *Group) refund(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		OrderID       id.ID           `json:"order_id"`
		TradeNo       string          `json:"trade_no"`
		TransactionNo string          `json:"transaction_no"`
		Amount        json.RawMessage `json:"refund_amount"`
		Memo          string          `json:"memo"`
		RefundNo      string          `json:"refund_no"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	numbers := order.Numbers{ID: body.OrderID, TradeNo: body.TradeNo, TransactionNo: body.TransactionNo}
	if numbers == (order.Numbers{}) || body.OrderID < 0 {
		return errs.Invalid("one of order_id, trade_no and transaction_no is required")
	}

	wanted := order.RefundRequest{No: body.RefundNo, Memo: body.Memo}
	if text := string(body.Amount); text != "" && text != "null" {
		var err error
		if wanted.Amount, err = order.ParseAmount("refund_amount", text); err != nil {
			return err
		}
	}
	o, made, err := g.Refunds.Refund(r.Context(), httpapi.ScopeOf(r), numbers, wanted)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, view(o, made))
	return nil
}
