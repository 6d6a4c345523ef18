package payvendor

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// keyOfAlt returns alt's key, which signs answers and notifications.
func (a *API) keyOfAlt() (_ *rsa.PrivateKey, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.key == nil {
		a.key, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	return a.key, err
}

// PublicKey returns alt's public key in PEM.
func (a *API) PublicKey() (string, error) {
	key, err := a.keyOfAlt()
	if err != nil {
		return "", err
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), err
}

// Sign returns the signature of alt for a text, in base64.
func (a *API) Sign(text string) (string, error) {
	key, err := a.keyOfAlt()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(text))
	raw, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])
	return base64.StdEncoding.EncodeToString(raw), err
}

// Joined returns the text that alt signs: the sorted fields as name=value, joined by &; without lists fields to leave out.
func Joined(fields url.Values, without ...string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(without, name) && fields.Get(name) != "" {
			parts = append(parts, name+"="+fields.Get(name))
		}
	}
	return strings.Join(parts, "&")
}

// genuine reports whether a merchant signed a request (RSA2), whose sign_type is signed, too.
func (m Merchant) genuine(form url.Values) bool {
	block, _ := pem.Decode([]byte(m.PublicKey))
	if block == nil {
		return false
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	key, ok := parsed.(*rsa.PublicKey)
	raw, failed := base64.StdEncoding.DecodeString(form.Get("sign"))
	if err != nil || !ok || failed != nil || form.Get("sign_type") != "RSA2" {
		return false
	}
	sum := sha256.Sum256([]byte(Joined(form, "sign")))
	return rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], raw) == nil
}

// altProducts are the products of alt's methods that create orders.
var altProducts = map[string]string{
	"alipay.trade.create": "JSAPI_PAY", "alipay.trade.wap.pay": "QUICK_WAP_WAY",
	"alipay.trade.page.pay": "FAST_INSTANT_TRADE_PAY", "alipay.trade.app.pay": "QUICK_MSECURITY_PAY",
}

// gateway serves alt's gateway: calls of programs, and the signed requests that the payers' clients send.
func (a *API) gateway(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, "the form is invalid", http.StatusBadRequest)
		return
	}
	method := r.Form.Get("method")
	fail := func(code, sub, words string) {
		a.answer(w, method, map[string]string{"code": code, "msg": "Business Failed", "sub_code": sub, "sub_msg": words})
	}
	id, m, known := a.ofApp(r.Form.Get("app_id"))
	switch {
	case !known:
		fail("40002", "isv.invalid-app-id", "app_id is unknown: register it at /_local/payments/")
		return
	case !m.genuine(r.Form):
		fail("40002", "isv.invalid-signature", "the signature is wrong")
		return
	}

	var content struct {
		Number  string `json:"out_trade_no"`
		Amount  string `json:"total_amount"`
		Subject string `json:"subject"`
		Product string `json:"product_code"`
		Buyer   string `json:"buyer_id"`
		OpenID  string `json:"buyer_open_id"`
	}
	if json.Unmarshal([]byte(r.Form.Get("biz_content")), &content) != nil {
		fail("40004", "ACQ.INVALID_PARAMETER", "biz_content is invalid")
		return
	}
	if method == "alipay.trade.query" {
		a.altQuery(w, id, content.Number)
		return
	}
	cents, err := strconv.ParseInt(strings.Replace(content.Amount, ".", "", 1), 10, 64)
	switch {
	case altProducts[method] == "" || content.Product != altProducts[method]:
		fail("40004", "ACQ.INVALID_PARAMETER", "method or product_code is invalid")
		return
	case err != nil || cents <= 0 || !strings.Contains(content.Amount, ".") || content.Number == "" || content.Subject == "":
		fail("40004", "ACQ.INVALID_PARAMETER", "out_trade_no, total_amount or subject is invalid")
		return
	case method == "alipay.trade.create" && content.Buyer+content.OpenID == "":
		fail("40004", "ACQ.INVALID_PARAMETER", "the buyer is missing")
		return
	}

	o, why := a.take(Order{
		Vendor: "alt", Merchant: id, Number: content.Number, Cents: cents, Type: method, Notify: r.Form.Get("notify_url"),
	}, content.Subject, map[string]string{"content": r.Form.Get("biz_content"), "app": r.Form.Get("app_id")})
	switch why {
	case silent:
		hangUp()
	case unwanted:
		fail("40004", "ACQ.SELLER_NOT_EXIST", "the merchant may not sell this")
	case used:
		fail("40004", "ACQ.CONTEXT_INCONSISTENT", "the number is that of another order")
	case paid:
		fail("40004", "ACQ.TRADE_HAS_SUCCESS", "the order is paid")
	default:
		a.answer(w, method, map[string]string{"code": "10000", "msg": "Success", "out_trade_no": o.Number, "trade_no": o.TradeNo})
	}
}

func (a *API) altQuery(w http.ResponseWriter, merchant, number string) {
	a.Count("Question")
	o, known := a.find("alt", merchant, number)
	if !known {
		a.answer(w, "alipay.trade.query", map[string]string{
			"code": "40004", "msg": "Business Failed", "sub_code": "ACQ.TRADE_NOT_EXIST", "sub_msg": "the order does not exist",
		})
		return
	}
	told := map[string]string{
		"code": "10000", "msg": "Success", "out_trade_no": o.Number, "trade_no": o.TradeNo, "trade_status": "WAIT_BUYER_PAY",
		"total_amount": yuan(o.Cents),
	}
	if o.Paid {
		told["trade_status"], told["send_pay_date"] = "TRADE_SUCCESS", o.paidAt
	}
	a.answer(w, "alipay.trade.query", told)
}

// answer writes an answer of alt, which is signed as it stands in the body.
func (a *API) answer(w http.ResponseWriter, method string, told map[string]string) {
	text, _ := json.Marshal(told) // texts always encode
	signature, err := a.Sign(string(text))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	io.WriteString(w, fmt.Sprintf(`{"%s_response":%s,"sign":%q}`, strings.ReplaceAll(method, ".", "_"), text, signature))
}

func yuan(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }
