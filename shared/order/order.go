// Package order knows the payment orders of an application's users: what one holds, how it becomes paid, and who may
// change what of it.
//
//	pending ──► success        once, whatever is redelivered; the change is the payment event
//	pending ──► failed ──► success   money that comes in late is money
//	no refund ──► failed ──► partial ──► complete   steps may be left out; what was paid stays a success
//
// An order has three names: its id, trade_no and transaction_no. Each of them belongs to one order of an environment.
package order

import (
	"encoding/json"
	"strings"
	"time"

	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// Status of an order, spelled as on the wire.
type Status string

// The statuses.
const (
	Pending Status = "pending"
	Failed  Status = "failed"
	Success Status = "success"
)

// Statuses are all of them.
var Statuses = []Status{Pending, Failed, Success}

// Refund is how much of an order was paid back; NoRefund is nothing.
type Refund string

// The refund statuses.
const (
	NoRefund       Refund = ""
	RefundComplete Refund = "complete"
	RefundPartial  Refund = "partial"
	RefundFailed   Refund = "failed"
)

// Refunds are all refund statuses.
var Refunds = []Refund{NoRefund, RefundComplete, RefundPartial, RefundFailed}

// Gateway is the way a user pays.
type Gateway string

// The gateways of the contract, Payment order.
const (
	Chatpay       Gateway = "chatpay"        // mini program
	ChatpayWap    Gateway = "chatpay_wap"    // H5
	ChatpayNative Gateway = "chatpay_native" // a code to scan
	ChatpayApp    Gateway = "chatpay_app"
	ChatpayJS     Gateway = "chatpay_js"
	Altpay        Gateway = "altpay"      // mini program
	AltpayWap     Gateway = "altpay_wap"  // mobile web
	AltpayPage    Gateway = "altpay_page" // web
	AltpayApp     Gateway = "altpay_app"
	Tpay          Gateway = "tpay" // mini program
	TpayNative    Gateway = "tpay_native"
)

// Gateways are all of them.
var Gateways = []Gateway{
	Chatpay, ChatpayWap, ChatpayNative, ChatpayApp, ChatpayJS, Altpay, AltpayWap, AltpayPage, AltpayApp, Tpay, TpayNative,
}

// Vendor is who processes the payment: "chat", "alt" or "tpay", the gateway's prefix (D34).
func (g Gateway) Vendor() string {
	prefix, _, _ := strings.Cut(string(g), "pay")
	if prefix == "t" {
		return "tpay"
	}
	return prefix
}

// Currency is that of every stored order (contract: currency_type).
const Currency = "CNY"

// Order is one payment order.
type Order struct {
	ID            id.ID
	Gateway       Gateway
	Status        Status
	Refund        Refund
	TradeNo       string // as the vendor's reconciliation shows it; "" where the vendor has not given it yet
	TransactionNo string // our serial number
	Total         Amount
	// Currency is, in a payment, the ISO 4217 code of Total as the vendor states it; "" is Currency.
	Currency string

	MerchandiseSchema int64  // table of what is bought, 0 = none
	MerchandiseRecord string // row of what is bought, "" = none
	Description       string
	Snapshot          map[string]any // of what is bought; numbers are json.Number

	IP        string
	CreatedBy int64 // the user who pays; 0 = a vendor told of an order that we did not make
	PaidAt    time.Time
	CreatedAt time.Time
	UpdatedAt time.Time
	Extra     map[string]any // gateway_extra_info: what the vendor said of the payment
	// Refunds are the amounts of its refunds by their numbers at the vendor, where it tells them one by one.
	Refunds map[string]Amount
	// RefundRequests are the refunds that we asked the vendor for, by our numbers.
	RefundRequests map[string]RefundRequest
	// RefundNo is, in a payment that tells of a refund, our number of it, "" where the vendor does not say.
	RefundNo string
	Revision int64 // counts changes of a stored order
}

// Payload is the order as events carry it: the contract's trigger payload record.
func (o Order) Payload(scope tenant.Scope) map[string]any {
	return map[string]any{
		"id": int64(o.ID), "miniapp": int64(scope.App), "gateway_type": string(o.Gateway), "currency_type": Currency,
		"trade_no": o.TradeNo, "transaction_no": o.TransactionNo, "status": string(o.Status),
		"refund_status":         textOrNil(string(o.Refund)),
		"merchandise_schema_id": numberOrNil(o.MerchandiseSchema), "merchandise_record_id": textOrNil(o.MerchandiseRecord),
		"merchandise_description": o.Description, "merchandise_snapshot": objectOf(o.Snapshot),
		"total_cost": json.Number(o.Total.String()), "ip_address": o.IP,
		"paid_at": secondsOrNil(o.PaidAt), "created_by": numberOrNil(o.CreatedBy),
		"created_at": o.CreatedAt.Unix(), "updated_at": o.UpdatedAt.Unix(),
	}
}

func textOrNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func numberOrNil(n int64) any {
	if n == 0 {
		return nil
	}
	return n
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
