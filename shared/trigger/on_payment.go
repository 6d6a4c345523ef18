package trigger

import (
	"fmt"
	"strings"
	"time"

	"minicloud/shared/language/value"
	"minicloud/shared/tenant"
)

// orderFields are the fields of an order in the event payload (contract, Payment order).
var orderFields = []string{
	"id", "miniapp", "gateway_type", "currency_type", "trade_no", "transaction_no", "status", "refund_status",
	"merchandise_schema_id", "merchandise_record_id", "merchandise_description", "merchandise_snapshot",
	"total_cost", "ip_address", "paid_at", "created_by", "created_at", "updated_at",
}

// paymentVariables are the variables that templates can use (contract, Payment callbacks).
var paymentVariables = []string{
	"trade_no", "created_by", "merchandise_schema_id", "merchandise_record_id", "merchandise_description",
	"merchandise_snapshot", "total_cost", "paid_at", "created_at", "updated_at", "transaction_no",
}

// claimFields are the claims of a webhook about a payment (contract, Webhook).
var claimFields = []string{
	"trade_no", "transaction_no", "merchandise_description", "merchandise_snapshot", "merchandise_schema_id",
	"merchandise_record_id", "status", "refund_status", "ip_address", "created_by_id", "paid_at",
}

// gateways maps the prefix of gateway_type to the trigger type (D34).
var gateways = map[string]Type{"chatpay": TypeChatPay, "altpay": TypeAltPay, "tpay": TypeTPay}

// The payment types differ only in their gateways (D34).
var (
	onChatPay = paymentOf("chatpay", "chat_pay_success")
	onAltPay  = paymentOf("altpay", "alt_pay_success")
	onTPay    = paymentOf("tpay", "tpay_success")
)

func paymentOf(gateway, source string) Definition {
	return Definition{
		name: gateways[gateway], Source: source, condition: func() Condition { return &PaymentCondition{} },
		Actions: VisibleOrder, Keys: VisibleOrder,
		claims: func(e Event) map[string]any { return paymentClaims(e.Payload) },
		sample: func(s sampling) Event { return samplePayment(s, gateway) },
		past:   func(Trigger) Past { return PastOrders },
	}
}

// TypeOfGateway returns the trigger type that orders of the gateway fire. ok is false if the gateway is unknown.
func TypeOfGateway(gateway string) (Type, bool) {
	for prefix, t := range gateways {
		if strings.HasPrefix(gateway, prefix) {
			return t, true
		}
	}
	return "", false
}

// PaymentEvent returns the event of a paid order, given as its payload record. ok is false if the gateway is unknown or
// the status is not success.
func PaymentEvent(scope tenant.Scope, id string, at time.Time, order map[string]any) (e Event, ok bool) {
	gateway, _ := order["gateway_type"].(string)
	kind, ok := TypeOfGateway(gateway)
	if !ok || order["status"] != ResultSuccess {
		return Event{}, false
	}

	record := pick(order, orderFields)
	subject := fmt.Sprint(record["trade_no"])
	return Event{
		ID: id, Scope: scope, Type: kind, Kind: OnPayment, At: at, Subject: subject, Key: subject,
		Facts: map[string]any{"result": ResultSuccess}, Payload: record,
	}, true
}

// pick returns the named members of a record; missing members are null.
func pick(record map[string]any, names []string) map[string]any {
	out := make(map[string]any, len(names))
	for _, name := range names {
		out[name] = value.Plain(record[name])
	}
	return out
}

// paymentClaims returns the claims of a webhook about a payment.
func paymentClaims(order map[string]any) map[string]any {
	claims := pick(order, claimFields)
	claims["created_by_id"] = order["created_by"]
	return claims
}

// samplePayment returns the event of a sample order that was paid through the gateway.
func samplePayment(s sampling, gateway string) Event {
	now := float64(s.at.Unix())
	order := overlaid(map[string]any{
		"id": 2001.0, "miniapp": float64(s.scope.App), "gateway_type": gateway, "currency_type": "CNY",
		"trade_no": "4200001234202411210000000001", "transaction_no": "sample0000000000000000000001", "refund_status": nil,
		"merchandise_schema_id": 3001.0, "merchandise_record_id": sampleID, "merchandise_description": "sample",
		"merchandise_snapshot": map[string]any{}, "total_cost": 0.01, "ip_address": "192.0.2.1", "paid_at": now,
		"created_by": float64(sampleUser), "created_at": now, "updated_at": now,
	}, s.given)
	order["status"] = ResultSuccess // other statuses fire nothing
	e, ok := PaymentEvent(s.scope, s.id, s.at, order)
	if !ok || e.Type != s.of.Type {
		order["gateway_type"] = gateway
		e, _ = PaymentEvent(s.scope, s.id, s.at, order)
	}
	return e
}

// PaymentCondition matches paid orders. Each order fires once.
type PaymentCondition struct {
	Result string `json:"result,omitempty"` // ResultSuccess or ""
}

// AllRules implements Condition.
func (c *PaymentCondition) AllRules() (rules []Rule, one bool) {
	if c.Result == "" {
		return nil, false
	}
	return []Rule{{Field: "result", Operator: Equal, Value: c.Result}}, false
}
