// Package order implements the payment orders of an application's users: their content, their states and the rules for
// changes.
//
//	pending ──► success        once, even if redelivered; the change is the payment event
//	pending ──► failed ──► success   late payments count
//	no refund ──► failed ──► partial ──► complete   steps may be skipped; the status stays success
//
// An order has three identifiers: its id, trade_no and transaction_no. Each is unique in an environment.
package order

import (
	"encoding/json"
	"strings"
	"time"

	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// Status is the status of an order, spelled as in the API.
type Status string

// The statuses.
const (
	Pending Status = "pending"
	Failed  Status = "failed"
	Success Status = "success"
)

// Statuses lists all statuses.
var Statuses = []Status{Pending, Failed, Success}

// Refund is the refund status of an order; NoRefund means that nothing was refunded.
type Refund string

// The refund statuses.
const (
	NoRefund       Refund = ""
	RefundComplete Refund = "complete"
	RefundPartial  Refund = "partial"
	RefundFailed   Refund = "failed"
)

// Refunds lists all refund statuses.
var Refunds = []Refund{NoRefund, RefundComplete, RefundPartial, RefundFailed}

// Gateway is a payment method of a vendor.
type Gateway string

// The gateways of the contract, Payment order.
const (
	Chatpay       Gateway = "chatpay"        // mini program
	ChatpayWap    Gateway = "chatpay_wap"    // H5
	ChatpayNative Gateway = "chatpay_native" // QR code
	ChatpayApp    Gateway = "chatpay_app"
	ChatpayJS     Gateway = "chatpay_js"
	Altpay        Gateway = "altpay"      // mini program
	AltpayWap     Gateway = "altpay_wap"  // mobile web
	AltpayPage    Gateway = "altpay_page" // web
	AltpayApp     Gateway = "altpay_app"
	Tpay          Gateway = "tpay" // mini program
	TpayNative    Gateway = "tpay_native"
)

// Gateways lists all gateways.
var Gateways = []Gateway{
	Chatpay, ChatpayWap, ChatpayNative, ChatpayApp, ChatpayJS, Altpay, AltpayWap, AltpayPage, AltpayApp, Tpay, TpayNative,
}

// Vendor returns the vendor that processes the payment: "chat", "alt" or "tpay", the gateway's prefix (D34).
func (g Gateway) Vendor() string {
	prefix, _, _ := strings.Cut(string(g), "pay")
	if prefix == "t" {
		return "tpay"
	}
	return prefix
}

// Currency is the currency of every stored order (contract: currency_type).
const Currency = "CNY"

// Order is a payment order.
type Order struct {
	ID            id.ID
	Gateway       Gateway
	Status        Status
	Refund        Refund
	TradeNo       string // the number in the vendor's reconciliation; "" until the vendor assigns it
	TransactionNo string // the platform's serial number
	Total         Amount
	// Currency is the ISO 4217 code of Total in a payment, as the vendor states it; "" means Currency.
	Currency string
	Reason   string // why the vendor refused to take the order, "" if it did not

	MerchandiseSchema int64  // table of the purchased item, 0 = none
	MerchandiseRecord string // row of the purchased item, "" = none
	Description       string
	Snapshot          map[string]any // of the purchased item; numbers are json.Number

	IP        string
	CreatedBy int64 // the paying user; 0 = the order was created from a vendor's notification
	PaidAt    time.Time
	CreatedAt time.Time
	UpdatedAt time.Time
	ErasedAt  time.Time      // when the user was removed, zero = never; the vendor's data is not stored any more
	Extra     map[string]any // gateway_extra_info: the vendor's data of the payment
	// Refunds maps the vendor's refund numbers to amounts, if the vendor reports single refunds.
	Refunds map[string]Amount
	// RefundRequests are the refunds that the platform requested, by the platform's refund number.
	RefundRequests map[string]RefundRequest
	// RefundNo is the platform's number of the refund that a payment reports, "" if the vendor does not return it.
	RefundNo string
	Revision int64 // counts changes of a stored order
}

// Payload returns the order as the contract's trigger payload record, for events.
func (o Order) Payload(scope tenant.Scope) map[string]any {
	return map[string]any{
		"id": int64(o.ID), "miniapp": int64(scope.App), "gateway_type": string(o.Gateway), "currency_type": Currency,
		"trade_no": o.TradeNo, "transaction_no": o.TransactionNo, "status": string(o.Status),
		"refund_status":         orNil(string(o.Refund)),
		"merchandise_schema_id": orNil(o.MerchandiseSchema), "merchandise_record_id": orNil(o.MerchandiseRecord),
		"merchandise_description": o.Description, "merchandise_snapshot": objectOf(o.Snapshot),
		"total_cost": json.Number(o.Total.String()), "ip_address": o.IP,
		"paid_at": secondsOrNil(o.PaidAt), "created_by": orNil(o.CreatedBy),
		"created_at": o.CreatedAt.Unix(), "updated_at": o.UpdatedAt.Unix(),
	}
}

// orNil returns nil for a zero value, which JSON shows as null.
func orNil[T comparable](v T) any {
	if v == *new(T) {
		return nil
	}
	return v
}

func secondsOrNil(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.Unix()
}

func objectOf(o map[string]any) map[string]any {
	if o == nil {
		return map[string]any{}
	}
	return o
}
