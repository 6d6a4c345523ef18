package api_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"minicloud/shared/order"
)

// TestRefundsOfEachVendor: the refund status of an order of 1.5 yuan after each notification; it was paid once.
func TestRefundsOfEachVendor(t *testing.T) {
	p := newPlatform(t)
	xml := func(no, status string, cents int) (string, map[string]string) {
		return sealedRefund(t, map[string]string{
			"out_trade_no": "T1", "transaction_id": "4200", "refund_id": no, "out_refund_no": "our" + no,
			"refund_status": status, "total_fee": "150", "refund_fee": fmt.Sprint(cents), "success_time": "2026-11-22 19:59:59",
		}, merchantKey), nil
	}
	json := func(event, no, status string, cents int) (string, map[string]string) {
		return sealedJSON(t, event, map[string]any{
			"mchid": "m1", "out_trade_no": "T2", "transaction_id": "4201", "refund_id": no, "refund_status": status,
			"amount": map[string]any{"total": 150, "refund": cents, "payer_total": 150, "payer_refund": cents},
		}, apiKey, p.chat, now)
	}
	form := func(trade, fee string) (string, map[string]string) {
		fields := formFields()
		fields["out_trade_no"], fields["trade_status"], fields["refund_fee"] = "N3", trade, fee
		fields["gmt_refund"] = "2026-11-22 20:59:59.320"
		return signedForm(t, fields, p.alt), nil
	}
	for _, paid := range []order.Order{
		{Gateway: order.ChatpayNative, TradeNo: "T1", TransactionNo: "N1"},
		{Gateway: order.Chatpay, TradeNo: "T2", TransactionNo: "N2"}, {Gateway: order.AltpayWap, TransactionNo: "N3"},
	} {
		paid.Total = 150
		if _, _, err := p.bus.orders.Paid(t.Context(), shop, paid); err != nil {
			t.Fatal(err)
		}
	}

	type step struct {
		path    string
		body    string
		headers map[string]string
		no      string
		want    order.Refund
	}
	of := func(path, no string, want order.Refund) func(string, map[string]string) step {
		return func(body string, headers map[string]string) step { return step{path, body, headers, no, want} }
	}
	const chat, alt = "chat/" + client + "/", "alt/" + client + "/"
	for i, s := range []step{
		of(chat, "N1", order.RefundFailed)(xml("a", "CHANGE", 50)),
		of(chat, "N1", order.RefundPartial)(xml("b", "SUCCESS", 50)),
		of(chat, "N1", order.RefundPartial)(xml("b", "SUCCESS", 50)),
		of(chat, "N1", order.RefundPartial)(xml("c", "REFUNDCLOSE", 100)),
		of(chat, "N1", order.RefundComplete)(xml("d", "SUCCESS", 100)),
		of(chat, "N1", order.RefundComplete)(signedXML(xmlFields(), merchantKey, "MD5"), nil),
		of(chat, "N2", order.NoRefund)(json("REFUND.SUCCESS", "a", "PROCESSING", 150)),
		of(chat, "N2", order.RefundFailed)(json("REFUND.ABNORMAL", "a", "ABNORMAL", 150)),
		of(chat, "N2", order.RefundComplete)(json("REFUND.SUCCESS", "a", "SUCCESS", 150)),
		of(chat, "N2", order.RefundComplete)(json("REFUND.CLOSED", "b", "CLOSED", 150)),
		of(alt, "N3", order.RefundPartial)(form("TRADE_SUCCESS", "0.50")),
		of(alt, "N3", order.RefundPartial)(form("TRADE_SUCCESS", "1.00")),
		of(alt, "N3", order.RefundComplete)(form("TRADE_CLOSED", "1.50")),
	} {
		if status, body := p.notify(s.path, s.body, s.headers); status != 200 ||
			strings.Contains(strings.ToUpper(body), "FAIL") {
			t.Fatalf("step %d: %d %s", i, status, body)
		}
		o, err := p.bus.orders.ByTransactionNo(t.Context(), shop, s.no)
		if err != nil || o.Refund != s.want || o.Status != order.Success || !o.PaidAt.Equal(now) {
			t.Errorf("step %d: %q, %s, paid %s, %v; want %q", i, o.Refund, o.Status, o.PaidAt, err, s.want)
		}
	}
}

// TestRefusedRefunds: notifications with another key, of another merchant and malformed ones change nothing.
func TestRefusedRefunds(t *testing.T) {
	p := newPlatform(t)
	good := map[string]string{
		"out_trade_no": "T1", "refund_id": "a", "refund_status": "SUCCESS", "total_fee": "150", "refund_fee": "150",
	}
	with := func(name, text string) string {
		fields := maps.Clone(good)
		fields[name] = text
		return sealedRefund(t, fields, merchantKey)
	}
	for name, body := range map[string]string{
		"another key":      sealedRefund(t, good, "another"),
		"another merchant": strings.Replace(with("attach", ""), "[m1]", "[m2]", 1),
		"no blocks":        "<xml><appid>wx1</appid><mch_id>m1</mch_id><req_info>AAAA</req_info></xml>",
		"no total":         with("total_fee", "much"), "no amount": with("refund_fee", "0"),
		"no number": with("refund_id", ""),
		"no order":  with("out_trade_no", ""),
	} {
		if status, answer := p.notify("chat/"+client+"/", body, nil); status != 200 || !strings.Contains(answer, xmlFail) {
			t.Errorf("%s: %d %s", name, status, answer)
		}
	}
	// tpay sends no refund notifications.
	if _, answer := p.notify("tpay/"+client+
		"/", sealedRefund(t, good, merchantKey), nil); !strings.Contains(answer, xmlFail) {
		t.Errorf("tpay: %s", answer)
	}
	if n := p.bus.puts.Load(); n > 0 {
		t.Errorf("%d events of refused refunds", n)
	}
}
