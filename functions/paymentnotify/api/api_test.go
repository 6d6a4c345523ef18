package api_test

import (
	"bytes"
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"minicloud/functions/paymentnotify/api"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/order"
	"minicloud/shared/order/payment"
	"minicloud/shared/page"
	"minicloud/shared/secret/sealed/sealedtest"
	"minicloud/shared/tenant"
)

const (
	client      = "00000000000000000007"
	testEnv     = "0123456789abcdef0123"
	merchantKey = "192006250b4c09247ec02edce69f6a2d"
	apiKey      = "0123456789abcdef0123456789ABCDEF"
)

var (
	now  = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	shop = tenant.Scope{App: 7, Env: tenant.Production}
)

type applications struct{}

func (applications) ByHandle(_ context.Context, h app.Handle) (app.Application, error) {
	a := app.Application{ID: 7, ClientID: client, Environments: map[tenant.EnvID]string{testEnv: "staging"}}
	if h != a.ClientID.Handle() {
		return app.Application{}, errs.NotFound("application not found")
	}
	return a, nil
}

// bus is a fake that delivers every event three times concurrently to the order service, as the consumer does.
type bus struct {
	orders  *order.Service
	puts    atomic.Int32
	changes atomic.Int32
	down    atomic.Bool
}

func (b *bus) Put(ctx context.Context, detailType string, detail []byte) error {
	if b.down.Load() {
		return errs.Unavailable(1, "the platform is busy, try again")
	}
	b.puts.Add(1)
	d, err := order.ParseDetail(detail)
	if err != nil || detailType != "payment" {
		return errors.Join(err, errors.New("no payment"))
	}
	var deliveries sync.WaitGroup
	for range 3 {
		deliveries.Go(func() {
			if _, changed, err := b.orders.Paid(ctx, d.Scope, d.Payment); err == nil && changed {
				b.changes.Add(1)
			}
		})
	}
	deliveries.Wait()
	return nil
}

type platform struct {
	http.Handler
	bus       *bus
	log       bytes.Buffer
	logLock   sync.Mutex
	chat, alt *rsa.PrivateKey
}

func (p *platform) Write(line []byte) (int, error) {
	p.logLock.Lock()
	defer p.logLock.Unlock()
	return p.log.Write(line)
}

func newPlatform(t testing.TB) *platform {
	p := &platform{}
	db := dynamotest.Start(t, "OrdersTable", "SettingsTable")
	p.bus = &bus{orders: &order.Service{Store: &orderdb.Store{Client: db, Table: "OrdersTable"}, Clock: clock.Fixed(now)}}
	settings := &payment.Settings{
		Store: &settingdb.Payments{Client: db, Table: "SettingsTable"}, Sealer: sealedtest.Sealer{}, Clock: clock.Fixed(now),
	}
	log := slog.New(slog.NewJSONHandler(p, nil))
	group := &api.Group{Applications: applications{}, Settings: settings, Bus: p.bus, Clock: clock.Fixed(now), Log: log}
	p.Handler = (&httpapi.API{Routes: group.Routes(), Log: log, Clock: clock.Fixed(now)}).Handler()

	var chatPublic, altPublic string
	p.chat, chatPublic = numberedKey(t, 0)
	p.alt, altPublic = numberedKey(t, 1)
	text := func(s string) *string { return &s }
	for vendor, patch := range map[payment.Vendor]payment.Patch{
		payment.Chat: {AppID: text("wx1"), MerchantID: text("m1"), Certificates: map[string]string{"PUB1": chatPublic},
			Secrets: map[string]*string{payment.MerchantKey: text(merchantKey), payment.APIv3Key: text(apiKey)}},
		payment.Alt:  {AppID: text("al1"), MerchantID: text("s1"), PublicKey: text(altPublic)},
		payment.Tpay: {MerchantID: text("q1"), Secrets: map[string]*string{payment.MerchantKey: text(merchantKey)}},
	} {
		if _, err := settings.Put(t.Context(), shop, vendor, patch); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *platform) notify(path, body string, headers map[string]string) (int, string) {
	r := httptest.NewRequest(http.MethodPost, "/hserve/v1/pay/notify/"+path, strings.NewReader(body))
	for name, text := range headers {
		r.Header.Set(name, text)
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	answer, _ := io.ReadAll(w.Body)
	return w.Code, string(answer)
}

// xmlFields returns the fields of chat pay's notification of a payment of 1.5 yuan.
func xmlFields() map[string]string {
	return map[string]string{
		"appid": "wx1", "mch_id": "m1", "out_trade_no": "T1", "transaction_id": "4200", "total_fee": "150",
		"cash_fee": "150",
		"fee_type": "CNY", "result_code": "SUCCESS", "return_code": "SUCCESS", "time_end": "20261122195959",
		"trade_type": "JSAPI",
		"openid":     "o&<1>", "bank_type": "CFT", "is_subscribe": "N", "nonce_str": "n", "attach": "",
	}
}

func resource() map[string]any {
	return map[string]any{
		"appid": "wx1", "mchid": "m1", "out_trade_no": "T1", "transaction_id": "4200", "trade_type": "NATIVE",
		"trade_state": "SUCCESS",
		"bank_type":   "CMC", "success_time": "2026-11-22T19:59:59+08:00", "payer": map[string]any{"openid": "o1"},
		"amount": map[string]any{"total": 150, "payer_total": 150, "currency": "CNY"},
	}
}

func formFields() map[string]string {
	return map[string]string{
		"app_id": "al1", "seller_id": "s1", "out_trade_no": "N1", "trade_no": "2026112222001",
		"trade_status": "TRADE_SUCCESS",
		"total_amount": "1.50", "gmt_payment": "2026-11-22 19:59:59", "notify_id": "1", "subject": "green tea & more",
		"body": "",
	}
}

const (
	xmlSuccess  = "<return_code><![CDATA[SUCCESS]]>"
	xmlFail     = "<return_code><![CDATA[FAIL]]>"
	jsonSuccess = `"code":"SUCCESS"`
	jsonFail    = `"code":"FAIL"`
)

// TestRepeatedNotificationPaysOnce: repeated notifications make one order and one transition.
func TestRepeatedNotificationPaysOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		send    func(p *platform) (int, string)
		answer  string
		gateway order.Gateway
		filter  order.Filter
	}{
		"chat, MD5": {func(p *platform) (int, string) {
			return p.notify("chat/"+client+"/", signedXML(xmlFields(), merchantKey, "MD5"), nil)
		}, xmlSuccess, order.Chatpay, order.Filter{TradeNo: "T1"}},
		"chat, HMAC-SHA256": {func(p *platform) (int, string) {
			return p.notify("chat/"+client, signedXML(xmlFields(), merchantKey, "HMAC-SHA256"), nil)
		}, xmlSuccess, order.Chatpay, order.Filter{TradeNo: "T1"}},
		"chat, JSON": {func(p *platform) (int, string) {
			body, headers := sealedJSON(t, "TRANSACTION.SUCCESS", resource(), apiKey, p.chat, now.Add(-time.Minute))
			return p.notify("chat/"+client+"/", body, headers)
		}, jsonSuccess, order.ChatpayNative, order.Filter{TradeNo: "T1"}},
		"alt": {func(p *platform) (int, string) {
			return p.notify("alt/"+client+"/", signedForm(t, formFields(), p.alt), nil)
		}, "success", order.Altpay, order.Filter{TransactionNo: "N1"}},
		"tpay": {func(p *platform) (int, string) {
			fields := xmlFields()
			fields["mch_id"], fields["trade_type"] = "q1", "MINIAPP"
			return p.notify("tpay/"+client+"/", signedXML(fields, merchantKey, "MD5"), nil)
		}, xmlSuccess, order.Tpay, order.Filter{TradeNo: "T1"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t)
			var vendor sync.WaitGroup
			for range 20 {
				vendor.Go(func() {
					if status, body := tt.send(p); status != 200 || !strings.Contains(body, tt.answer) {
						t.Errorf("%d %s", status, body)
					}
				})
			}
			vendor.Wait()
			got, err := p.bus.orders.List(t.Context(), shop, tt.filter, page.Request{Limit: 10})
			if err != nil || len(got.Objects) != 1 || p.bus.changes.Load() != 1 || p.bus.puts.Load() != 20 {
				t.Fatalf("%d orders, %d changes, %d events, %v", len(got.Objects), p.bus.changes.Load(), p.bus.puts.Load(), err)
			}
			o := got.Objects[0]
			if o.Status != order.Success || o.Total != 150 || o.Gateway != tt.gateway ||
				!o.PaidAt.Equal(now.Add(-time.Second)) {
				t.Errorf("%+v", o)
			}
			if extra, _ := json.Marshal(o.Extra); o.Gateway == order.Chatpay &&
				!bytes.Contains(extra, []byte(`"total_fee":"150"`)) {
				t.Errorf("%s", extra)
			}
		})
	}
}

// TestRefusesForgedNotifications: forged, replayed, foreign and malformed notifications get a failure response and
// change nothing.
func TestRefusesForgedNotifications(t *testing.T) {
	p := newPlatform(t)
	other, _ := numberedKey(t, 2)
	fields := func(changes map[string]string) map[string]string {
		all := xmlFields()
		maps.Copy(all, changes)
		return all
	}
	xml := func(path, body string) func() (int, string) {
		return func() (int, string) { return p.notify(path, body, nil) }
	}
	jsonWith := func(key *rsa.PrivateKey, secret string, at time.Time, change func(map[string]any, map[string]string)) func() (int, string) {
		return func() (int, string) {
			r, marks := resource(), map[string]string{}
			change(r, marks)
			body, headers := sealedJSON(t, "TRANSACTION.SUCCESS", r, secret, key, at)
			maps.Copy(headers, marks)
			return p.notify("chat/"+client+"/", body, headers)
		}
	}
	same := func(map[string]any, map[string]string) {}
	good := signedXML(xmlFields(), merchantKey, "MD5")
	chat := "chat/" + client + "/"
	form := func(key *rsa.PrivateKey, change map[string]string) func() (int, string) {
		all := formFields()
		maps.Copy(all, change)
		return xml("alt/"+client+"/", signedForm(t, all, key))
	}

	for name, tt := range map[string]struct {
		send   func() (int, string)
		status int
		answer string
	}{
		"xml, another key": {xml(chat, signedXML(xmlFields(), "another", "MD5")), 200, xmlFail},
		"xml, changed":     {xml(chat, strings.Replace(good, "[150]", "[1]", 1)), 200, xmlFail},
		"xml, no sign":     {xml(chat, "<xml><return_code>SUCCESS</return_code></xml>"), 200, xmlFail},
		"xml, another application": {
			xml(chat, signedXML(fields(map[string]string{"appid": "wx2"}), merchantKey, "MD5")), 200, xmlFail,
		},
		"xml, another merchant": {
			xml(chat, signedXML(fields(map[string]string{"mch_id": "m2"}), merchantKey, "MD5")), 200, xmlFail,
		},
		"xml, no amount": {
			xml(chat, signedXML(fields(map[string]string{"total_fee": "1.5"}), merchantKey, "MD5")), 200, xmlFail,
		},
		"xml, a field twice": {xml(chat, strings.Replace(good, "<xml>", "<xml><attach>x</attach>", 1)), 200, xmlFail},
		"xml, entities": {
			xml(chat, `<!DOCTYPE xml [<!ENTITY e SYSTEM "file:///etc/passwd">]>`+good), 200, xmlFail,
		},
		"xml, no XML":              {xml(chat, "hello"), 200, xmlFail},
		"empty":                    {xml(chat, ""), 200, xmlFail},
		"unknown client":           {xml("chat/ffffffffffffffffffff/", good), 200, xmlFail},
		"same handle, not client":  {xml("chat/0000000000ffffffffff/", good), 200, xmlFail},
		"no client":                {xml("chat/x/", good), 200, xmlFail},
		"unknown environment":      {xml(chat+"?env=ffffffffffffffffffff", good), 200, xmlFail},
		"environment without keys": {xml(chat+"?env="+testEnv, good), 200, xmlFail},
		"of another vendor":        {xml("tpay/"+client+"/", good), 200, xmlFail},
		"json, another key":        {jsonWith(other, apiKey, now, same), 401, jsonFail},
		"json, replayed":           {jsonWith(p.chat, apiKey, now.Add(-6*time.Minute), same), 401, jsonFail},
		"json, of tomorrow":        {jsonWith(p.chat, apiKey, now.Add(24*time.Hour), same), 401, jsonFail},
		"json, another api key":    {jsonWith(p.chat, strings.ToUpper(apiKey), now, same), 401, jsonFail},
		"json, unknown serial": {jsonWith(p.chat, apiKey, now, func(_ map[string]any, h map[string]string) {
			h["Chatpay-Serial"] = "PUB2"
		}), 401, jsonFail},
		"json, changed time": {jsonWith(p.chat, apiKey, now.Add(
			-6*time.Minute,
		), func(_ map[string]any, h map[string]string) {
			h["Chatpay-Timestamp"] = "1795348800"
		}), 401, jsonFail},
		"json, another merchant": {
			jsonWith(p.chat, apiKey, now, func(r map[string]any, _ map[string]string) { r["mchid"] = "m2" }), 401, jsonFail,
		},
		"json, no headers": {xml(chat, `{"event_type":"TRANSACTION.SUCCESS"}`), 401, jsonFail},
		"alt, another key": {form(other, nil), 200, "failure"},
		"alt, changed": {func() (int, string) {
			return p.notify("alt/"+client+"/", strings.Replace(signedForm(t, formFields(), p.alt), "1.50", "0.01", 1), nil)
		}, 200, "failure"},
		"alt, another seller": {form(p.alt, map[string]string{"seller_id": "s2"}), 200, "failure"},
		"alt, no amount":      {form(p.alt, map[string]string{"total_amount": "much"}), 200, "failure"},
		"alt, no form":        {xml("alt/"+client+"/", "%zz"), 200, "failure"},
		"no vendor":           {xml("cash/"+client+"/", good), 404, "vendor"},
	} {
		p.log.Reset()
		status, body := tt.send()
		if status != tt.status || !strings.Contains(body, tt.answer) {
			t.Errorf("%s: %d %s", name, status, body)
		}
		if said := p.log.String(); tt.status != 404 && !strings.Contains(said, "notification refused") ||
			strings.Contains(said+body, merchantKey) || strings.Contains(said+body, apiKey) {
			t.Errorf("%s: log %s", name, said)
		}
	}
	if n := p.bus.puts.Load(); n > 0 {
		t.Errorf("%d events of refused notifications", n)
	}
}

// TestAcknowledgesNotificationsWithoutPayment: otherwise the vendor would repeat them.
func TestAcknowledgesNotificationsWithoutPayment(t *testing.T) {
	p := newPlatform(t)
	failed := xmlFields()
	failed["result_code"] = "FAIL"
	closed := formFields()
	closed["trade_status"] = "TRADE_CLOSED"
	complaint, headers := sealedJSON(t, "COMPLAINT.CREATE", map[string]any{}, apiKey, p.chat, now)
	for vendor, n := range map[string]struct {
		body    string
		headers map[string]string
		answer  string
	}{
		"chat/":  {signedXML(failed, merchantKey, "MD5"), nil, xmlSuccess},
		"alt/":   {signedForm(t, closed, p.alt), nil, "success"},
		"/chat/": {complaint, headers, jsonSuccess},
	} {
		if status, body := p.notify(strings.TrimPrefix(vendor, "/")+client+"/", n.body, n.headers); status != 200 ||
			!strings.Contains(body, n.answer) {
			t.Errorf("%s: %d %s", vendor, status, body)
		}
	}
	if n := p.bus.puts.Load(); n > 0 {
		t.Errorf("%d events", n)
	}
}

// TestAcknowledgesOnlyAfterPublishing: without the acknowledgement, the vendor repeats the notification.
func TestAcknowledgesOnlyAfterPublishing(t *testing.T) {
	p := newPlatform(t)
	p.bus.down.Store(true)
	if status, body := p.notify("chat/"+client+"/", signedXML(xmlFields(), merchantKey, "MD5"), nil); status != 200 ||
		!strings.Contains(body, xmlFail) {
		t.Errorf("%d %s", status, body)
	}
	body, headers := sealedJSON(t, "TRANSACTION.SUCCESS", resource(), apiKey, p.chat, now)
	if status, body := p.notify("chat/"+client+"/", body, headers); status != 503 || !strings.Contains(body, jsonFail) {
		t.Errorf("%d %s", status, body)
	}
	if status, body := p.notify("alt/"+client+"/", signedForm(t, formFields(), p.alt), nil); status != 200 ||
		body != "failure" {
		t.Errorf("%d %s", status, body)
	}
}

// TestForeignCurrencyPaysNoOrder: 1.50 in another currency does not pay an order of 1.50 yuan. The notification is
// acknowledged, because the bus has it.
func TestForeignCurrencyPaysNoOrder(t *testing.T) {
	for name, tt := range map[string]struct {
		gateway order.Gateway
		send    func(p *platform, currency string) string
		answer  string
	}{
		"chat, XML": {order.Chatpay, func(p *platform, currency string) string {
			fields := xmlFields()
			fields["fee_type"] = currency
			_, body := p.notify("chat/"+client+"/", signedXML(fields, merchantKey, "MD5"), nil)
			return body
		}, xmlSuccess},
		"chat, JSON": {order.Chatpay, func(p *platform, currency string) string {
			r := resource()
			r["amount"].(map[string]any)["currency"] = currency
			body, headers := sealedJSON(t, "TRANSACTION.SUCCESS", r, apiKey, p.chat, now)
			_, body = p.notify("chat/"+client+"/", body, headers)
			return body
		}, jsonSuccess},
		"alt": {order.Altpay, func(p *platform, currency string) string {
			fields := formFields()
			fields["out_trade_no"], fields["trade_no"], fields["trans_currency"] = "N1", "T1", currency
			_, body := p.notify("alt/"+client+"/", signedForm(t, fields, p.alt), nil)
			return body
		}, "success"},
		"tpay": {order.Tpay, func(p *platform, currency string) string {
			fields := xmlFields()
			fields["mch_id"], fields["fee_type"] = "q1", currency
			_, body := p.notify("tpay/"+client+"/", signedXML(fields, merchantKey, "MD5"), nil)
			return body
		}, xmlSuccess},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t)
			pending := order.Order{
				Gateway: tt.gateway, Status: order.Pending, TradeNo: "T1", TransactionNo: "N1", Total: 150,
			}
			if _, _, err := p.bus.orders.Paid(t.Context(), shop, pending); err != nil {
				t.Fatal(err)
			}
			for i, step := range []struct {
				currency string
				status   order.Status
			}{{"USD", order.Pending}, {"CNY", order.Success}} {
				if body := tt.send(p, step.currency); !strings.Contains(body, tt.answer) {
					t.Errorf("%s: %s", step.currency, body)
				}
				o, err := p.bus.orders.ByTransactionNo(t.Context(), shop, "N1")
				if err != nil || o.Status != step.status || int(p.bus.changes.Load()) != i || int(p.bus.puts.Load()) != i+1 {
					t.Errorf("%s: %s, %d changes, %d events, %v", step.currency, o.Status, p.bus.changes.Load(), p.bus.puts.Load(), err)
				}
			}
		})
	}
}
