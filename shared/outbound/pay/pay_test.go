package pay_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/md5"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/delivery/safehttp"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/order"
	"minicloud/shared/order/payment"
	"minicloud/shared/outbound/pay"
	"minicloud/shared/secret/sealed/sealedtest"
	"minicloud/shared/tenant"
)

var (
	start = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	shop  = tenant.Scope{App: 7, Env: tenant.Production}
)

// vendor is a fake of chat and alt. It has the state of each order number.
type vendor struct {
	t      *testing.T
	key    *rsa.PrivateKey
	forged bool
	fee    string // currency in XML responses, "" = none

	mu     sync.Mutex
	states map[string]string
	asked  []string
}

func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	switch r.URL.Path {
	case "/pay/orderquery":
		var q struct {
			No   string `xml:"out_trade_no"`
			App  string `xml:"appid"`
			Mch  string `xml:"mch_id"`
			Once string `xml:"nonce_str"`
			Sign string `xml:"sign"`
		}
		if err := xml.Unmarshal(body, &q); err != nil {
			v.t.Error(err)
		}
		want := fmt.Sprintf("appid=%s&mch_id=%s&nonce_str=%s&out_trade_no=%s&key=secret", q.App, q.Mch, q.Once, q.No)
		if q.Sign != fmt.Sprintf("%X", md5.Sum([]byte(want))) || len(q.Once) != 32 {
			v.t.Errorf("badly signed: %s", body)
		}
		v.asked = append(v.asked, q.No)
		v.answerXML(w, q.No)
	case "/v3/pay/transactions/out-trade-no/T1":
		v.answerJSON(w, r)
	case "/gateway.do":
		r.Body = io.NopCloser(bytes.NewReader(body))
		v.answerForm(w, r)
	default:
		v.t.Errorf("asked at %s", r.URL.Path)
	}
}

func (v *vendor) answerXML(w io.Writer, no string) {
	fields := []string{"appid=wx1", "mch_id=m1", "out_trade_no=" + no, "result_code=SUCCESS", "return_code=SUCCESS",
		"time_end=20261122200300", "total_fee=150", "trade_state=" + v.states[no], "trade_type=JSAPI"}
	if v.fee != "" {
		fields = append(fields, "fee_type="+v.fee)
	}
	sort.Strings(fields)
	key := "secret"
	if v.forged {
		key = "guessed"
	}
	sign := fmt.Sprintf("%X", md5.Sum([]byte(strings.Join(fields, "&")+"&key="+key)))
	text := "<xml><sign>" + sign + "</sign>"
	for _, f := range fields {
		name, value, _ := strings.Cut(f, "=")
		text += "<" + name + ">" + value + "</" + name + ">"
	}
	fmt.Fprint(w, text+"</xml>")
}

// answerJSON verifies the request's signature as chat (v3) does, and signs its response.
func (v *vendor) answerJSON(w http.ResponseWriter, r *http.Request) {
	said := map[string]string{}
	fields, _ := strings.CutPrefix(r.Header.Get("Authorization"), "WECHATPAY2-SHA256-RSA2048 ")
	for _, field := range strings.Split(fields, ",") {
		name, text, _ := strings.Cut(field, "=")
		said[name] = strings.Trim(text, `"`)
	}
	asked := "GET\n/v3/pay/transactions/out-trade-no/T1?mchid=m1\n" + said["timestamp"] + "\n" + said["nonce_str"] + "\n\n"
	sum := sha256.Sum256([]byte(asked))
	raw, _ := base64.StdEncoding.DecodeString(said["signature"])
	if rsa.VerifyPKCS1v15(&v.key.PublicKey, crypto.SHA256, sum[:], raw) != nil || r.Method != "GET" ||
		said["mchid"] != "m1" || said["serial_no"] != "5157F0" || len(said["nonce_str"]) != 32 {
		v.t.Errorf("badly signed: %s %s %v", r.Method, r.URL, r.Header)
	}
	v.asked = append(v.asked, "T1")

	body := `{"appid":"wx1","mchid":"m1","out_trade_no":"T1","transaction_id":"V7","trade_type":"JSAPI","trade_state":"` +
		v.states["T1"] + `","success_time":"2026-11-22T20:03:00+08:00","amount":{"total":150}}`
	stamp := said["timestamp"]
	sum = sha256.Sum256([]byte(stamp + "\n" + "once" + "\n" + body + "\n"))
	if v.forged {
		sum[0]++
	}
	sign, _ := rsa.SignPKCS1v15(nil, v.key, crypto.SHA256, sum[:])
	for name, text := range map[string]string{
		"Timestamp": stamp, "Nonce": "once", "Serial": "PUB1", "Signature": base64.StdEncoding.EncodeToString(sign),
	} {
		w.Header().Set("Chatpay-"+name, text)
	}
	fmt.Fprint(w, body)
}

func (v *vendor) answerForm(w io.Writer, r *http.Request) {
	if err := r.ParseForm(); err != nil || r.Form.Get("method") != "alipay.trade.query" {
		v.t.Errorf("%v, %v", r.Form, err)
	}
	no := strings.TrimSuffix(strings.TrimPrefix(r.Form.Get("biz_content"), `{"out_trade_no":"`), `"}`)
	v.asked = append(v.asked, no)

	var parts []string
	for name := range r.Form {
		if name != "sign" {
			parts = append(parts, name+"="+r.Form.Get(name))
		}
	}
	sort.Strings(parts)
	sum := sha256.Sum256([]byte(strings.Join(parts, "&")))
	raw, _ := base64.StdEncoding.DecodeString(r.Form.Get("sign"))
	if rsa.VerifyPKCS1v15(&v.key.PublicKey, crypto.SHA256, sum[:], raw) != nil {
		v.t.Error("badly signed")
	}

	text := `{"code":"10000","out_trade_no":"` + no + `","trade_no":"V9","trade_status":"` + v.states[no] +
		`","total_amount":"1.50","send_pay_date":"2026-11-22 20:03:00"}`
	sum = sha256.Sum256([]byte(text))
	sign, _ := rsa.SignPKCS1v15(nil, v.key, crypto.SHA256, sum[:])
	fmt.Fprintf(w, `{"alipay_trade_query_response":%s,"sign":%q}`, text, base64.StdEncoding.EncodeToString(sign))
}

type world struct {
	*payment.Reconciler
	vendor *vendor
	now    time.Time
	bus    []string // details of payments
	busy   bool     // the bus refuses events
}

// Put implements payment.Bus.
func (w *world) Put(_ context.Context, detailType string, detail []byte) error {
	if w.busy {
		return errors.New("the bus is busy")
	}
	w.bus = append(w.bus, detailType+" "+string(detail))
	return nil
}

// newWorld has one pending order of 1.5 yuan per vendor: T1 at chat, N2 at alt, T3 at tpay, which is not configured.
func newWorld(t *testing.T) *world {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		now: start, vendor: &vendor{t: t, key: key, states: map[string]string{"T1": "NOTPAY", "N2": "WAIT_BUYER_PAY"}},
	}
	server := httptest.NewServer(w.vendor)
	t.Cleanup(server.Close)
	clock := func() time.Time { return w.now }
	db := dynamotest.Start(t, "OrdersTable", "SettingsTable")
	orders := &orderdb.Store{Client: db, Table: "OrdersTable"}
	w.Reconciler = &payment.Reconciler{
		Orders: &order.Service{Store: orders, Clock: clock}, Checks: orders,
		Settings: &payment.Settings{
			Store: &settingdb.Payments{Client: db, Table: "SettingsTable"}, Sealer: sealedtest.Sealer{}, Clock: clock,
		},
		Vendors: &pay.Client{HTTP: safehttp.New(safehttp.Options{AllowPrivate: true, Timeout: time.Minute})}, Clock: clock,
		Log: slog.New(slog.DiscardHandler), Bus: w,
	}

	text := func(s string) *string { return &s }
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, patch := range map[payment.Vendor]payment.Patch{
		payment.Chat: {
			AppID: text("wx1"), MerchantID: text("m1"), BaseURL: text(server.URL),
			Secrets: map[string]*string{payment.MerchantKey: text("secret")},
		},
		payment.Alt: {
			AppID: text("al1"), BaseURL: text(server.URL + "/"),
			PublicKey: text(string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}))),
			Secrets: map[string]*string{payment.PrivateKey: text(string(pem.EncodeToMemory(&pem.Block{
				Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key),
			})))},
		},
	} {
		if _, err := w.Settings.Put(t.Context(), shop, name, patch); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range []order.Order{
		{Gateway: order.Chatpay, TradeNo: "T1", TransactionNo: "N1"}, {Gateway: order.AltpayWap, TransactionNo: "N2"},
		{Gateway: order.Tpay, TradeNo: "T3", TransactionNo: "N3"},
	} {
		o.Status, o.Total = order.Pending, 150
		if _, _, err := w.Orders.Paid(t.Context(), shop, o); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// tick runs the clock in steps of a minute until a time after the start.
func (w *world) tick(t *testing.T, until time.Duration) {
	t.Helper()
	for ; !w.now.After(start.Add(until)); w.now = w.now.Add(time.Minute) {
		if _, err := w.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func (w *world) is(t *testing.T, transactionNo string, want order.Status) order.Order {
	t.Helper()
	o, err := w.Orders.ByTransactionNo(t.Context(), shop, transactionNo)
	if err != nil || o.Status != want {
		t.Errorf("%s is %s (%v), want %s", transactionNo, o.Status, err, want)
	}
	return o
}

// TestChecksPendingOrdersWithBackoff checks two orders at the times of order.Checks. Checks missed in between are
// made once.
func TestChecksPendingOrdersWithBackoff(t *testing.T) {
	w := newWorld(t)
	w.tick(t, 35*time.Minute)
	if n := len(w.vendor.asked); n != 10 {
		t.Errorf("asked %d times in half an hour, want 10", n)
	}
	w.now = start.Add(24 * time.Hour) // checks that were due in between are made once
	w.tick(t, 24*time.Hour+3*time.Minute)
	w.tick(t, 24*time.Hour+6*time.Minute)
	if due, err := w.Checks.Due(t.Context(), start.Add(1000*time.Hour), 10); err != nil || len(due) > 0 {
		t.Errorf("%+v, %v", due, err)
	}
	if n := len(w.vendor.asked); n != 12 {
		t.Errorf("asked %d times, want 12", n)
	}
	w.is(t, "N1", order.Pending)
}

// TestRecoversLostNotification records a payment once per vendor. A closed order is a failed payment, and a forged
// response is ignored.
func TestRecoversLostNotification(t *testing.T) {
	w := newWorld(t)
	w.tick(t, 2*time.Minute)
	w.vendor.states["T1"], w.vendor.states["N2"] = "SUCCESS", "TRADE_SUCCESS"
	w.vendor.forged = true
	w.tick(t, 6*time.Minute)
	w.is(t, "N1", order.Pending)
	if o := w.is(t, "N2", order.Success); o.TradeNo != "V9" || !o.PaidAt.Equal(start.Add(3*time.Minute)) {
		t.Errorf("%+v", o)
	}

	w.vendor.forged = false
	w.tick(t, 11*time.Minute)
	if o := w.is(t, "N1", order.Success); !o.PaidAt.Equal(start.Add(3*time.Minute)) || o.Extra["chat_response"] == nil {
		t.Errorf("%+v", o)
	}
	asked := len(w.vendor.asked)
	w.tick(t, 31*time.Minute)
	if len(w.vendor.asked) != asked {
		t.Errorf("asked %d times after it was paid", len(w.vendor.asked)-asked)
	}
	w.is(t, "N3", order.Pending)
}

// TestPublishesContradictingAnswerOnce checks that a contradicting response is published on the bus once. The vendor is
// not asked again.
func TestPublishesContradictingAnswerOnce(t *testing.T) {
	w := newWorld(t)
	w.vendor.states["T1"], w.vendor.fee, w.busy = "SUCCESS", "USD", true
	w.tick(t, time.Minute)
	if len(w.bus) > 0 {
		t.Error(w.bus)
	}

	w.busy = false // the next check asks again
	w.tick(t, 2*time.Minute)
	if len(w.bus) != 1 || !strings.HasPrefix(w.bus[0], "payment {") || !strings.Contains(w.bus[0], `"currency_type":"USD"`) ||
		!strings.Contains(w.bus[0], `"trade_no":"T1"`) || !strings.Contains(w.bus[0], `"time_end":"20261122200300"`) {
		t.Error(w.bus)
	}
	w.tick(t, 35*time.Minute)
	if n := strings.Count(strings.Join(w.vendor.asked, " "), "T1"); n != 2 || len(w.bus) != 1 {
		t.Errorf("asked %d times about it, %d events", n, len(w.bus))
	}
	w.is(t, "N1", order.Pending)
}

// TestRetriesStoringLastAnswer checks that the last response is stored by a retry: no later check would ask again.
func TestRetriesStoringLastAnswer(t *testing.T) {
	w := newWorld(t)
	w.tick(t, 35*time.Minute)
	w.now = start.Add(24 * time.Hour)
	w.vendor.states["T1"], w.vendor.fee, w.busy = "SUCCESS", "USD", true
	w.tick(t, 24*time.Hour+15*time.Minute)

	w.busy = false
	asked := len(w.vendor.asked)
	w.tick(t, 24*time.Hour+40*time.Minute)
	if n := len(w.vendor.asked) - asked; n != 1 || len(w.bus) != 1 || !strings.Contains(w.bus[0], `"trade_no":"T1"`) {
		t.Errorf("asked %d times more, %q", n, w.bus)
	}
	if due, err := w.Checks.Due(t.Context(), start.Add(1000*time.Hour), 10); err != nil || len(due) > 0 {
		t.Errorf("%+v, %v", due, err)
	}
}

func TestClosedOrderFails(t *testing.T) {
	w := newWorld(t)
	w.vendor.states["T1"], w.vendor.states["N2"] = "CLOSED", "TRADE_CLOSED"
	w.tick(t, time.Minute)
	w.is(t, "N1", order.Failed)
	w.is(t, "N2", order.Failed)
}

// TestAsksChatBySignedRequest uses our own certificate: a signed GET with a signed response.
func TestAsksChatBySignedRequest(t *testing.T) {
	w := newWorld(t)
	text := func(s string) *string { return &s }
	public, err := x509.MarshalPKIXPublicKey(&w.vendor.key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	private := pem.EncodeToMemory(&pem.Block{
		Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(w.vendor.key),
	})
	_, err = w.Settings.Put(t.Context(), shop, payment.Chat, payment.Patch{
		MerchantSerial: text("5157F0"), Secrets: map[string]*string{payment.PrivateKey: text(string(private))},
		Certificates: map[string]string{"PUB1": string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}))},
	})
	if err != nil {
		t.Fatal(err)
	}

	w.tick(t, time.Minute)
	w.is(t, "N1", order.Pending)
	w.vendor.states["T1"], w.vendor.forged = "SUCCESS", true
	w.tick(t, 2*time.Minute)
	w.is(t, "N1", order.Pending)
	w.vendor.forged = false
	w.tick(t, 6*time.Minute)
	if o := w.is(t, "N1", order.Success); !o.PaidAt.Equal(start.Add(3*time.Minute)) || o.Extra["chat_response"] == nil {
		t.Errorf("%+v", o)
	}
}

// TestDeployedAddresses: only the deployment's address may be one of this machine, and only without TLS.
func TestDeployedAddresses(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "taken") }))
	defer server.Close()
	for base, allowed := range map[string]bool{server.URL: true, "https://vendor.example": false} {
		client := pay.New(map[payment.Vendor]string{payment.Chat: base}, false)
		for _, deployed := range []bool{true, false} {
			answer, err := client.Do(t.Context(), payment.Query{Method: "POST", URL: server.URL, Deployed: deployed})
			if (err == nil) != (allowed && deployed) || err == nil && string(answer.Body) != "taken" {
				t.Errorf("%s, %v: %s, %v", base, deployed, answer.Body, err)
			}
		}
	}

	db := dynamotest.Start(t, "SettingsTable")
	settings := &payment.Settings{
		Store: &settingdb.Payments{Client: db, Table: "SettingsTable"}, Sealer: sealedtest.Sealer{}, Clock: func() time.Time { return start },
		Addresses: map[payment.Vendor]string{payment.Chat: "https://deployed.example"},
	}
	for given, want := range map[string]string{"": "https://deployed.example", "https://own.example": "https://own.example"} {
		if _, err := settings.Put(t.Context(), shop, payment.Chat, payment.Patch{BaseURL: &given}); err != nil {
			t.Fatal(err)
		}
		if keys, err := settings.Open(t.Context(), shop, payment.Chat); err != nil || keys.BaseURL != want || keys.Deployed != (given == "") {
			t.Errorf("with base_url %q: %q, %v, %v", given, keys.BaseURL, keys.Deployed, err)
		}
	}
}
