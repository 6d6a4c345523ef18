package payment

import (
	"bytes"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/xml"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/order"
)

// maxFields is the maximum number of fields in a notification.
const maxFields = 200

// ReadXML parses the flat fields of <xml><name>text</name>…</xml>, where xml is the root name. It refuses declarations,
// nesting and duplicate fields.
func ReadXML(body []byte, root string) (map[string]string, error) {
	malformed := func() (map[string]string, error) {
		return nil, errs.Invalid("the notification is not <%s> of flat fields", root)
	}
	fields, depth, name, text := map[string]string{}, 0, "", ""
	decoder := xml.NewDecoder(bytes.NewReader(body))
	for {
		token, err := decoder.Token()
		if err == io.EOF && depth == 0 && len(fields) > 0 {
			return fields, nil
		}
		if err != nil || len(fields) > maxFields {
			return malformed()
		}

		switch token := token.(type) {
		case xml.StartElement:
			if depth++; depth > 2 || depth == 1 && (token.Name.Local != root || len(fields) > 0) {
				return malformed()
			}
			name, text = token.Name.Local, ""
		case xml.CharData:
			text += string(token)
		case xml.EndElement:
			if depth--; depth == 1 {
				if _, twice := fields[name]; twice {
					return malformed()
				}
				fields[name] = text
			}
		case xml.Directive: // a document type, which may declare entities
			return malformed()
		}
	}
}

// WriteXML encodes flat fields, sorted.
func WriteXML(fields map[string]string) []byte {
	var b bytes.Buffer
	b.WriteString("<xml>")
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		b.WriteString("<" + name + ">")
		_ = xml.EscapeText(&b, []byte(fields[name])) // a Buffer never returns an error
		b.WriteString("</" + name + ">")
	}
	b.WriteString("</xml>")
	return b.Bytes()
}

// XMLQuery returns a request of WeChat Pay (v2) or QQ Pay with these fields, signed with the merchant key.
func (k Keys) XMLQuery(address string, fields map[string]string) Query {
	fields["sign"] = Sign(fields, k.Secret[MerchantKey], false)
	return Query{
		Method: "POST", URL: address, ContentType: "text/xml; charset=utf-8", Body: WriteXML(fields), Deployed: k.Deployed,
	}
}

// Sign returns the signature over the sorted non-empty fields, with MD5 or HMAC-SHA256.
func Sign(fields map[string]string, key string, hmacSHA256 bool) string {
	text := []byte(sortedFields(fields, false, "sign") + "&key=" + key)
	sum := md5.Sum(text)
	raw := sum[:]
	if hmacSHA256 {
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write(text)
		raw = mac.Sum(nil)
	}
	return strings.ToUpper(hex.EncodeToString(raw))
}

// VerifyFields returns errs.Forbidden unless the vendor signed these fields. The length of the signature determines the
// algorithm.
func (k Keys) VerifyFields(fields map[string]string) error {
	key := k.Secret[MerchantKey]
	if key == "" {
		return errs.Forbidden("no merchant_key is set")
	}
	given := strings.ToUpper(fields["sign"])
	want := Sign(fields, key, len(given) == hex.EncodedLen(sha256.Size))
	if subtle.ConstantTimeCompare([]byte(given), []byte(want)) != 1 {
		return errs.Forbidden("the signature is wrong")
	}
	return nil
}

// verifyXML verifies and decodes a notification of WeChat Pay (v2) or QQ Pay.
func verifyXML(k Keys, body []byte) (p order.Order, told bool, err error) {
	fields, err := ReadXML(body, "xml")
	if err != nil {
		return p, false, err
	}
	// Refund notifications arrive at the same URL.
	if k.Vendor == Chat && fields["req_info"] != "" {
		return verifyRefundXML(k, fields)
	}
	if err := k.VerifyFields(fields); err != nil {
		return p, false, err
	}
	if err := k.ForMerchant(fields["appid"], fields["mch_id"]); err != nil {
		return p, false, err
	}
	if success := fields["return_code"] == "SUCCESS" || k.Vendor == Tpay && fields["return_code"] == ""; !success ||
		fields["result_code"] != "" && fields["result_code"] != "SUCCESS" ||
		fields["trade_state"] != "" && fields["trade_state"] != "SUCCESS" {
		return p, false, nil
	}
	p, err = xmlPayment(k.Vendor, fields)
	return p, err == nil, err
}

// gatewaysByType maps the trade types of WeChat Pay and QQ Pay to gateways.
var gatewaysByType = map[Vendor]map[string]order.Gateway{
	Chat: {
		"JSAPI": order.Chatpay, "NATIVE": order.ChatpayNative, "APP": order.ChatpayApp, "MWEB": order.ChatpayWap,
		"H5": order.ChatpayWap,
	},
	Tpay: {"NATIVE": order.TpayNative},
}

func gatewayOf(v Vendor, tradeType string) order.Gateway {
	if g := gatewaysByType[v][tradeType]; g != "" {
		return g
	}
	return order.Gateway(strings.TrimSuffix(string(v), "pay") + "pay") // chatpay, altpay, tpay
}

// xmlPayment returns the payment in the fields of WeChat Pay or QQ Pay, whose out_trade_no is the order's trade_no.
func xmlPayment(v Vendor, fields map[string]string) (p order.Order, err error) {
	cents, err := strconv.ParseInt(fields["total_fee"], 10, 64)
	if err != nil {
		return p, errs.Invalid("total_fee must be an integer")
	}
	if fields["out_trade_no"] == "" {
		return p, errs.Invalid("out_trade_no is required")
	}

	p = order.Order{
		Gateway: gatewayOf(v, fields["trade_type"]), Status: order.Success, TradeNo: fields["out_trade_no"],
		PaidAt: paidAt("20060102150405", fields["time_end"]), Extra: map[string]any{string(v) + "_response": response(fields)},
		Currency: fields["fee_type"],
	}
	p.Total, err = order.Cents("total_fee", cents)

	return p, err
}
