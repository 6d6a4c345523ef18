package trigger

import (
	"fmt"
	"strings"
	"time"

	"minicloud/shared/tenant"
)

// OrderFields are the trigger payload record of an order (contract, Payment
// order).
var OrderFields = []string{
	"id", "miniapp", "gateway_type", "currency_type", "trade_no", "transaction_no", "status", "refund_status",
	"merchandise_schema_id", "merchandise_record_id", "merchandise_description", "merchandise_snapshot",
	"total_cost", "ip_address", "paid_at", "created_by", "created_at", "updated_at",
}

// PaymentVariables are what templates can name (contract, Payment callbacks).
var PaymentVariables = []string{
	"trade_no", "created_by", "merchandise_schema_id", "merchandise_record_id", "merchandise_description",
	"merchandise_snapshot", "total_cost", "paid_at", "created_at", "updated_at", "transaction_no",
}

// claimFields are what a webhook about a payment says (contract, Webhook).
var claimFields = []string{
	"trade_no", "transaction_no", "merchandise_description", "merchandise_snapshot", "merchandise_schema_id",
	"merchandise_record_id", "status", "refund_status", "ip_address", "created_by_id", "paid_at",
}

// gateways are the types of trigger by the first letters of gateway_type (D34).
var gateways = []struct {
	prefix string
	kind   Type
}{
	{"chatpay", TypeChatPay},
	{"altpay", TypeAltPay},
	{"tpay", TypeTPay},
}

// TypeOfGateway returns which payment triggers an order of the gateway fires.
func TypeOfGateway(gateway string) (Type, bool) {
	for _, g := range gateways {
		if strings.HasPrefix(gateway, g.prefix) {
			return g.kind, true
		}
	}
	return "", false
}

// PaymentEvent returns the event of an order that has been paid. The order is
// its trigger payload record; ok is false for one of an unknown gateway or one
// that is not a success.
func PaymentEvent(scope tenant.Scope, id string, at time.Time, order map[string]any) (e Event, ok bool) {
	gateway, _ := order["gateway_type"].(string)
	kind, ok := TypeOfGateway(gateway)
	if !ok || order["status"] != ResultSuccess {
		return Event{}, false
	}

	record := pick(order, OrderFields)
	subject := fmt.Sprint(record["trade_no"])
	return Event{
		ID: id, Scope: scope, Type: kind, Kind: OnPayment, At: at, Subject: subject, Key: subject,
		Facts: map[string]any{"result": ResultSuccess}, Payload: record,
	}, true
}

// pick returns those members of a record, null where it has none.
func pick(record map[string]any, names []string) map[string]any {
	out := make(map[string]any, len(names))
	for _, name := range names {
		out[name] = Plain(record[name])
	}
	return out
}

// paymentClaims returns a payment as webhooks tell it.
func paymentClaims(order map[string]any) map[string]any {
	claims := pick(order, claimFields)
	claims["created_by_id"] = order["created_by"]
	return claims
}
