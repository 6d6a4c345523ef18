package payment

import (
	"encoding/json"
	"maps"
	"net/url"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/order"
	"minicloud/shared/secret/rsakey"
)

// Query is a request to a vendor about an order.
type Query struct {
	Method        string
	URL           string
	ContentType   string // "" if there is no body
	Authorization string // "" if the body is signed
	Body          []byte
	// Certificate and Key, both PEM, are the TLS client certificate that some vendors require; "" = none.
	Certificate, Key string
	// Deployed reports that URL is an address of the deployment, not one that an application has set.
	Deployed bool
}

// StatusOK is the HTTP status of a successful response.
const StatusOK = 200

// Answer is the response of a vendor.
type Answer struct {
	Status int // 200, or 4xx
	Body   []byte
	// Signature has the headers of JSON responses.
	Signature Signature
}

// NewQuery returns the request for the state of an order. nonce is 32 random characters. It returns errs.Invalid if the
// setting is incomplete.
func NewQuery(k Keys, o order.Order, nonce string, now time.Time) (Query, error) {
	base := strings.TrimSuffix(k.BaseURL, "/")
	if k.Vendor == Alt {
		return formQuery(k, base, "alipay.trade.query", map[string]string{"out_trade_no": o.TransactionNo}, now)
	}
	if k.usesV3() {
		path := "/v3/pay/transactions/out-trade-no/" + url.PathEscape(o.TradeNo) + "?mchid=" + url.QueryEscape(k.MerchantID)
		return jsonQuery(k, "GET", base, path, nil, nonce, now)
	}
	// WeChat Pay v2 and QQ Pay sign with a shared key.
	if k.Secret[MerchantKey] == "" {
		return Query{}, errs.Invalid("no merchant_key is set")
	}

	fields := map[string]string{"appid": k.AppID, "mch_id": k.MerchantID, "out_trade_no": o.TradeNo, "nonce_str": nonce}
	path := "/pay/orderquery"
	if k.Vendor == Tpay {
		path = "/cgi-bin/pay/qpay_order_query.cgi"
	}
	return k.XMLQuery(base+path, fields), nil
}

// formQuery returns a signed request to Alipay.
func formQuery(k Keys, base, method string, asked map[string]string, now time.Time) (Query, error) {
	content, err := json.Marshal(asked)
	if err != nil {
		return Query{}, err
	}
	return k.FormQuery(base, method, map[string]string{"biz_content": string(content)}, now)
}

// FormQuery returns a signed request to Alipay with these fields besides those that all methods have.
func (k Keys) FormQuery(base, method string, fields map[string]string, now time.Time) (Query, error) {
	form, err := SignFields(k.AppID, k.Secret[PrivateKey], method, fields, now)
	if err != nil {
		return Query{}, err
	}
	return Query{
		Method: "POST", URL: base + "/gateway.do", ContentType: "application/x-www-form-urlencoded; charset=utf-8",
		Body: []byte(form), Deployed: k.Deployed,
	}, nil
}

// SignForm returns the form of an application's request to Alipay's gateway, with its sorted fields signed by
// RSA-SHA256 (RSA2). It returns errs.Invalid if privateKey is not an RSA key.
func SignForm(appID, privateKey, method string, asked map[string]string, now time.Time) (string, error) {
	content, err := json.Marshal(asked)
	if err != nil {
		return "", err
	}
	return SignFields(appID, privateKey, method, map[string]string{"biz_content": string(content)}, now)
}

// SignFields is SignForm for methods whose parameters are fields of the form instead of biz_content.
func SignFields(appID, privateKey, method string, asked map[string]string, now time.Time) (string, error) {
	key, err := rsakey.Private(privateKey)
	if err != nil {
		return "", errs.Invalid("private_key is no RSA key")
	}

	// The vendor expects the timestamp in its own time zone.
	fields := map[string]string{
		"app_id": appID, "method": method, "format": "JSON", "charset": "utf-8", "sign_type": "RSA2",
		"timestamp": now.In(vendorZone).Format("2006-01-02 15:04:05"), "version": "1.0",
	}
	maps.Copy(fields, asked)
	// Unlike in notifications, the signature also covers sign_type.
	signature, err := rsakey.Sign(key, sortedFields(fields, true))
	if err != nil {
		return "", err
	}

	form := url.Values{"sign": {signature}}
	for name, text := range fields {
		form.Set(name, text)
	}
	return form.Encode(), nil
}

// ReadAnswer returns the state of the order in a vendor's response: a payment, or the order as failed or pending. It
// verifies the vendor's signature as in notifications.
func ReadAnswer(k Keys, o order.Order, a Answer, now time.Time) (order.Order, error) {
	if k.Vendor == Alt {
		return readFormAnswer(k, o, a.Body, now)
	}
	if k.usesV3() {
		return readJSONAnswer(k, o, a, now)
	}
	fields, err := ReadXML(a.Body, "xml")
	if err != nil {
		return order.Order{}, err
	}
	if err := k.VerifyFields(fields); err != nil {
		return order.Order{}, err
	}
	if err := k.ForMerchant(fields["appid"], fields["mch_id"]); err != nil {
		return order.Order{}, err
	}

	paid := func() (order.Order, error) { return xmlPayment(k.Vendor, fields) }
	return answered(o, fields["trade_state"], fields["out_trade_no"], paid)
}

// answered returns the state of an order from WeChat Pay or QQ Pay: its payment, or the order as failed or pending.
// Only responses about paid orders always contain the order's number.
func answered(o order.Order, state, tradeNo string, paid func() (order.Order, error)) (order.Order, error) {
	p := order.Order{Gateway: o.Gateway, TradeNo: o.TradeNo, Total: o.Total, Status: order.Pending}
	switch state {
	case "SUCCESS", "REFUND": // a refunded order was paid
		if tradeNo != o.TradeNo {
			return p, errs.Forbidden("the answer is about another order")
		}
		return paid()
	case "CLOSED", "REVOKED", "PAYERROR":
		p.Status = order.Failed
	}
	return p, nil
}

func readFormAnswer(k Keys, o order.Order, body []byte, now time.Time) (order.Order, error) {
	fields, err := k.FormAnswer(body, "alipay_trade_query_response", now)
	if err != nil {
		return order.Order{}, err
	}

	p := order.Order{Gateway: o.Gateway, TransactionNo: o.TransactionNo, Total: o.Total, Status: order.Pending}
	switch fields["trade_status"] {
	case "TRADE_SUCCESS", "TRADE_FINISHED":
		// A valid signature does not prove which order the response is about.
		if fields["out_trade_no"] != o.TransactionNo {
			return p, errs.Forbidden("the answer is about another order")
		}
		fields["gmt_payment"] = fields["send_pay_date"]
		return formPayment(fields)
	case "TRADE_CLOSED":
		p.Status = order.Failed
	}
	return p, nil
}

// FormAnswer verifies the signature of a response of Alipay and returns its text fields.
func (k Keys) FormAnswer(body []byte, name string, now time.Time) (map[string]string, error) {
	var answer map[string]json.RawMessage
	var sign string
	if json.Unmarshal(body, &answer) != nil || len(answer[name]) == 0 {
		return nil, errs.Invalid("the answer has no %s", name)
	}
	_ = json.Unmarshal(answer["sign"], &sign) // an absent or malformed signature fails verification
	key, err := k.verifier(now)
	if err != nil {
		return nil, err
	}
	if err := rsakey.Verify(key, string(answer[name]), sign); err != nil {
		return nil, err
	}

	var all map[string]any
	if json.Unmarshal(answer[name], &all) != nil {
		return nil, errs.Invalid("the answer is no object")
	}
	fields := map[string]string{}
	for name, v := range all {
		fields[name], _ = v.(string) // lists are not needed
	}
	return fields, nil
}
