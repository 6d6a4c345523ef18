package api

import (
	"context"
	"encoding/json"
	"time"

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
		Status: string(o.Status), RefundStatus: httpapi.OrNull(string(o.Refund)), TradeNo: o.TradeNo,
		TransactionNo:          o.TransactionNo,
		MerchandiseDescription: o.Description, MerchandiseRecordID: httpapi.OrNull(o.MerchandiseRecord),
		MerchandiseSchemaID: httpapi.OrNull(o.MerchandiseSchema), MerchandiseSnapshot: object(o.Snapshot),
		TotalCost: json.Number(o.Total.String()), IPAddress: o.IP, CreatedByID: httpapi.OrNull(o.CreatedBy),
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

func object(o map[string]any) map[string]any {
	if o == nil {
		return map[string]any{}
	}
	return o
}

// ClientOrder is an order as end users see it, and in endpoint 20.
type ClientOrder struct {
	Order
	GatewayType  string `json:"gateway_type"`
	CurrencyType string `json:"currency_type" enum:"CNY"`
}

func showClient(o order.Order) ClientOrder {
	return ClientOrder{Order: show(o), GatewayType: string(o.Gateway), CurrencyType: order.Currency}
}

// OlderOrder is an order in the form of v2.0: amounts, times and objects are texts.
type OlderOrder struct {
	ID                     httpapi.ID `json:"id"`
	CreatedAt              string     `json:"created_at" format:"date-time"`
	UpdatedAt              string     `json:"updated_at" format:"date-time"`
	PaidAt                 *string    `json:"paid_at" format:"date-time"` // Null while the order is unpaid.
	Status                 string     `json:"status" enum:"pending,failed,success"`
	RefundStatus           *string    `json:"refund_status" enum:"complete,partial,failed"`
	TradeNo                string     `json:"trade_no"`
	TransactionNo          string     `json:"transaction_no"`
	MerchandiseDescription string     `json:"merchandise_description"`
	MerchandiseRecordID    *string    `json:"merchandise_record_id"`
	MerchandiseSchemaID    *int64     `json:"merchandise_schema_id"`
	MerchandiseSnapshot    string     `json:"merchandise_snapshot"` // A JSON object as text.
	TotalCost              string     `json:"total_cost"`           // With two decimals, such as 398.00.
	IPAddress              string     `json:"ip_address"`
	CreatedBy              *int64     `json:"created_by"`         // The user who pays.
	GatewayExtraInfo       string     `json:"gateway_extra_info"` // A JSON object as text.
	GatewayType            string     `json:"gateway_type"`
	CurrencyType           string     `json:"currency_type" enum:"CNY"`
}

func showOlder(o order.Order) OlderOrder {
	v := show(o)
	older := OlderOrder{
		ID: v.ID, CreatedAt: iso(o.CreatedAt), UpdatedAt: iso(o.UpdatedAt), Status: v.Status, RefundStatus: v.RefundStatus,
		TradeNo: v.TradeNo, TransactionNo: v.TransactionNo, MerchandiseDescription: v.MerchandiseDescription,
		MerchandiseRecordID: v.MerchandiseRecordID, MerchandiseSchemaID: v.MerchandiseSchemaID,
		MerchandiseSnapshot: text(v.MerchandiseSnapshot), TotalCost: o.Total.Fixed(), IPAddress: v.IPAddress,
		CreatedBy: v.CreatedByID, GatewayExtraInfo: text(v.GatewayExtraInfo), GatewayType: string(o.Gateway),
		CurrencyType: order.Currency,
	}
	if !o.PaidAt.IsZero() {
		older.PaidAt = httpapi.OrNull(iso(o.PaidAt))
	}
	return older
}

func iso(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// text returns an object as JSON text.
func text(object map[string]any) string {
	encoded, err := json.Marshal(object)
	if err != nil { // it was decoded from JSON
		return "{}"
	}
	return string(encoded)
}

type byNumber struct {
	TransactionNo string `path:"transaction_no"`
}

// one returns an order that the caller may see: another's is not found.
func (g *Group) one(ctx context.Context, in byNumber) (order.Order, error) {
	caller := httpapi.From(ctx)
	o, err := g.Orders.ByTransactionNo(ctx, caller.Scope, in.TransactionNo)
	if err == nil && !caller.Trusted && o.CreatedBy != caller.Subject().User {
		err = order.ErrUnknown(in.TransactionNo)
	}
	return o, err
}

// read serves GET /hserve/v2.2/idp/pay/order/:transaction_no/.
func (g *Group) read(ctx context.Context, in byNumber) (ClientOrder, error) {
	o, err := g.one(ctx, in)
	return showClient(o), err
}

// readOlder serves GET /hserve/v2.0/idp/pay/order/:transaction_no/.
func (g *Group) readOlder(ctx context.Context, in byNumber) (OlderOrder, error) {
	o, err := g.one(ctx, in)
	return showOlder(o), err
}
