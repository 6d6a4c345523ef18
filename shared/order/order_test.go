package order_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/errs"
	"minicloud/shared/order"
	"minicloud/shared/tenant"
)

func TestParsesAmounts(t *testing.T) {
	for text, want := range map[string]order.Amount{
		"398": 39800, "0.01": 1, "1.5": 150, "1.50": 150, "12.340": 1234, "7.00": 700, "1000000000": order.MaxAmount,
	} {
		got, err := order.ParseAmount("total_cost", text)
		if err != nil || got != want {
			t.Errorf("%s is %d cents (%v), want %d", text, got, err, want)
		}
	}

	for _, text := range []string{
		"", "0", "0.00", "-1", "1.005", "1e3", "1.-5", "+1", ".5", "1,5", "1000000000.01", "1.2.3", "9999999999999999999",
	} {
		if got, err := order.ParseAmount("total_cost", text); !errs.Is(err, errs.KindInvalid) ||
			!strings.Contains(err.Error(), "total_cost") {
			t.Errorf("%q is %d, %v", text, got, err)
		}
	}

	for cents, want := range map[order.Amount]string{39800: "398", 1: "0.01", 150: "1.5", 1000: "10"} {
		if cents.String() != want {
			t.Errorf("%d cents are %s, want %s", cents, cents, want)
		}
	}
}

func TestVendorIsPrefixOfGateway(t *testing.T) {
	for _, g := range order.Gateways {
		want := map[byte]string{'c': "chat", 'a': "alt", 't': "tpay"}[g[0]]
		if g.Vendor() != want {
			t.Errorf("%s is of %s, want %s", g, g.Vendor(), want)
		}
	}
}

// detail has every field of the contract's trigger payload record.
const detail = `{"id":15,"miniapp":7,"gateway_type":"chatpay","currency_type":"CNY","trade_no":"T1","transaction_no":"N1",
	"status":"success","refund_status":null,"merchandise_schema_id":12,"merchandise_record_id":"r","merchandise_description":"tea",
	"merchandise_snapshot":{"price":12345678901234567890},"total_cost":0.01,"ip_address":"203.0.113.7","paid_at":1795262414,
	"created_by":70,"created_at":1795262400,"updated_at":1795262414,"refund_no":"R1","refund_amount":0.01,"gateway_extra_info":{"chat_response":{"appid":"x"}},
	"env":"0123456789abcdef0123"}`

// TestDetailRoundTrips, including numbers too large for a float.
func TestDetailRoundTrips(t *testing.T) {
	first, err := order.ParseDetail([]byte(detail))
	if err != nil {
		t.Fatal(err)
	}
	if want := (tenant.Scope{App: 7, Env: "0123456789abcdef0123"}); first.Scope != want {
		t.Errorf("scope %v, want %v", first.Scope, want)
	}
	text, err := first.JSON()
	if err != nil {
		t.Fatal(err)
	}

	var want, got map[string]any
	if json.Unmarshal([]byte(detail), &want) != nil || json.Unmarshal(text, &got) != nil {
		t.Fatal("no JSON")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(string(text), "12345678901234567890") {
		t.Errorf("%s", text)
	}
	if first.Payment.PaidAt != time.Unix(1795262414, 0).UTC() || first.Payment.Total != 1 {
		t.Errorf("%+v", first.Payment)
	}
}

// TestMerchandiseRecordIsAStringOrAnInteger because the contract has an integer in lists and a string in trigger
// payloads.
func TestMerchandiseRecordIsAStringOrAnInteger(t *testing.T) {
	for given, want := range map[string]string{
		`5`: "5", `9007199254740991`: "9007199254740991", `"5"`: "5", `"5f3e"`: "5f3e", `null`: "", `""`: "",
	} {
		d, err := order.ParseDetail([]byte(`{"miniapp":7,"total_cost":1,"merchandise_record_id":` + given + `}`))
		if err != nil || d.Payment.MerchandiseRecord != want {
			t.Errorf("%s is %q, want %q: %v", given, d.Payment.MerchandiseRecord, want, err)
		}
	}
	for _, given := range []string{`1.5`, `-1`, `1e99`, `true`, `{}`, `[5]`} {
		_, err := order.ParseDetail([]byte(`{"miniapp":7,"total_cost":1,"merchandise_record_id":` + given + `}`))
		if !errs.Is(err, errs.KindInvalid) || !strings.Contains(err.Error(), "merchandise_record_id") {
			t.Errorf("%s: %v", given, err)
		}
	}
}

// TestDetailKeepsCurrency on the bus, for a payment in another currency.
func TestDetailKeepsCurrency(t *testing.T) {
	for given, want := range map[string]string{"": "CNY", "CNY": "CNY", "USD": "USD"} {
		text, err := order.Detail{Scope: shop, Payment: order.Order{Total: 1, Currency: given}}.JSON()
		if err != nil || !strings.Contains(string(text), `"currency_type":"`+want+`"`) {
			t.Errorf("%q: %s %v", given, text, err)
		}
		if d, err := order.ParseDetail(text); err != nil || d.Payment.Currency != want {
			t.Errorf("%q is read as %q: %v", given, d.Payment.Currency, err)
		}
	}
}

func TestInvalidDetailsNameTheField(t *testing.T) {
	for text, want := range map[string]string{
		`[]`: "object", `{`: "JSON", `{"gateway_type":"chatpay","total_cost":1}`: "miniapp",
		`{"miniapp":"7","total_cost":1}`: "miniapp",
		`{"miniapp":7,"total_cost":"1"}`: "total_cost", `{"miniapp":7,"total_cost":1.001}`: "total_cost",
		`{"miniapp":7}`: "total_cost",
		`{"miniapp":7,"total_cost":1,"trade_no":5}`: "trade_no", `{"miniapp":7,"total_cost":1,"paid_at":1.5}`: "paid_at",
		`{"miniapp":7,"total_cost":1,"currency_type":7}`:        "currency_type",
		`{"miniapp":7,"total_cost":1,"refund_no":"R1"}`:         "refund_amount",
		`{"miniapp":7,"total_cost":1,"merchandise_snapshot":1}`: "merchandise_snapshot",
	} {
		if _, err := order.ParseDetail([]byte(text)); !errs.Is(err, errs.KindInvalid) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want one about %s", text, err, want)
		}
	}
}

func TestCheckDelaysEndAfterADay(t *testing.T) {
	made := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	c, more := order.Check{At: made.Add(order.Checks[0])}, true
	var waits []time.Duration
	for ; more; c, more = c.Next(made) {
		waits = append(waits, c.At.Sub(made))
	}
	if diff := cmp.Diff(order.Checks, waits); diff != "" || waits[len(waits)-1] != 24*time.Hour {
		t.Error(diff)
	}
}
