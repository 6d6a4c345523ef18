package api

import (
	"context"
	"encoding/json"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/order"
	"minicloud/shared/order/checkout"
)

// NewOrder is an order to be paid.
type NewOrder struct {
	GatewayType   order.Gateway   `json:"gateway_type" required:"true" enum:"chatpay,chatpay_wap,chatpay_native,chatpay_app,chatpay_js,altpay,altpay_wap,altpay_page,altpay_app,tpay,tpay_native"`
	TotalCost     json.RawMessage `json:"total_cost" required:"true" type:"number,string"` // Yuan, above 0, with at most two decimals.
	Description   string          `json:"merchandise_description" required:"true" minLength:"1" maxLength:"127"`
	SchemaID      *httpapi.ID     `json:"merchandise_schema_id"` // The table of the purchased item.
	RecordID      *string         `json:"merchandise_record_id" maxLength:"64"`
	Snapshot      httpapi.Object  `json:"merchandise_snapshot"` // At most 16 KB.
	ProfitSharing bool            `json:"profit_sharing"`       // The payment is divided among several receivers. Not for tpay.
}

// CreatedOrder is the numbers of a new order, and the parameters with which the page pays it.
type CreatedOrder struct {
	TradeNo       string `json:"trade_no"` // The number at the provider; of altpay_wap, altpay_page and altpay_app empty until the order is paid.
	TransactionNo string `json:"transaction_no"`

	AppID     string `json:"appId,omitempty"`
	TimeStamp string `json:"timeStamp,omitempty"`
	NonceStr  string `json:"nonceStr,omitempty"`
	Package   string `json:"package,omitempty"`
	SignType  string `json:"signType,omitempty" enum:"MD5"`
	PaySign   string `json:"paySign,omitempty"`

	CodeURL    string `json:"code_url,omitempty"`
	MwebURL    string `json:"mweb_url,omitempty"`
	PaymentURL string `json:"payment_url,omitempty"` // Of altpay_app the signed text without an address.

	AppIDOfApp string `json:"appid,omitempty"`
	PartnerID  string `json:"partnerid,omitempty"`
	PrepayID   string `json:"prepayid,omitempty"`
	NonceOfApp string `json:"noncestr,omitempty"`
	TimeOfApp  string `json:"timestamp,omitempty"`
	Sign       string `json:"sign,omitempty"`
}

// create serves POST /hserve/v2.2/idp/pay/order/.
func (g *Group) create(ctx context.Context, in NewOrder) (v CreatedOrder, err error) {
	caller := httpapi.From(ctx)
	wanted := checkout.Wanted{
		Client: string(caller.Application.ClientID), BaseURL: httpapi.BaseURL(ctx), ProfitSharing: in.ProfitSharing,
		Buyer: checkout.Buyer{OpenID: caller.User.OpenID, AltUser: caller.User.AltUser},
		Order: order.Order{
			Gateway: in.GatewayType, Description: in.Description, Snapshot: in.Snapshot, IP: caller.IP,
			CreatedBy: caller.User.User,
		},
	}
	if wanted.Order.Total, err = yuan(in.TotalCost); err != nil {
		return v, err
	}
	if in.SchemaID != nil {
		if wanted.Order.MerchandiseSchema = int64(*in.SchemaID); *in.SchemaID <= 0 {
			return v, errs.Invalid("merchandise_schema_id must be a positive integer")
		}
	}
	if in.RecordID != nil {
		wanted.Order.MerchandiseRecord = *in.RecordID
	}

	o, p, err := g.Gateway.Create(ctx, caller.Scope, wanted)
	return CreatedOrder{
		TradeNo: o.TradeNo, TransactionNo: o.TransactionNo,
		AppID: p["appId"], TimeStamp: p["timeStamp"], NonceStr: p["nonceStr"], Package: p["package"],
		SignType: p["signType"], PaySign: p["paySign"], CodeURL: p["code_url"], MwebURL: p["mweb_url"],
		PaymentURL: p["payment_url"], AppIDOfApp: p["appid"], PartnerID: p["partnerid"], PrepayID: p["prepayid"],
		NonceOfApp: p["noncestr"], TimeOfApp: p["timestamp"], Sign: p["sign"],
	}, err
}

// yuan reads an amount, which is a number or its text. Its digits are never a float, which would change cents.
func yuan(text json.RawMessage) (order.Amount, error) {
	digits := string(text)
	if inner, ok := strings.CutPrefix(digits, `"`); ok {
		digits = strings.TrimSuffix(inner, `"`)
	}
	if digits == "" || digits == "null" {
		return 0, errs.Invalid("total_cost is required")
	}
	return order.ParseAmount("total_cost", digits)
}
