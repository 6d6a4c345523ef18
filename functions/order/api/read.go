package api

import (
	"context"
	"encoding/json"

	"minicloud/shared/httpapi"
	"minicloud/shared/order"
)

// Order is a payment order.
type Order struct {
	ID                     httpapi.ID      `json:"id"`
	CreatedAt              httpapi.Seconds `json:"created_at"`
	UpdatedAt              httpapi.Seconds `json:"updated_at"`
	PaidAt                 *int64          `json:"paid_at"` // Unix seconds, or null while the order is unpaid.
	Status                 string          `json:"status" enum:"pending,failed,success"`
	RefundStatus           *string         `json:"refund_status" enum:"complete,partial,failed"`
	TradeNo                string          `json:"trade_no"`       // The order number of the payment provider.
	TransactionNo          string          `json:"transaction_no"` // The order number of the platform.
	MerchandiseDescription string          `json:"merchandise_description"`
	MerchandiseRecordID    *string         `json:"merchandise_record_id"`
	MerchandiseSchemaID    *int64          `json:"merchandise_schema_id"`
	MerchandiseSnapshot    map[string]any  `json:"merchandise_snapshot"`
	TotalCost              json.Number     `json:"total_cost"`
	IPAddress              string          `json:"ip_address"`
	CreatedByID            *int64          `json:"created_by_id"`      // The user who pays.
	GatewayExtraInfo       map[string]any  `json:"gateway_extra_info"` // The provider's data about the payment, for chatpay only.
}

// show returns the order in the form of the open API: only chatpay fills gateway_extra_info.
func show(o order.Order) Order {
	v := Order{
		ID: httpapi.ID(o.ID), CreatedAt: httpapi.Seconds(o.CreatedAt.Unix()), UpdatedAt: httpapi.Seconds(o.UpdatedAt.Unix()),
		Status: string(o.Status), RefundStatus: given(string(o.Refund)), TradeNo: o.TradeNo, TransactionNo: o.TransactionNo,
		MerchandiseDescription: o.Description, MerchandiseRecordID: given(o.MerchandiseRecord),
		MerchandiseSchemaID: given(o.MerchandiseSchema), MerchandiseSnapshot: object(o.Snapshot),
		TotalCost: json.Number(o.Total.String()), IPAddress: o.IP, CreatedByID: given(o.CreatedBy),
		GatewayExtraInfo: map[string]any{},
	}
	if !o.PaidAt.IsZero() {
		paid := o.PaidAt.Unix()
		v.PaidAt = &paid
	}
	if o.Gateway == order.Chatpay {
		v.GatewayExtraInfo = object(o.Extra)
	}

	return v
}

// given returns nil for a zero value, which JSON shows as null.
func given[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

func object(o map[string]any) map[string]any {
	if o == nil {
		return map[string]any{}
	}
	return o
}

type byNumber struct {
	TransactionNo string `path:"transaction_no"`
}

// read serves GET /hserve/v2.2/idp/pay/order/:transaction_no/.
func (g *Group) read(ctx context.Context, in byNumber) (Order, error) {
	o, err := g.Orders.ByTransactionNo(ctx, httpapi.Scope(ctx), in.TransactionNo)
	return show(o), err
}
