package api

import (
	"context"
	"encoding/json"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/order"
)

// refundView is a refund and its result.
type refundView struct {
	ID       id.ID       `json:"id"`
	RefundNo string      `json:"refund_no"`
	OrderID  id.ID       `json:"order_id"`
	Amount   json.Number `json:"refund_amount"`
	Status   string      `json:"status" enum:"succeed,failed"`
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

type refund struct {
	OrderID       id.ID           `json:"order_id"` // The order. Give one of order_id, transaction_no and trade_no.
	TradeNo       string          `json:"trade_no"`
	TransactionNo string          `json:"transaction_no"`
	Amount        json.RawMessage `json:"refund_amount" type:"number,null"` // The amount in yuan.
	Memo          string          `json:"memo" maxLength:"80"`
	RefundNo      string          `json:"refund_no" maxLength:"32" pattern:"^[0-9A-Za-z_-]*$"` // A number chosen by the caller. Each refund_no is paid once.
}

// refund serves POST /dserve/v1/payment/refund/ (BaaS.Order.refund).
func (g *Group) refund(ctx context.Context, in refund) (v refundView, err error) {
	numbers := order.Numbers{ID: in.OrderID, TradeNo: in.TradeNo, TransactionNo: in.TransactionNo}
	if numbers == (order.Numbers{}) || in.OrderID < 0 {
		return v, errs.Invalid("one of order_id, trade_no and transaction_no is required")
	}
	wanted := order.RefundRequest{No: in.RefundNo, Memo: in.Memo}
	if text := string(in.Amount); text != "" && text != "null" {
		if wanted.Amount, err = order.ParseAmount("refund_amount", text); err != nil {
			return v, err
		}
	}
	o, made, err := g.Refunds.Refund(ctx, httpapi.Scope(ctx), numbers, wanted)
	return view(o, made), err
}
