package payvendor

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"minicloud/infra/local/server"
)

// Payment is what a payer and the vendor do: the payer pays an order, and the vendor notifies. A wrong notification tells
// of what nobody paid.
type Payment struct {
	Number   string `json:"number"`   // of the order
	Times    int    `json:"times"`    // how often the vendor notifies; 0 = once, negative = never
	Cents    int64  `json:"cents"`    // another amount than that of the order
	Currency string `json:"currency"` // another currency than CNY
	Forged   bool   `json:"forged"`   // the signature is wrong
}

func (p Payment) wrong() bool { return p.Forged || p.Cents != 0 || p.Currency != "" }

// zone is the time zone of the vendors' times.
var zone = time.FixedZone("UTC+8", 8*60*60)

// Pay marks an order as paid, unless the notification is wrong, and returns the notification. It returns false if no vendor has the order.
func (a *API) Pay(p Payment) (*http.Request, bool) {
	o, ok := a.settle(p)
	if !ok {
		return nil, false
	}
	cents, currency := cmp.Or(p.Cents, o.Cents), cmp.Or(p.Currency, "CNY")
	body, kind := "", "text/xml; charset=utf-8"
	if o.Vendor == "alt" {
		kind, body = "application/x-www-form-urlencoded; charset=utf-8", a.altNotification(o, cents, currency, p.Forged)
	} else {
		m, _ := a.merchant(o.Vendor, o.Merchant)
		told := paidXML(o, cents, currency)
		told["return_code"], told["appid"], told["mch_id"], told["nonce_str"] = "SUCCESS", m.AppID, o.Merchant, rand.Text()
		key := m.MerchantKey
		if p.Forged {
			key = "guessed"
		}
		told["sign"] = sign(told, key)
		body = writeXML(told)
	}
	r, err := http.NewRequest(http.MethodPost, o.Notify, strings.NewReader(body))
	if err != nil {
		return nil, false
	}
	r.Header.Set("Content-Type", kind)
	return r, true
}

// settle marks the order of a payment as paid, unless it is wrong, and returns the order.
func (a *API) settle(p Payment) (Order, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, o := range a.orders {
		if o.Number != p.Number {
			continue
		}
		layout := "20060102150405"
		if o.Vendor == "alt" {
			layout = "2006-01-02 15:04:05"
		}
		told := *o
		if told.paidAt == "" {
			told.paidAt = a.Clock().In(zone).Format(layout)
		}
		if !p.wrong() {
			told.Paid = true
			*o = told
		}
		return told, true
	}
	return Order{}, false
}

func (a *API) altNotification(o Order, cents int64, currency string, forged bool) string {
	m, _ := a.merchant("alt", o.Merchant)
	form := url.Values{
		"notify_type": {"trade_status_sync"}, "notify_id": {rand.Text()}, "charset": {"utf-8"}, "version": {"1.0"},
		"app_id": {m.AppID}, "seller_id": {o.Merchant}, "trade_no": {o.TradeNo}, "out_trade_no": {o.Number},
		"total_amount": {yuan(cents)}, "trade_status": {"TRADE_SUCCESS"}, "gmt_payment": {o.paidAt},
	}
	if currency != "CNY" {
		form.Set("trans_currency", currency)
	}
	text := Joined(form)
	if forged {
		text += "!"
	}
	signature, _ := a.Sign(text) // without one the notification is refused
	form.Set("sign", signature)
	form.Set("sign_type", "RSA2")
	return form.Encode()
}

// Handler serves the tools at /_local/payments/.
func (a *API) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /_local/payments/{vendor}/{merchant}/", func(w http.ResponseWriter, r *http.Request) {
		var m Merchant
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		public, err := a.PublicKey()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		a.Register(r.PathValue("vendor"), r.PathValue("merchant"), m)
		server.JSON(w, map[string]string{"public_key": public})
	})
	mux.HandleFunc("GET /_local/payments/{$}", func(w http.ResponseWriter, _ *http.Request) {
		server.JSON(w, map[string]any{"orders": a.Orders()})
	})
	mux.HandleFunc("POST /_local/payments/{$}", a.notify)
	return mux
}

// notify serves a payment: it sends the notification as often as asked, and answers what the receiver answered.
func (a *API) notify(w http.ResponseWriter, r *http.Request) {
	var p Payment
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answers := []string{}
	for range max(cmp.Or(p.Times, 1), 0) {
		asked, ok := a.Pay(p)
		if !ok {
			http.Error(w, "no vendor has this order", http.StatusNotFound)
			return
		}
		answer, err := a.Send(asked)
		if err != nil {
			answers = append(answers, err.Error())
			continue
		}
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<16))
		answer.Body.Close()
		answers = append(answers, fmt.Sprintf("%d %s", answer.StatusCode, text))
	}
	if p.Times < 0 {
		a.settle(p)
	}
	server.JSON(w, map[string]any{"answers": answers})
}
