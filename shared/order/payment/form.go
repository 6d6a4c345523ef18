package payment

import (
	"crypto/rsa"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/order"
	"minicloud/shared/secret/rsakey"
)

// sortedFields returns the text that a signature covers, before URL encoding: name=value, sorted and joined by &. empty
// includes empty fields; without lists fields to leave out.
func sortedFields(fields map[string]string, empty bool, without ...string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(without, name) && (empty || fields[name] != "") {
			parts = append(parts, name+"="+fields[name])
		}
	}
	return strings.Join(parts, "&")
}

// response returns the fields for storage in an order: all of them, including fields that the platform does not read.
func response(fields map[string]string) map[string]any {
	kept := map[string]any{}
	for name, text := range fields {
		kept[name] = text
	}
	return kept
}

// readForm parses the fields of a form. It returns errs.Invalid for duplicate fields.
func readForm(body []byte) (map[string]string, error) {
	values, err := url.ParseQuery(strings.TrimSpace(string(body)))
	if err != nil || len(values) == 0 || len(values) > maxFields {
		return nil, errs.Invalid("the notification is not a form")
	}
	fields := map[string]string{}
	for name, given := range values {
		if len(given) > 1 {
			return nil, errs.Invalid("a field is given twice")
		}
		fields[name] = given[0]
	}
	return fields, nil
}

// verifier returns the public key that verifies Alipay's signatures.
func (k Keys) verifier(now time.Time) (*rsa.PublicKey, error) {
	if k.PublicKey == "" {
		return nil, errs.Forbidden("no public_key is set")
	}
	key, err := rsakey.Public(k.PublicKey, now)
	if err != nil {
		return nil, errs.Forbidden("public_key: %s", errs.Message(err))
	}
	return key, nil
}

// verifyForm verifies and decodes a notification of Alipay.
func verifyForm(k Keys, body []byte, now time.Time) (p order.Order, told bool, err error) {
	fields, err := readForm(body)
	if err != nil {
		return p, false, err
	}
	key, err := k.verifier(now)
	if err != nil {
		return p, false, err
	}

	// Alipay's own libraries disagree on whether empty fields are signed, so accept both.
	if err := rsakey.Verify(key, sortedFields(fields, true, "sign", "sign_type"), fields["sign"]); err != nil {
		if rsakey.Verify(key, sortedFields(fields, false, "sign", "sign_type"), fields["sign"]) != nil {
			return p, false, err
		}
	}

	if err := k.ForMerchant(fields["app_id"], fields["seller_id"]); err != nil {
		return p, false, err
	}
	refunded := fields["trade_status"] == "TRADE_CLOSED" && fields["refund_fee"] != ""
	if fields["trade_status"] != "TRADE_SUCCESS" && fields["trade_status"] != "TRADE_FINISHED" && !refunded {
		return p, false, nil
	}

	if p, err = formPayment(fields); err == nil {
		err = formRefund(&p, fields)
	}

	return p, err == nil, err
}

// formPayment returns the payment in the fields of Alipay. Its out_trade_no is the order's transaction_no, its trade_no
// is Alipay's.
func formPayment(fields map[string]string) (p order.Order, err error) {
	if fields["out_trade_no"] == "" {
		return p, errs.Invalid("out_trade_no is required")
	}
	p = order.Order{
		Gateway: order.Altpay, Status: order.Success, TransactionNo: fields["out_trade_no"], TradeNo: fields["trade_no"],
		PaidAt: paidAt("2006-01-02 15:04:05", fields["gmt_payment"]), Extra: map[string]any{"alt_response": response(fields)},
		Currency: fields["trans_currency"],
	}
	p.Total, err = order.ParseAmount("total_amount", fields["total_amount"])
	return p, err
}
