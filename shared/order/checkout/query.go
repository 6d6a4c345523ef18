package checkout

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/order"
	"minicloud/shared/order/payment"
)

// Buyer is an end user who creates an order, as the vendors know them.
type Buyer struct {
	OpenID  string // of chat, "" = none
	AltUser string // user id or open id of alt, "" = none
}

// Terms are what the creation of an order needs besides the order.
type Terms struct {
	Buyer         Buyer
	Notify        string // URL for the vendor's notifications
	Home          string // URL of the platform, which chat shows for payments from a browser
	ProfitSharing bool   // the merchant divides the payment among several receivers
}

// tradeTypes are the trade types of chat and tpay by gateway; each accepts no other ones.
var tradeTypes = map[order.Gateway]string{
	order.Chatpay: "JSAPI", order.ChatpayJS: "JSAPI", order.ChatpayNative: "NATIVE", order.ChatpayWap: "MWEB",
	order.ChatpayApp: "APP", order.Tpay: "JSAPI", order.TpayNative: "NATIVE",
}

// signedMethods are alt's methods by gateway for which the payer's client sends the signed request, and their products.
var signedMethods = map[order.Gateway]struct{ method, product string }{
	order.AltpayWap: {"alipay.trade.wap.pay", "QUICK_WAP_WAY"}, order.AltpayPage: {"alipay.trade.page.pay", "FAST_INSTANT_TRADE_PAY"},
	order.AltpayApp: {"alipay.trade.app.pay", "QUICK_MSECURITY_PAY"},
}

// needs are the names of the secrets that create orders.
func needs(v payment.Vendor) []string {
	if v == payment.Alt {
		return []string{payment.PrivateKey}
	}
	return []string{payment.MerchantKey}
}

// check returns errs.Invalid, which names what is missing, if the setting or the buyer do not allow to create an order.
func (t Terms) check(k payment.Keys, g order.Gateway) error {
	missing := func(what string) error {
		return errs.Invalid("the payment setting for %s has no %s: no order can be made", k.Vendor, what)
	}
	switch {
	case k.AppID == "":
		return missing("app_id")
	case k.BaseURL == "":
		return missing("base_url")
	case k.Vendor != payment.Alt && k.MerchantID == "":
		return missing("merchant_id")
	case k.Vendor != payment.Alt && k.Secret[payment.MerchantKey] == "":
		return missing(payment.MerchantKey)
	case k.Vendor == payment.Alt && k.Secret[payment.PrivateKey] == "":
		return missing(payment.PrivateKey)
	case g == order.Altpay && k.PublicKey == "":
		return missing("public_key")
	case tradeTypes[g] == "JSAPI" && k.Vendor == payment.Chat && t.Buyer.OpenID == "":
		return errs.Invalid("gateway_type %s needs a user with an openid: log in by chat first", g)
	case g == order.Altpay && t.Buyer.AltUser == "":
		return errs.Invalid("gateway_type %s needs a user of alt: log in by alt first", g)
	case k.Vendor == payment.Tpay && t.ProfitSharing:
		return errs.Invalid("profit_sharing is not available for %s", g)
	}
	return nil
}

// plainText returns a text without control characters: XML readers change them, and the signature would be wrong.
func plainText(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

// NewOrderQuery returns the request by which a vendor takes an order. A repeated request takes it once, because vendors
// identify orders by the platform's number. chat is asked by v2 even if the setting has the keys of v3, because pages of
// chat sign with MD5 only (C42).
//
//	chat   XML    POST /pay/unifiedorder
//	tpay   XML    POST /cgi-bin/pay/qpay_unified_order.cgi
//	alt    form   alipay.trade.create
func NewOrderQuery(k payment.Keys, o order.Order, t Terms, nonce string, now time.Time) (payment.Query, error) {
	base := strings.TrimSuffix(k.BaseURL, "/")
	if k.Vendor == payment.Alt {
		fields, err := t.altFields(o, map[string]any{"product_code": "JSAPI_PAY", "op_app_id": k.AppID})
		if err != nil {
			return payment.Query{}, err
		}
		return k.FormQuery(base, "alipay.trade.create", fields, now)
	}

	fields := map[string]string{
		"appid": k.AppID, "mch_id": k.MerchantID, "nonce_str": nonce, "body": plainText(o.Description),
		"out_trade_no": o.TradeNo, "fee_type": order.Currency, "total_fee": strconv.FormatInt(int64(o.Total), 10),
		"spbill_create_ip": o.IP, "notify_url": t.Notify, "trade_type": tradeTypes[o.Gateway],
	}
	path := "/cgi-bin/pay/qpay_unified_order.cgi"
	// tpay has no room for the address of a payer with IPv6.
	if k.Vendor == payment.Tpay && strings.Contains(o.IP, ":") {
		fields["spbill_create_ip"] = "127.0.0.1"
	}
	if k.Vendor == payment.Chat {
		path = "/pay/unifiedorder"
		if err := t.addChat(fields, o); err != nil {
			return payment.Query{}, err
		}
	}
	return k.XMLQuery(base+path, fields), nil
}

// addChat adds the fields that only some trade types of chat have.
func (t Terms) addChat(fields map[string]string, o order.Order) error {
	if t.ProfitSharing {
		fields["profit_sharing"] = "Y"
	}
	switch fields["trade_type"] {
	case "JSAPI":
		fields["openid"] = t.Buyer.OpenID
	case "NATIVE":
		fields["product_id"] = o.TransactionNo
	case "MWEB":
		scene, err := json.Marshal(map[string]any{
			"h5_info": map[string]string{"type": "Wap", "wap_url": t.Home, "wap_name": clip.Text(plainText(o.Description), clip.Name)},
		})
		if err != nil {
			return fmt.Errorf("encode scene_info: %w", err)
		}
		fields["scene_info"] = string(scene)
	}
	return nil
}

// altFields returns the fields of a request of alt about a new order; more are members of its content.
func (t Terms) altFields(o order.Order, more map[string]any) (map[string]string, error) {
	content := map[string]any{
		"out_trade_no": o.TransactionNo, "total_amount": o.Total.Fixed(), "subject": plainText(o.Description),
	}
	maps.Copy(content, more)
	if o.Gateway == order.Altpay {
		// Older applications get user ids, which are numbers, newer ones get open ids.
		name := "buyer_open_id"
		if strings.Trim(t.Buyer.AltUser, "0123456789") == "" {
			name = "buyer_id"
		}
		content[name] = t.Buyer.AltUser
	}
	if t.ProfitSharing {
		content["extend_params"] = map[string]string{"royalty_freeze": "true"}
	}
	text, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("encode an order for alt: %w", err)
	}
	return map[string]string{"biz_content": string(text), "notify_url": t.Notify}, nil
}

// signedURL returns the signed request by which a payer's client creates an order at alt itself; apps get it without
// the address. Its time is that of the order, so that a repeated request has the same answer.
func (t Terms) signedURL(k payment.Keys, o order.Order) (string, error) {
	signed := signedMethods[o.Gateway]
	fields, err := t.altFields(o, map[string]any{"product_code": signed.product})
	if err != nil {
		return "", err
	}
	form, err := payment.SignFields(k.AppID, k.Secret[payment.PrivateKey], signed.method, fields, o.CreatedAt)
	if err != nil || o.Gateway == order.AltpayApp {
		return form, err
	}
	return strings.TrimSuffix(k.BaseURL, "/") + "/gateway.do?" + form, nil
}

// Taken is a vendor's answer about a new order.
type Taken struct {
	PrepayID string // of chat and tpay
	URL      string // code_url or mweb_url, for payers who scan or follow it
	TradeNo  string // alt's number
	// Refusal is the vendor's code and words, "" if it took the order.
	Refusal string
	// Known reports that the vendor refuses because it has an order with this number: it may be payable or paid.
	Known bool
}

// knownNumber are the codes of vendors for an order whose number they have, with other contents or paid.
var knownNumber = []string{
	"ORDERPAID", "OUT_TRADE_NO_USED", "ORDER_PAID", "66227012", // chat, tpay
	"ACQ.TRADE_HAS_SUCCESS", "ACQ.CONTEXT_INCONSISTENT", "ACQ.TRADE_STATUS_ERROR", // alt
}

// refusal returns the refusal of an order, or errs.Unavailable for a code that leaves open what became of it.
func refusal(code, words string) (Taken, error) {
	if payment.Retryable(code) {
		return Taken{}, errs.Unavailable(retryAfter, "the vendor does not know what became of the order: %s", code)
	}
	text := clip.Text(plainText(strings.TrimSpace(code+" "+words)), maxReason)
	if text == "" {
		text = "without a reason"
	}
	return Taken{Refusal: text, Known: slices.Contains(knownNumber, code)}, nil
}

// ReadOrderAnswer reads a vendor's answer about a new order. After an error it is unknown whether the vendor took it.
func ReadOrderAnswer(k payment.Keys, o order.Order, a payment.Answer, now time.Time) (Taken, error) {
	if k.Vendor == payment.Alt {
		return readAltOrder(k, o, a, now)
	}
	if a.Status != payment.StatusOK {
		return Taken{}, errs.Unavailable(retryAfter, "the vendor answered with status %d", a.Status)
	}
	fields, err := payment.ReadXML(a.Body, "xml")
	if err != nil {
		return Taken{}, err
	}
	if fields["return_code"] != "SUCCESS" { // the vendor did not accept the request, so the response is unsigned
		return refusal("", fields["return_msg"])
	}
	if err := k.VerifyFields(fields); err != nil {
		return Taken{}, err
	}
	if err := k.ForMerchant(fields["appid"], fields["mch_id"]); err != nil {
		return Taken{}, err
	}
	if fields["result_code"] != "SUCCESS" {
		return refusal(fields["err_code"], fields["err_code_des"])
	}

	told := Taken{PrepayID: fields["prepay_id"], URL: fields["code_url"]}
	if o.Gateway == order.ChatpayWap {
		told.URL = fields["mweb_url"]
	}
	if byURL := tradeTypes[o.Gateway] == "NATIVE" || o.Gateway == order.ChatpayWap; byURL && told.URL == "" ||
		!byURL && told.PrepayID == "" {
		return Taken{}, errs.Invalid("the answer has no prepay_id or address")
	}
	return told, nil
}

func readAltOrder(k payment.Keys, o order.Order, a payment.Answer, now time.Time) (Taken, error) {
	const name = "alipay_trade_create_response"
	var answer map[string]json.RawMessage
	var told struct {
		Code    string `json:"code"`
		Msg     string `json:"msg"`
		SubCode string `json:"sub_code"`
		SubMsg  string `json:"sub_msg"`
	}
	// An unreadable answer has no code.
	_ = json.Unmarshal(a.Body, &answer)
	text := answer[name]
	if text == nil {
		text = answer["error_response"]
	}
	_ = json.Unmarshal(text, &told)
	switch {
	case a.Status != payment.StatusOK || told.Code == "" || told.Code == "20000":
		return Taken{}, errs.Unavailable(retryAfter, "the vendor does not know what became of the order")
	case told.Code != "10000":
		// alt does not sign the refusal of a request whose application or signature it does not know.
		if told.SubCode == "" {
			told.SubCode, told.SubMsg = told.Code, told.Msg
		}
		return refusal(told.SubCode, told.SubMsg)
	}

	fields, err := k.FormAnswer(a.Body, name, now)
	if err != nil {
		return Taken{}, err
	}
	if fields["out_trade_no"] != o.TransactionNo || fields["trade_no"] == "" {
		return Taken{}, errs.Forbidden("the answer is about another order")
	}
	return Taken{TradeNo: fields["trade_no"]}, nil
}

// Parameters are the vendor's parameters with which a payer's client pays, by name.
type Parameters map[string]string

// parameters returns the parameters of an order that chat or tpay took, signed for the payer's client. Nonce and time are
// those of the order, so that a repeated request has the same answer.
func parameters(k payment.Keys, o order.Order, told Taken) Parameters {
	nonce, stamp := o.TransactionNo, strconv.FormatInt(o.CreatedAt.Unix(), 10)
	switch o.Gateway {
	case order.Chatpay, order.ChatpayJS:
		p := Parameters{
			"appId": k.AppID, "nonceStr": nonce, "package": "prepay_id=" + told.PrepayID, "signType": "MD5", "timeStamp": stamp,
		}
		p["paySign"] = payment.Sign(p, k.Secret[payment.MerchantKey], false)
		return p
	case order.ChatpayApp:
		p := Parameters{
			"appid": k.AppID, "partnerid": k.MerchantID, "prepayid": told.PrepayID, "package": "Sign=WXPay", "noncestr": nonce,
			"timestamp": stamp,
		}
		p["sign"] = payment.Sign(p, k.Secret[payment.MerchantKey], false)
		return p
	case order.ChatpayNative, order.TpayNative:
		return Parameters{"code_url": told.URL}
	case order.ChatpayWap:
		return Parameters{"mweb_url": told.URL}
	case order.Tpay:
		return Parameters{"package": "prepay_id=" + told.PrepayID}
	}
	return nil
}

// NotifyURL returns the URL for a vendor's notifications to a client of an application. env is "" for production.
func NotifyURL(base string, v payment.Vendor, client, env string) string {
	address := strings.TrimSuffix(base, "/") + "/hserve/v1/pay/notify/" + string(v) + "/" + client + "/"
	if env != "" {
		address += "?env=" + url.QueryEscape(env)
	}
	return address
}
