package api_test

import (
	"context"
	"crypto"
	"crypto/md5"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"encoding/xml"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"minicloud/functions/paymentrefund/api"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/delivery/safehttp"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/oauth"
	"minicloud/shared/order"
	"minicloud/shared/order/payment"
	"minicloud/shared/outbound/pay"
	"minicloud/shared/tenant"
)

var (
	now  = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	shop = tenant.Scope{App: 7, Env: tenant.Production}
)

// open is a fake sealer that leaves secrets in plain text; package secretbox tests the real one.
type open struct{}

func (open) NewKey(context.Context, string) (clear, sealed []byte, err error) { return nil, nil, nil }
func (open) OpenKey(context.Context, string, []byte) ([]byte, error)          { return nil, nil }
func (open) Encrypt(_ []byte, _, text string) ([]byte, error)                 { return []byte(text), nil }
func (open) Decrypt(_ []byte, _ string, sealed []byte) (string, error)        { return string(sealed), nil }

// runs is a fake authority with two run tokens: one of shop and one of a stranger.
type runs struct{}

func (runs) VerifyRun(_ context.Context, token string) (oauth.Run, app.Application, error) {
	apps := map[string]tenant.AppID{"shop": 7, "stranger": 8}
	if apps[token] == 0 {
		return oauth.Run{}, app.Application{}, errs.Unauthenticated("the run token is changed or expired")
	}
	scope := tenant.Scope{App: apps[token], Env: tenant.Production}
	return oauth.Run{Scope: scope, JobID: "1"}, app.Application{ID: scope.App}, nil
}

// vendor is a fake of all vendors: it pays each of our refund numbers once, however often it is requested.
type vendor struct {
	t   *testing.T
	key *rsa.PrivateKey

	mu    sync.Mutex
	paid  map[string]int64 // cents by our refund number
	asked int
	mood  string // "" pays; "refuses" does not; "silent" pays and answers 502; "forges" pays and signs wrongly
}

func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.asked++
	body, _ := io.ReadAll(r.Body)
	switch r.URL.Path {
	case "/secapi/pay/refund", "/cgi-bin/pay/qpay_refund.cgi":
		v.xml(w, body)
	case "/v3/refund/domestic/refunds":
		v.json(w, r, body)
	case "/gateway.do":
		v.form(w, body)
	default:
		v.t.Errorf("asked at %s", r.URL.Path)
	}
}

// pay pays unless the vendor refuses; answers reports whether the caller must still write the response.
func (v *vendor) pay(w http.ResponseWriter, no string, cents int64) (fresh, answers bool) {
	if v.mood == "refuses" {
		return false, true
	}
	_, again := v.paid[no]
	v.paid[no] = cents
	if v.mood == "silent" {
		w.WriteHeader(http.StatusBadGateway)
		return !again, false
	}
	return !again, true
}

func (v *vendor) sign(text string) string {
	if v.mood == "forges" {
		text += "!"
	}
	sum := sha256.Sum256([]byte(text))
	raw, err := rsa.SignPKCS1v15(nil, v.key, crypto.SHA256, sum[:])
	if err != nil {
		v.t.Error(err)
	}
	return base64.StdEncoding.EncodeToString(raw)
}

func (v *vendor) verify(text, signature string) {
	raw, _ := base64.StdEncoding.DecodeString(signature)
	sum := sha256.Sum256([]byte(text))
	if rsa.VerifyPKCS1v15(&v.key.PublicKey, crypto.SHA256, sum[:], raw) != nil {
		v.t.Errorf("badly signed: %s", text)
	}
}

type fields struct {
	Any []struct {
		XMLName xml.Name
		Text    string `xml:",chardata"`
	} `xml:",any"`
}

// sealed returns the signature of flat fields with the merchant key.
func sealed(all map[string]string, key string) string {
	var parts []string
	for name, text := range all {
		if name != "sign" && text != "" {
			parts = append(parts, name+"="+text)
		}
	}
	sort.Strings(parts)
	return fmt.Sprintf("%X", md5.Sum([]byte(strings.Join(parts, "&")+"&key="+key)))
}

func (v *vendor) xml(w http.ResponseWriter, body []byte) {
	var read fields
	if err := xml.Unmarshal(body, &read); err != nil {
		v.t.Error(err)
	}
	asked := map[string]string{}
	for _, f := range read.Any {
		asked[f.XMLName.Local] = f.Text
	}
	password := fmt.Sprintf("%x", md5.Sum([]byte("operator's")))
	if asked["sign"] != sealed(asked, "topsecret") || asked["op_user_id"] != "" && asked["op_user_passwd"] != password {
		v.t.Errorf("badly signed: %s", body)
	}

	cents, _ := strconv.ParseInt(asked["refund_fee"], 10, 64)
	if _, answers := v.pay(w, asked["out_refund_no"], cents); !answers {
		return
	}
	answer := map[string]string{"return_code": "SUCCESS", "result_code": "SUCCESS", "appid": "wx1", "mch_id": "m1",
		"out_refund_no": asked["out_refund_no"], "refund_id": "V" + asked["out_refund_no"]}
	if v.mood == "refuses" {
		answer["result_code"], answer["err_code"], answer["err_code_des"] = "FAIL", "NOTENOUGH", "no money"
	}
	answer["sign"] = sealed(answer, map[bool]string{true: "guessed", false: "topsecret"}[v.mood == "forges"])
	fmt.Fprint(w, "<xml>")
	for name, text := range answer {
		fmt.Fprintf(w, "<%s>%s</%s>", name, text, name)
	}
	fmt.Fprint(w, "</xml>")
}

func (v *vendor) json(w http.ResponseWriter, r *http.Request, body []byte) {
	said := map[string]string{}
	rest, _ := strings.CutPrefix(r.Header.Get("Authorization"), "WECHATPAY2-SHA256-RSA2048 ")
	for _, field := range strings.Split(rest, ",") {
		name, text, _ := strings.Cut(field, "=")
		said[name] = strings.Trim(text, `"`)
	}
	v.verify("POST\n/v3/refund/domestic/refunds\n"+said["timestamp"]+"\n"+said["nonce_str"]+"\n"+string(body)+"\n", said["signature"])
	var asked struct {
		Refund string `json:"out_refund_no"`
		Amount struct{ Refund, Total int64 }
	}
	if err := json.Unmarshal(body, &asked); err != nil || asked.Amount.Total != 1000 {
		v.t.Errorf("%s, %v", body, err)
	}

	if _, answers := v.pay(w, asked.Refund, asked.Amount.Refund); !answers {
		return
	}
	answer := `{"refund_id":"V` + asked.Refund + `","out_refund_no":"` + asked.Refund + `","status":"PROCESSING"}`
	if v.mood == "refuses" {
		answer = `{"code":"NOT_ENOUGH","message":"no money"}`
	}
	stamp := fmt.Sprint(now.Unix())
	for name, text := range map[string]string{
		"Timestamp": stamp, "Nonce": "once", "Serial": "PUB1", "Signature": v.sign(stamp + "\nonce\n" + answer + "\n"),
	} {
		w.Header().Set("Chatpay-"+name, text)
	}
	if v.mood == "refuses" {
		w.WriteHeader(http.StatusForbidden)
	}
	fmt.Fprint(w, answer)
}

func (v *vendor) form(w http.ResponseWriter, body []byte) {
	form, err := url.ParseQuery(string(body))
	var asked struct {
		Refund string `json:"out_request_no"`
		Amount string `json:"refund_amount"`
		Order  string `json:"out_trade_no"`
	}
	if err != nil || form.Get("method") != "alipay.trade.refund" || json.Unmarshal([]byte(form.Get("biz_content")), &asked) != nil {
		v.t.Errorf("%s, %v", body, err)
	}
	var parts []string
	for name := range form {
		if name != "sign" {
			parts = append(parts, name+"="+form.Get(name))
		}
	}
	slices.Sort(parts)
	v.verify(strings.Join(parts, "&"), form.Get("sign"))

	cents, _ := strconv.ParseInt(strings.Replace(asked.Amount, ".", "", 1), 10, 64)
	fresh, answers := v.pay(w, asked.Refund, cents)
	if !answers {
		return
	}
	sum := int64(0)
	for _, one := range v.paid {
		sum += one
	}
	response := fmt.Sprintf(`{"code":"10000","out_trade_no":%q,"fund_change":%q,"refund_fee":"%d.%02d"}`, asked.Order,
		map[bool]string{true: "Y", false: "N"}[fresh], sum/100, sum%100)
	if v.mood == "refuses" {
		response = `{"code":"40004","sub_code":"ACQ.SELLER_BALANCE_NOT_ENOUGH","sub_msg":"no money"}`
	}
	fmt.Fprintf(w, `{"alipay_trade_refund_response":%s,"sign":%q}`, response, v.sign(response))
}

type platform struct {
	http.Handler
	t      *testing.T
	vendor *vendor
	orders *order.Service
	set    *payment.Settings
}

// vendorKey is generated once: it takes more than a tenth of a second.
var vendorKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// newPlatform creates a paid order of 10 yuan at each vendor: T1 at chat (v2, or v3 if v3 is set), T2 at tpay, N3 at
// alt.
func newPlatform(t *testing.T, v3 bool) *platform {
	key, err := vendorKey()
	if err != nil {
		t.Fatal(err)
	}
	p := &platform{t: t, vendor: &vendor{t: t, key: key, paid: map[string]int64{}}}
	server := httptest.NewServer(p.vendor)
	t.Cleanup(server.Close)
	db, clock := dynamotest.Start(t, "OrdersTable", "SettingsTable"), func() time.Time { return now }
	p.orders = &order.Service{Store: &orderdb.Store{Client: db, Table: "OrdersTable"}, Clock: clock, IDs: new(id.Source)}
	p.set = &payment.Settings{Store: &settingdb.Payments{Client: db, Table: "SettingsTable"}, Sealer: open{}, Clock: clock}
	group := &api.Group{Refunds: &payment.Refunder{
		Orders: p.orders, Settings: p.set, Clock: clock, Log: slog.New(slog.DiscardHandler),
		Vendors: &pay.Client{HTTP: safehttp.New(safehttp.Options{AllowPrivate: true})},
	}}
	p.Handler = (&httpapi.API{Routes: group.Routes(), Runs: runs{}, Clock: clock}).Handler()

	text := func(s string) *string { return &s }
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	public := string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	private := text(string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})))
	chat := payment.Patch{
		AppID: text("wx1"), MerchantID: text("m1"), BaseURL: text(server.URL),
		Secrets: map[string]*string{payment.MerchantKey: text("topsecret")},
	}
	tpay := chat
	tpay.BaseURL, tpay.RefundURL, tpay.OperatorID = text("http://elsewhere.invalid"), text(server.URL), text("100")
	tpay.Secrets = map[string]*string{payment.MerchantKey: text("topsecret"), payment.OperatorPassword: text("operator's")}
	if v3 {
		chat.MerchantSerial, chat.Certificates = text("5157F0"), map[string]string{"PUB1": public}
		chat.Secrets = map[string]*string{payment.PrivateKey: private}
	}
	for name, patch := range map[payment.Vendor]payment.Patch{payment.Chat: chat, payment.Tpay: tpay, payment.Alt: {
		AppID: text("al1"), BaseURL: text(server.URL), PublicKey: &public,
		Secrets: map[string]*string{payment.PrivateKey: private},
	}} {
		if _, err := p.set.Put(t.Context(), shop, name, patch); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range []order.Order{
		{Gateway: order.Chatpay, TradeNo: "T1", TransactionNo: "N1"}, {Gateway: order.Tpay, TradeNo: "T2", TransactionNo: "N2"},
		{Gateway: order.AltpayWap, TransactionNo: "N3"}, {Gateway: order.Chatpay, TradeNo: "T4", TransactionNo: "N4", Status: order.Pending},
	} {
		o.Total = 1000
		if _, _, err := p.orders.Paid(t.Context(), shop, o); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *platform) refund(who, body string) (int, map[string]any) {
	r := httptest.NewRequest("POST", "/dserve/v1/payment/refund/", strings.NewReader(body))
	r.Header.Set("Authorization", "Run "+who)
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	answer := map[string]any{}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		p.t.Errorf("%s: %s", body, w.Body)
	}
	return w.Code, answer
}

func (p *platform) wantPaid(no string, cents int64, status order.Refund) {
	p.t.Helper()
	sum := int64(0)
	for _, one := range p.vendor.paid {
		sum += one
	}
	o, err := p.orders.ByTransactionNo(p.t.Context(), shop, no)
	if err != nil || sum != cents || o.Refund != status || o.Status != order.Success {
		p.t.Errorf("%s: the vendor paid %d, want %d; %q %s, %v; want %q", no, sum, cents, o.Refund, o.Status, err, status)
	}
}

// TestRefundsAtEachVendor: a partial refund, a refusal, a result that is unknown until it is queried, and the rest.
func TestRefundsAtEachVendor(t *testing.T) {
	for name, c := range map[string]struct {
		no string
		v3 bool
	}{"chat": {"N1", false}, "chat v3": {"N1", true}, "tpay": {"N2", false}, "alt": {"N3", false}} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t, c.v3)
			p.t = t
			by := func(more string) string { return `{"transaction_no":"` + c.no + `"` + more + `}` }

			status, got := p.refund("shop", by(`,"refund_amount":2.5,"memo":"torn"`))
			if status != 200 || got["status"] != "succeed" || got["refund_amount"] != 2.5 || got["memo"] != "torn" ||
				got["error_msg"] != "" || got["id"] == 0.0 || len(fmt.Sprint(got["refund_no"])) != 32 {
				t.Fatalf("%d %v", status, got)
			}
			p.wantPaid(c.no, 250, order.RefundPartial)

			p.vendor.mood = "refuses"
			if status, got := p.refund("shop", by(`,"refund_amount":1`)); status != 200 || got["status"] != "failed" ||
				!strings.Contains(fmt.Sprint(got["error_msg"]), "no money") {
				t.Errorf("refused: %d %v", status, got)
			}
			for _, mood := range []string{"silent", "forges"} {
				p.vendor.mood = mood
				if status, got := p.refund("shop", by(`,"refund_amount":3`)); status != 503 ||
					!strings.Contains(fmt.Sprint(got["error_msg"]), "call again") {
					t.Errorf("%s: %d %v", mood, status, got)
				}
			}
			p.vendor.mood = ""
			if status, got := p.refund("shop", by(`,"refund_amount":3`)); status != 200 || got["status"] != "succeed" {
				t.Errorf("again: %d %v", status, got)
			}
			p.wantPaid(c.no, 550, order.RefundPartial)
			if status, got := p.refund("shop", by(``)); status != 200 || got["refund_amount"] != 4.5 {
				t.Errorf("the rest: %d %v", status, got)
			}
			p.wantPaid(c.no, 1000, order.RefundComplete)
			if status, got := p.refund("shop", by(``)); status != 400 || !strings.Contains(fmt.Sprint(got["error_msg"]), "left") {
				t.Errorf("more: %d %v", status, got)
			}
		})
	}
}

// TestRepeatedRefundNumberPaysOnce: and the same number with another amount is refused.
func TestRepeatedRefundNumberPaysOnce(t *testing.T) {
	p := newPlatform(t, false)
	const body = `{"trade_no":"T1","refund_amount":2,"refund_no":"mine-1"}`
	_, first := p.refund("shop", body)
	_, again := p.refund("shop", body)
	if fmt.Sprint(first) != fmt.Sprint(again) || first["refund_no"] != "mine-1" || p.vendor.asked != 1 {
		t.Errorf("%v, %v, asked %d times", first, again, p.vendor.asked)
	}
	if status, _ := p.refund("shop", `{"trade_no":"T1","refund_amount":3,"refund_no":"mine-1"}`); status != 400 {
		t.Errorf("another amount: %d", status)
	}
	p.wantPaid("N1", 200, order.RefundPartial)
}

// ask sends a request to the open API.
func (p *platform) ask(method, who, path, body string) (int, string) {
	r := httptest.NewRequest(method, "/oserve/v3/order/"+path+"/refund/", strings.NewReader(body))
	r.Header.Set("Authorization", "Run "+who) // replaces a Bearer token
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// TestAdministratorsRefund: a repeated click is the same refund, an open refund is queried again, the vendor's
// message is shown, and the list contains all refunds.
func TestAdministratorsRefund(t *testing.T) {
	p := newPlatform(t, false)
	if status, got := p.ask("GET", "shop", "N1", ""); status != 200 ||
		strings.TrimSpace(got) != `{"total_cost":10,"left":10,"refund_status":"","objects":[]}` {
		t.Errorf("before: %d %s", status, got)
	}
	const half = `{"refund_amount":2.5,"refund_no":"a-1","memo":"torn"}`
	for range 2 {
		if status, got := p.ask("POST", "shop", "N1", half); status != 200 || !strings.Contains(got, `"status":"accepted","memo":"torn"`) {
			t.Errorf("%d %s", status, got)
		}
	}
	p.wantPaid("N1", 250, order.RefundPartial)

	p.vendor.mood = "silent"
	const open = `{"refund_amount":3,"refund_no":"a-2"}`
	if status, got := p.ask("POST", "shop", "N1", open); status != 503 || !strings.Contains(got, "a-2") {
		t.Errorf("open: %d %s", status, got)
	}
	if _, got := p.ask("GET", "shop", "N1", ""); !strings.Contains(got, `"left":4.5,`) ||
		!strings.Contains(got, `"objects":[{"refund_no":"a-2","refund_amount":3,"status":"pending"`) {
		t.Errorf("while it is open: %s", got)
	}
	p.vendor.mood = ""
	if status, got := p.ask("POST", "shop", "N1", open); status != 200 || !strings.Contains(got, `"status":"accepted"`) {
		t.Errorf("again: %d %s", status, got)
	}
	p.vendor.mood = "refuses"
	if status, got := p.ask("POST", "shop", "N1", `{"refund_amount":1,"refund_no":"a-3"}`); status != 200 ||
		!strings.Contains(got, `"status":"failed"`) || !strings.Contains(got, "no money") {
		t.Errorf("refused: %d %s", status, got)
	}
	p.wantPaid("N1", 550, order.RefundPartial)

	told := order.Order{
		Gateway: order.Chatpay, Status: order.Success, TradeNo: "T1", Total: 1000, Refund: order.RefundPartial,
		Refunds: map[string]order.Amount{"theirs": 100},
	}
	if _, _, err := p.orders.Paid(t.Context(), shop, told); err != nil {
		t.Fatal(err)
	}
	if _, got := p.ask("GET", "shop", "N1", ""); !strings.Contains(got, `"left":3.5,`) || strings.Count(got, "refund_no\":\"a-") != 3 ||
		!strings.Contains(got, `{"refund_no":"theirs","refund_amount":1,"status":"succeeded","memo":"","error_msg":"","vendor_refund_no":"theirs","asked":false,"created_at":null}]`) {
		t.Errorf("all: %s", got)
	}
}

// TestOpenAPIRefusalsNameTheField: a refused request is not sent to the vendor.
func TestOpenAPIRefusalsNameTheField(t *testing.T) {
	p := newPlatform(t, false)
	for body, want := range map[string]string{
		`{}`: "refund_no", `{"refund_no":"a"}`: "refund_amount", `{"refund_no":"a","refund_amount":null}`: "refund_amount",
		`{"refund_no":"a","refund_amount":0}`: "refund_amount", `{"refund_no":"a","refund_amount":-1}`: "refund_amount",
		`{"refund_no":"a","refund_amount":10.01}`: "refund_amount", `{"refund_no":"a","refund_amount":"1"}`: "refund_amount",
		`{"refund_no":"a b","refund_amount":1}`: "refund_no", `{"refund_no":"a","refund_amount":1e1}`: "refund_amount",
		`{"refund_no":"a","refund_amount":1,"memo":"` + strings.Repeat("x", 81) + `"}`: "memo",
	} {
		if status, got := p.ask("POST", "shop", "N1", body); status != 400 || !strings.Contains(got, want) {
			t.Errorf("%s: %d %s, want one about %s", body, status, got, want)
		}
	}
	for who, path := range map[string]string{"shop": "N9", "stranger": "N1"} {
		if status, got := p.ask("POST", who, path, `{"refund_no":"a","refund_amount":1}`); status != 404 {
			t.Errorf("%s: %d %s", who, status, got)
		}
		if status, got := p.ask("GET", who, path, ""); status != 404 {
			t.Errorf("%s: %d %s", who, status, got)
		}
	}
	if status, got := p.ask("POST", "shop", "N4", `{"refund_no":"a","refund_amount":1}`); status != 400 || !strings.Contains(got, "not paid") {
		t.Errorf("pending: %d %s", status, got)
	}
	if p.vendor.asked != 0 {
		t.Errorf("the vendor was asked %d times", p.vendor.asked)
	}
}

// TestConcurrentRefundsNeverExceedOrder: even if each has its own number.
func TestConcurrentRefundsNeverExceedOrder(t *testing.T) {
	p := newPlatform(t, false)
	var wg sync.WaitGroup
	var mu sync.Mutex
	succeeded := 0
	for i := range 6 {
		wg.Go(func() {
			body := fmt.Sprintf(`{"trade_no":"T1","refund_amount":4,"refund_no":"r%d"}`, i)
			for status := 409; status == 409; { // retry on a conflict, as clients do
				var got map[string]any
				if status, got = p.refund("shop", body); status == 200 && got["status"] == "succeed" {
					mu.Lock()
					succeeded++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if succeeded != 2 {
		t.Errorf("%d refunds of 4 out of 10 succeeded", succeeded)
	}
	p.wantPaid("N1", 800, order.RefundPartial)
}

// TestNotificationSettlesRefund: a repeated notification counts once, and a failure after the success is ignored.
func TestNotificationSettlesRefund(t *testing.T) {
	p := newPlatform(t, false)
	_, made := p.refund("shop", `{"trade_no":"T1","refund_amount":10}`)
	no := fmt.Sprint(made["refund_no"])
	told := order.Order{Gateway: order.Chatpay, Status: order.Success, TradeNo: "T1", Total: 1000, RefundNo: no}
	tell := func(refund order.Refund, refunds map[string]order.Amount, want order.Refund, left order.Amount) {
		t.Helper()
		told.Refund, told.Refunds = refund, refunds
		o, _, err := p.orders.Paid(t.Context(), shop, told)
		if err != nil || o.Refund != want || o.Left() != left {
			t.Errorf("%q, %s left, %v; want %q, %s", o.Refund, o.Left(), err, want, left)
		}
	}
	tell(order.RefundFailed, nil, order.RefundFailed, 1000)
	tell(order.RefundComplete, map[string]order.Amount{"V" + no: 1000}, order.RefundComplete, 0)
	tell(order.RefundComplete, map[string]order.Amount{"V" + no: 1000}, order.RefundComplete, 0)
	tell(order.RefundFailed, nil, order.RefundComplete, 0) // late: the refund is complete already
}

// TestRefusedRefunds: a refusal names the field and sends nothing to a vendor; only functions find the path.
func TestRefusedRefunds(t *testing.T) {
	p := newPlatform(t, false)
	for body, want := range map[string]string{
		`{}`: "order_id", `{"trade_no":"T1","refund_amount":0}`: "refund_amount", `{"trade_no":"T1","refund_amount":10.01}`: "refund_amount",
		`{"trade_no":"T1","refund_amount":0.001}`: "refund_amount", `{"trade_no":"T1","refund_amount":"x"}`: "refund_amount",
		`{"trade_no":"T1","transaction_no":"N2"}`: "different orders", `{"trade_no":"T4"}`: "not paid",
		`{"trade_no":"T1","memo":"` + strings.Repeat("x", 81) + `"}`: "memo", `{"trade_no":"T1","refund_no":"a b"}`: "refund_no",
	} {
		if status, got := p.refund("shop", body); status != 400 || !strings.Contains(fmt.Sprint(got["error_msg"]), want) {
			t.Errorf("%s: %d %v, want one about %s", body, status, got, want)
		}
	}
	for who, body := range map[string]string{"shop": `{"trade_no":"T9"}`, "stranger": `{"trade_no":"T1"}`, "nobody": `{"trade_no":"T1"}`} {
		if status, got := p.refund(who, body); status != 404 {
			t.Errorf("%s: %d %v", who, status, got)
		}
	}
	if p.vendor.asked != 0 {
		t.Errorf("the vendor was asked %d times", p.vendor.asked)
	}
}
