package payvendor_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"minicloud/infra/local/vendors/payvendor"
	"minicloud/shared/clock"
	"minicloud/shared/order"
	"minicloud/shared/order/checkout"
	"minicloud/shared/order/payment"
	"minicloud/shared/outbound/pay"
)

const key = "192006250b4c09247ec02edce69f6a2d"

// stage is the vendors with a merchant at each, and the keys of the merchant.
type stage struct {
	*payvendor.API
	t    *testing.T
	base string
	keys map[payment.Vendor]payment.Keys
}

func start(t *testing.T) *stage {
	s := &stage{t: t, API: &payvendor.API{Clock: clock.System, Count: func(string) {}}, keys: map[payment.Vendor]payment.Keys{}}
	server := httptest.NewServer(s.API)
	t.Cleanup(server.Close)
	s.base = server.URL + payvendor.Prefix
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&private.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	public, err := s.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []payment.Vendor{payment.Chat, payment.Tpay, payment.Alt} {
		s.Register(string(v), "m1", payvendor.Merchant{
			AppID: "app1", MerchantKey: key, PublicKey: string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})),
		})
		s.keys[v] = payment.Keys{
			Vendor:  v,
			Setting: payment.Setting{AppID: "app1", MerchantID: "m1", BaseURL: s.base + string(v), PublicKey: public},
			Secret: map[string]string{payment.MerchantKey: key, payment.PrivateKey: string(pem.EncodeToMemory(&pem.Block{
				Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(private),
			}))},
		}
	}
	return s
}

var terms = checkout.Terms{
	Buyer: checkout.Buyer{OpenID: "o1", AltUser: "2088102534368455"}, Notify: "https://api.example/notify/", Home: "https://api.example",
}

func tea(g order.Gateway, no string) order.Order {
	o := order.Order{
		Gateway: g, TradeNo: no, TransactionNo: no, Total: 39850, Description: "tea", IP: "203.0.113.7", CreatedAt: time.Now(),
	}
	return o
}

// ask asks a vendor to take an order.
func (s *stage) ask(k payment.Keys, o order.Order) (told checkout.Taken, err error) {
	s.t.Helper()
	q, err := checkout.NewOrderQuery(k, o, terms, "nonce", time.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	answer, err := pay.New(nil, true).Do(s.t.Context(), q)
	if err != nil {
		return told, err
	}
	return checkout.ReadOrderAnswer(k, o, answer, time.Now())
}

var gateways = map[payment.Vendor]order.Gateway{
	payment.Chat: order.Chatpay, payment.Tpay: order.TpayNative, payment.Alt: order.Altpay,
}

// TestTakesOrdersOnce: each number once, with what it asks; questions tell what became of it.
func TestTakesOrdersOnce(t *testing.T) {
	s := start(t)
	for v, gateway := range gateways {
		k, o := s.keys[v], tea(gateway, "N"+string(v))
		first, err := s.ask(k, o)
		if again, failed := s.ask(k, o); err != nil || failed != nil || again != first || first.Refusal != "" {
			t.Errorf("%s: %+v, %v, then %+v, %v", v, first, err, again, failed)
		}
		other := o
		other.Total = 1
		if told, err := s.ask(k, other); err != nil || !told.Known {
			t.Errorf("%s: the number of another order: %+v, %v", v, told, err)
		}
		if state := s.question(k, o); state.Status != order.Pending {
			t.Errorf("%s: %+v", v, state)
		}
		if _, ok := s.Pay(payvendor.Payment{Number: "N" + string(v)}); !ok {
			t.Errorf("%s: the order is unknown", v)
		}
		if state := s.question(k, o); state.Status != order.Success || state.Total != 39850 {
			t.Errorf("%s: %+v", v, state)
		}
		if told, err := s.ask(k, o); err != nil || !told.Known {
			t.Errorf("%s: the number of a paid order: %+v, %v", v, told, err)
		}
		if state := s.question(k, tea(gateway, "unknown")); state.Status != order.Pending {
			t.Errorf("%s: an unknown order is %+v", v, state)
		}
	}
	if n := len(s.Orders()); n != 3 {
		t.Errorf("%d orders", n)
	}
}

func (s *stage) question(k payment.Keys, o order.Order) order.Order {
	s.t.Helper()
	q, err := payment.NewQuery(k, o, "nonce", time.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	answer, err := pay.New(nil, true).Do(s.t.Context(), q)
	if err != nil {
		s.t.Fatal(err)
	}
	state, err := payment.ReadAnswer(k, o, answer, time.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	return state
}

// TestRefusesRequests: what the vendors refuse.
func TestRefusesRequests(t *testing.T) {
	s := start(t)
	for v, gateway := range gateways {
		for name, change := range map[string]func(k *payment.Keys, o *order.Order){
			"a wrong key": func(k *payment.Keys, _ *order.Order) {
				other := start(t)
				k.Secret = map[string]string{payment.MerchantKey: "guessed", payment.PrivateKey: other.keys[payment.Alt].Secret[payment.PrivateKey]}
			},
			"another application": func(k *payment.Keys, _ *order.Order) { k.AppID = "app2" },
			"a wrong description": func(_ *payment.Keys, o *order.Order) { o.Description = "wrong tea" },
			"no description":      func(_ *payment.Keys, o *order.Order) { o.Description = "" },
			"nothing to pay":      func(_ *payment.Keys, o *order.Order) { o.Total = 0 },
		} {
			k, o := s.keys[v], tea(gateway, "N1")
			change(&k, &o)
			if told, err := s.ask(k, o); err == nil && told.Refusal == "" {
				t.Errorf("%s takes %s", v, name)
			}
		}
		for _, word := range []string{"down", "lost"} {
			o := tea(gateway, word+string(v))
			o.Description = word
			if told, err := s.ask(s.keys[v], o); err == nil {
				t.Errorf("%s answers %s: %+v", v, word, told)
			}
			if told, err := s.ask(s.keys[v], o); (err == nil) != (word == "lost") {
				t.Errorf("%s: %s again: %+v, %v", v, word, told, err)
			}
		}
	}
}

// TestTakesSignedAddresses: a payer's client follows the address; a changed one is refused.
func TestTakesSignedAddresses(t *testing.T) {
	s := start(t)
	fields := map[string]string{
		"notify_url": "https://api.example/notify/", "biz_content": `{"out_trade_no":"N1","total_amount":"398.50","subject":"tea","product_code":"QUICK_WAP_WAY"}`,
	}
	k := s.keys[payment.Alt]
	form, err := payment.SignFields(k.AppID, k.Secret[payment.PrivateKey], "alipay.trade.wap.pay", fields, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for text, taken := range map[string]bool{
		strings.Replace(form, "398.50", "0.01", 1): false, strings.Replace(form, url.QueryEscape("api.example"), "evil.example", 1): false,
		strings.Replace(form, "wap.pay", "page.pay", 1): false, form: true,
	} {
		answer, err := http.Get(s.base + "alt/gateway.do?" + text)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if strings.Contains(string(body), `"code":"10000"`) != taken {
			t.Errorf("%s: %s", text, body)
		}
	}
	if orders := s.Orders(); len(orders) != 1 || orders[0].Cents != 39850 {
		t.Errorf("%+v", orders)
	}
}

// TestNotifications: the platform verifies genuine notifications, also of another amount, and no forged ones.
func TestNotifications(t *testing.T) {
	s := start(t)
	for v, gateway := range gateways {
		no := "N" + string(v)
		if told, err := s.ask(s.keys[v], tea(gateway, no)); err != nil || told.Refusal != "" {
			t.Fatal(told, err)
		}
		for name, c := range map[string]struct {
			payment payvendor.Payment
			total   order.Amount
		}{
			"genuine": {payvendor.Payment{Number: no}, 39850}, "another amount": {payvendor.Payment{Number: no, Cents: 1}, 1},
			"another currency": {payvendor.Payment{Number: no, Currency: "USD"}, 39850}, "forged": {payvendor.Payment{Number: no, Forged: true}, 0},
		} {
			r, ok := s.Pay(c.payment)
			if !ok || r.URL.String() != "https://api.example/notify/" {
				t.Fatalf("%s: %v", v, r)
			}
			body, _ := io.ReadAll(r.Body)
			p, told, err := payment.Verify(s.keys[v], payment.Notification{Body: body}, time.Now())
			if (err == nil) == c.payment.Forged || told == c.payment.Forged || p.Total != c.total ||
				c.payment.Currency != "" && p.Currency != c.payment.Currency {
				t.Errorf("%s: %s: %+v, %v, %v", v, name, p, told, err)
			}
		}
	}
}

// TestTools registers a merchant and has an order paid by the tools of the local cloud.
func TestTools(t *testing.T) {
	s := start(t)
	var sent []string
	s.Send = func(r *http.Request) (*http.Response, error) {
		sent = append(sent, r.URL.String())
		if len(sent) > 2 {
			return nil, errors.New("the receiver is away")
		}
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("SUCCESS"))}, nil
	}
	tools := s.Handler()
	ask := func(method, path, body string, status int) (answer struct {
		PublicKey string `json:"public_key"`
		Answers   []string
		Orders    []payvendor.Order
	}) {
		t.Helper()
		w := httptest.NewRecorder()
		tools.ServeHTTP(w, httptest.NewRequest(method, "/_local/payments/"+path, strings.NewReader(body)))
		if w.Code != status {
			t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
		}
		_ = json.Unmarshal(w.Body.Bytes(), &answer) // errors are text
		return answer
	}

	if got := ask("PUT", "chat/m2/", fmt.Sprintf(`{"app_id":"app1","merchant_key":%q}`, key), 200); !strings.Contains(got.PublicKey, "PUBLIC KEY") {
		t.Errorf("%+v", got)
	}
	ask("PUT", "chat/m2/", `{`, 400)
	k := s.keys[payment.Chat]
	k.MerchantID = "m2"
	for _, no := range []string{"N1", "N2"} {
		if told, err := s.ask(k, tea(order.ChatpayNative, no)); err != nil || told.URL == "" {
			t.Fatal(told, err)
		}
	}
	if got := ask("POST", "", `{"number":"N1","times":3}`, 200); len(got.Answers) != 3 || got.Answers[0] != "200 SUCCESS" || len(sent) != 3 {
		t.Errorf("%+v, sent %v", got, sent)
	}
	ask("POST", "", `{"number":"N2","times":-1}`, 200)
	ask("POST", "", `{"number":"N3"}`, 404)
	ask("POST", "", `[`, 400)
	if got := ask("GET", "", "", 200); len(got.Orders) != 2 || !got.Orders[0].Paid || !got.Orders[1].Paid || len(sent) != 3 {
		t.Errorf("%+v, sent %v", got.Orders, sent)
	}
}
