package api_test

import (
	"crypto"
	"crypto/md5"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/functions/order/api"
	"minicloud/infra/local/dynamotest"
	"minicloud/infra/local/vendors/payvendor"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/claimdb"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/idempotency"
	"minicloud/shared/oauth/oauthtest"
	"minicloud/shared/order"
	"minicloud/shared/order/checkout"
	"minicloud/shared/order/payment"
	"minicloud/shared/outbound/pay"
	"minicloud/shared/page"
	"minicloud/shared/secret/sealed/sealedtest"
	"minicloud/shared/tenant"
)

const merchantKey = "192006250b4c09247ec02edce69f6a2d"

// appKey is the key of an application at alt. It is generated once: it takes more than a tenth of a second.
var appKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// cashier is a platform whose applications have payment settings at local vendors.
type cashier struct {
	t       testing.TB
	vendors *payvendor.API
	client  *dynamodb.Client
	at      string // of the vendors
	public  string // alt's public key
}

func newCashier(t testing.TB) *cashier {
	t.Helper()
	c := &cashier{t: t, vendors: &payvendor.API{
		Clock: clock.Fixed(noon), Count: func(string) {}, Send: http.DefaultClient.Do,
	}}
	server := httptest.NewServer(c.vendors)
	t.Cleanup(server.Close)
	c.at = server.URL + payvendor.Prefix
	c.client = dynamotest.Start(t, "OrdersTable", "SettingsTable", "IdempotencyTable")

	der, err := x509.MarshalPKIXPublicKey(&appKey().PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	c.vendors.Register("alt", "2088", payvendor.Merchant{
		AppID: "app1", PublicKey: string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})),
	})
	for _, vendor := range []string{"chat", "tpay"} {
		c.vendors.Register(vendor, "m1", payvendor.Merchant{AppID: "wx1", MerchantKey: merchantKey})
	}
	if c.public, err = c.vendors.PublicKey(); err != nil {
		t.Fatal(err)
	}
	return c
}

// face returns the platform over a database client.
func (c *cashier) face(client *dynamodb.Client) *platform {
	now := clock.Fixed(noon)
	orders := &order.Service{
		Store: &orderdb.Store{Client: client, Table: "OrdersTable"}, Clock: now, IDs: new(id.Source),
	}
	settings := &payment.Settings{
		Store: &settingdb.Payments{Client: client, Table: "SettingsTable"}, Sealer: sealedtest.Sealer{}, Clock: now,
		Addresses: map[payment.Vendor]string{payment.Chat: c.at + "chat", payment.Alt: c.at + "alt", payment.Tpay: c.at + "tpay"},
	}
	group := &api.Group{Orders: orders, Settings: settings, Gateway: &checkout.Gateway{
		Orders: orders, Settings: settings, Vendors: pay.New(settings.Addresses, false),
		Clock: now, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}}
	face := httpapi.API{
		Routes: group.Routes(), Authenticator: oauthtest.Tokens(applications), Runs: runs{}, Clients: clients, EndUsers: endUsers{}, Clock: now,
		Replay: &idempotency.Service{Store: &claimdb.Store{Client: client, Table: "IdempotencyTable"}, Clock: now},
	}
	return &platform{Handler: face.Handler(), orders: orders, settings: settings}
}

// set stores the settings of an environment at all vendors.
func (c *cashier) set(p *platform, scope tenant.Scope) {
	c.t.Helper()
	text := func(s string) *string { return &s }
	private := string(pem.EncodeToMemory(&pem.Block{
		Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(appKey()),
	}))
	for vendor, patch := range map[payment.Vendor]payment.Patch{
		payment.Chat: {AppID: text("wx1"), MerchantID: text("m1"), Secrets: map[string]*string{payment.MerchantKey: text(merchantKey)}},
		payment.Tpay: {AppID: text("wx1"), MerchantID: text("m1"), Secrets: map[string]*string{payment.MerchantKey: text(merchantKey)}},
		payment.Alt: {AppID: text("app1"), MerchantID: text("2088"), PublicKey: &c.public, Secrets: map[string]*string{
			payment.PrivateKey: &private,
		}},
	} {
		if _, err := p.settings.Put(c.t.Context(), scope, vendor, patch); err != nil {
			c.t.Fatal(err)
		}
	}
}

// ready returns a platform with settings of the shop, in both environments.
func ready(t testing.TB) (*cashier, *platform) {
	c := newCashier(t)
	p := c.face(c.client)
	c.set(p, shop)
	c.set(p, tenant.Scope{App: 7, Env: testEnv})
	return c, p
}

// post creates an order as Bob; a header with the value "" is removed.
func (p *platform) post(body string, headers ...string) (status int, answer string) {
	r := httptest.NewRequest(http.MethodPost, list, strings.NewReader(body))
	r.RemoteAddr = "203.0.113.7"
	headers = append([]string{
		"Authorization", "Service-r1 " + bobToken, "X-Service-Client-ID", "00000000000000000007", "Content-Type", "application/json",
	}, headers...)
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// all returns the orders of the shop that match a filter.
func (p *platform) all(t testing.TB, f order.Filter) []order.Order {
	t.Helper()
	got, err := p.orders.List(t.Context(), shop, f, page.Request{Limit: page.MaxLimit})
	if err != nil {
		t.Fatal(err)
	}
	return got.Objects
}

// md5Of signs as chat's documents say.
func md5Of(fields map[string]string) string {
	var parts []string
	for name, text := range fields {
		parts = append(parts, name+"="+text)
	}
	sort.Strings(parts)
	return fmt.Sprintf("%X", md5.Sum([]byte(strings.Join(parts, "&")+"&key="+merchantKey)))
}

// TestCreatesOrders: every gateway answers its parameters with real signatures, its vendor has the order, and the order
// is stored as pending.
func TestCreatesOrders(t *testing.T) {
	c, p := ready(t)
	for gateway, want := range map[string]string{
		"chatpay": "appId nonceStr package paySign signType timeStamp", "chatpay_js": "appId nonceStr package paySign signType timeStamp",
		"chatpay_native": "code_url", "chatpay_wap": "mweb_url", "tpay": "package", "tpay_native": "code_url",
		"chatpay_app": "appid noncestr package partnerid prepayid sign timestamp",
		"altpay":      "", "altpay_wap": "payment_url", "altpay_page": "payment_url", "altpay_app": "appid payment_url",
	} {
		status, body := p.post(fmt.Sprintf(`{"gateway_type":%q,"total_cost":398.01,"merchandise_description":"tea <green> & 茶",
			"merchandise_schema_id":12,"merchandise_record_id":"r1","merchandise_snapshot":{"price":398.01}}`, gateway))
		var told map[string]string
		if err := json.Unmarshal([]byte(body), &told); err != nil || status != 201 {
			t.Fatalf("%s: %d %s", gateway, status, body)
		}

		names := []string{}
		for name := range told {
			if name != "trade_no" && name != "transaction_no" {
				names = append(names, name)
			}
		}
		if slices.Sort(names); strings.Join(names, " ") != want {
			t.Errorf("%s answers %s, want %s", gateway, names, want)
		}
		c.checkSignature(gateway, told)
		c.checkStored(p, gateway, told)
	}
	if n := len(c.vendors.Orders()); n != 8 { // payers send the three signed requests of alt
		t.Errorf("the vendors have %d orders", n)
	}
}

// checkSignature checks the parameters as the payer's client and the vendor do.
func (c *cashier) checkSignature(gateway string, told map[string]string) {
	c.t.Helper()
	only := func(names ...string) map[string]string {
		fields := map[string]string{}
		for _, name := range names {
			fields[name] = told[name]
		}
		return fields
	}
	switch gateway {
	case "chatpay", "chatpay_js":
		if md5Of(only("appId", "nonceStr", "package", "signType", "timeStamp")) != told["paySign"] ||
			!strings.HasPrefix(told["package"], "prepay_id=wx") || told["signType"] != "MD5" {
			c.t.Errorf("%s: %v", gateway, told)
		}
	case "chatpay_app":
		if md5Of(only("appid", "partnerid", "prepayid", "package", "noncestr", "timestamp")) != told["sign"] {
			c.t.Errorf("%s: %v", gateway, told)
		}
	case "altpay_wap", "altpay_page", "altpay_app":
		text := told["payment_url"]
		if gateway != "altpay_app" {
			address, form, _ := strings.Cut(text, "?")
			if text = form; address != c.at+"alt/gateway.do" {
				c.t.Errorf("%s: %s", gateway, address)
			}
		}
		form, err := url.ParseQuery(text)
		if err != nil {
			c.t.Fatal(err)
		}
		var parts []string
		for name := range form {
			if name != "sign" {
				parts = append(parts, name+"="+form.Get(name))
			}
		}
		slices.Sort(parts)
		sum := sha256.Sum256([]byte(strings.Join(parts, "&")))
		raw, _ := base64.StdEncoding.DecodeString(form.Get("sign"))
		if err := rsa.VerifyPKCS1v15(&appKey().PublicKey, crypto.SHA256, sum[:], raw); err != nil {
			c.t.Errorf("%s: %v", gateway, err)
		}
		if form.Get("notify_url") != "https://example.com/hserve/v1/pay/notify/alt/00000000000000000007/" {
			c.t.Errorf("%s: %v", gateway, form)
		}
	}
}

func (c *cashier) checkStored(p *platform, gateway string, told map[string]string) {
	c.t.Helper()
	o, err := p.orders.ByTransactionNo(c.t.Context(), shop, told["transaction_no"])
	if err != nil || o.Status != order.Pending || o.CreatedBy != 70 || o.Total != 39801 || o.IP != "203.0.113.7" ||
		o.MerchandiseRecord != "r1" || o.MerchandiseSchema != 12 || string(o.Gateway) != gateway || o.TradeNo != told["trade_no"] {
		c.t.Errorf("%s: %+v, %v", gateway, o, err)
	}
	number := o.TradeNo
	if o.Gateway.Vendor() == "alt" {
		number = o.TransactionNo
	}
	if len(number) != 32 || strings.Trim(number, "0123456789abcdef") != "" {
		c.t.Errorf("%s: the number is %q", gateway, number)
	}
	for _, known := range c.vendors.Orders() {
		if known.Number == number && (known.Cents != 39801 || known.Vendor == "alt" && known.TradeNo != o.TradeNo ||
			known.Notify != "https://example.com/hserve/v1/pay/notify/"+o.Gateway.Vendor()+"/00000000000000000007/") {
			c.t.Errorf("%s: the vendor has %+v", gateway, known)
		}
	}
}

// TestRefusesOrders: what the platform refuses stores nothing; what the vendor refuses has failed.
func TestRefusesOrders(t *testing.T) {
	c, p := ready(t)
	const rest = `"gateway_type":"chatpay_native","merchandise_description":"tea"`
	for body, words := range map[string]string{
		`{` + rest + `}`:                                                                                   "total_cost",
		`{` + rest + `,"total_cost":null}`:                                                                 "total_cost",
		`{` + rest + `,"total_cost":0}`:                                                                    "total_cost",
		`{` + rest + `,"total_cost":0.00}`:                                                                 "total_cost",
		`{` + rest + `,"total_cost":-1}`:                                                                   "total_cost",
		`{` + rest + `,"total_cost":1.001}`:                                                                "two decimals",
		`{` + rest + `,"total_cost":0.30000000000000004}`:                                                  "two decimals",
		`{` + rest + `,"total_cost":1e20}`:                                                                 "total_cost",
		`{` + rest + `,"total_cost":1E2}`:                                                                  "total_cost",
		`{` + rest + `,"total_cost":99999999999999999999}`:                                                 "total_cost",
		`{` + rest + `,"total_cost":"1,00"}`:                                                               "total_cost",
		`{` + rest + `,"total_cost":"NaN"}`:                                                                "total_cost",
		`{` + rest + `,"total_cost":" 1"}`:                                                                 "total_cost",
		`{` + rest + `,"total_cost":true}`:                                                                 "total_cost",
		`{` + rest + `,"total_cost":[1]}`:                                                                  "total_cost",
		`{` + rest + `,"total_cost":{"$numberDecimal":"1"}}`:                                               "total_cost",
		`{` + rest + `,"total_cost":1,"total_cost":2}`:                                                     "total_cost",
		`{` + rest + `,"total_cost":1,"merchandise_snapshot":[]}`:                                          "merchandise_snapshot",
		`{` + rest + `,"total_cost":1,"merchandise_snapshot":"{}"}`:                                        "merchandise_snapshot",
		`{` + rest + `,"total_cost":1,"merchandise_schema_id":0}`:                                          "merchandise_schema_id",
		`{` + rest + `,"total_cost":1,"merchandise_schema_id":1.5}`:                                        "merchandise_schema_id",
		`{` + rest + `,"total_cost":1,"merchandise_record_id":7}`:                                          "merchandise_record_id",
		`{` + rest + `,"total_cost":1,"merchandise_record_id":"\u0000"}`:                                   "merchandise_record_id",
		`{` + rest + `,"total_cost":1,"profit_sharing":"Y"}`:                                               "profit_sharing",
		`{` + rest + `,"total_cost":1,"merchandise_record_id":"` + strings.Repeat("r", 65) + `"}`:          "merchandise_record_id",
		`{` + rest + `,"total_cost":1,"merchandise_snapshot":{"a":"` + strings.Repeat("x", 16<<10) + `"}}`: "merchandise_snapshot",
		`{"gateway_type":"chatpay_native","total_cost":1}`:                                                 "merchandise_description",
		`{"gateway_type":"chatpay_native","total_cost":1,"merchandise_description":"` + strings.Repeat("茶", 128) + `"}`: "merchandise_description",
		`{"merchandise_description":"tea","total_cost":1}`:                                                              "gateway_type",
		`{"gateway_type":"paypal","merchandise_description":"tea","total_cost":1}`:                                      "gateway_type",
		`{"gateway_type":"chatpay_x","merchandise_description":"tea","total_cost":1}`:                                   "gateway_type",
		`{"gateway_type":"pay","merchandise_description":"tea","total_cost":1}`:                                         "gateway_type",
		`{"gateway_type":["chatpay"],"merchandise_description":"tea","total_cost":1}`:                                   "gateway_type",
		`{"gateway_type":"tpay","profit_sharing":true,"merchandise_description":"tea","total_cost":1}`:                  "profit_sharing",
		`[]`: "body", `{`: "body", `null`: "",
	} {
		if status, answer := p.post(body); status != 400 || !strings.Contains(answer, words) {
			t.Errorf("%.100s: %d %s", body, status, answer)
		}
	}
	for gateway, token := range map[string]string{"chatpay": eveToken, "chatpay_js": guestToken, "altpay": eveToken} {
		body := fmt.Sprintf(`{"gateway_type":%q,"merchandise_description":"tea","total_cost":1}`, gateway)
		if status, answer := p.post(body, "Authorization", "Service-r1 "+token); status != 400 || !strings.Contains(answer, "log in by") {
			t.Errorf("%s without an identity: %d %s", gateway, status, answer)
		}
	}
	for name, headers := range map[string][]string{
		"nobody": {"Authorization", ""}, "an access token": {"Authorization", "Service-r1 shop"},
		"a Bearer": {"Authorization", "Bearer shop"}, "no client": {"X-Service-Client-ID", ""},
		"a session of another environment": {"X-Service-Env-ID", string(testEnv)},
	} {
		if status, answer := p.post(`{`+rest+`,"total_cost":1}`, headers...); status != 401 {
			t.Errorf("%s: %d %s", name, status, answer)
		}
	}
	// The bank has no settings.
	if status, answer := p.post(`{`+rest+`,"total_cost":1}`, "X-Service-Client-ID", "00000000000000000008"); status != 400 ||
		!strings.Contains(answer, "no payment setting for chat") {
		t.Errorf("without a setting: %d %s", status, answer)
	}
	if n := len(p.all(t, order.Filter{})) + len(c.vendors.Orders()); n != 0 {
		t.Errorf("%d orders are stored", n)
	}

	for gateway, words := range map[string]string{
		"chatpay": "chat refuses the order: NOAUTH the merchant may not sell this", "tpay": "tpay refuses the order: NOAUTH",
		"altpay": "alt refuses the order: ACQ.SELLER_NOT_EXIST",
	} {
		body := fmt.Sprintf(`{"gateway_type":%q,"merchandise_description":"wrong","total_cost":1}`, gateway)
		for range 2 { // the key repeats the answer
			if status, answer := p.post(body, "Idempotency-Key", gateway); status != 400 || !strings.Contains(answer, words) {
				t.Errorf("%s: %d %s", gateway, status, answer)
			}
		}
		orders := p.all(t, order.Filter{Gateway: order.Gateway(gateway)})
		if o := orders[0]; len(orders) != 1 || o.Status != order.Failed || !strings.Contains(words, strings.Fields(o.Reason)[0]) {
			t.Errorf("%s: %+v", gateway, o)
		}
	}
	if n := len(p.all(t, order.Filter{})); n != 3 {
		t.Errorf("%d orders", n)
	}
}

// TestUnknownOutcomes: an order whose vendor does not answer stays pending, and its key asks for the same number again.
func TestUnknownOutcomes(t *testing.T) {
	c, p := ready(t)
	for i, gateway := range []string{"chatpay", "tpay", "altpay"} {
		body := fmt.Sprintf(`{"gateway_type":%q,"merchandise_description":"lost in the mail","total_cost":1}`, gateway)
		status, answer := p.post(body, "Idempotency-Key", gateway)
		if status != 503 || !strings.Contains(answer, "Idempotency-Key") {
			t.Errorf("%s: %d %s", gateway, status, answer)
		}
		before := p.all(t, order.Filter{Gateway: order.Gateway(gateway)})
		if len(before) != 1 || before[0].Status != order.Pending {
			t.Fatalf("%s: %+v", gateway, before)
		}
		status, answer = p.post(body, "Idempotency-Key", gateway)
		if status != 201 || !strings.Contains(answer, before[0].TransactionNo) {
			t.Errorf("%s again: %d %s", gateway, status, answer)
		}
		if status, again := p.post(body, "Idempotency-Key", gateway); status != 201 || again != answer {
			t.Errorf("%s a third time: %d %s", gateway, status, again)
		}
		if status, _ := p.post(strings.Replace(body, `:1}`, `:2}`, 1), "Idempotency-Key", gateway); status != 422 {
			t.Errorf("%s with another body: %d", gateway, status)
		}
		if a, b := len(p.all(t, order.Filter{})), len(c.vendors.Orders()); a != i+1 || b != i+1 {
			t.Errorf("%s: %d orders, %d at the vendor", gateway, a, b)
		}
	}
	// The key of another user is another key (C39).
	body := `{"gateway_type":"chatpay_native","merchandise_description":"tea","total_cost":1}`
	_, bobs := p.post(body, "Idempotency-Key", "k")
	if status, eves := p.post(body, "Idempotency-Key", "k", "Authorization", "Service-r1 "+eveToken); status != 201 || eves == bobs {
		t.Errorf("Eve gets %d %s", status, eves)
	}
	if status, answer := p.post(strings.Replace(body, "tea", "down", 1)); status != 503 {
		t.Errorf("unreachable: %d %s", status, answer)
	}
	if n := len(p.all(t, order.Filter{Status: order.Pending, Gateway: order.ChatpayNative})); n != 3 {
		t.Errorf("%d orders are pending", n)
	}
}

// TestConcurrentCreationMakesOneOrder: ten requests with one key make one order, which all answers name.
func TestConcurrentCreationMakesOneOrder(t *testing.T) {
	c, p := ready(t)
	for i, gateway := range []string{"chatpay", "altpay", "altpay_wap"} {
		body := fmt.Sprintf(`{"gateway_type":%q,"merchandise_description":"tea","total_cost":1}`, gateway)
		answers := make([]string, 10)
		var group sync.WaitGroup
		for n := range answers {
			group.Go(func() {
				status, answer := p.post(body, "Idempotency-Key", gateway)
				if answers[n] = answer; status != 201 {
					t.Errorf("%s: %d %s", gateway, status, answer)
				}
			})
		}
		group.Wait()
		if slices.Sort(answers); len(slices.Compact(answers)) != 1 {
			t.Errorf("%s: %s", gateway, answers)
		}
		if n := len(p.all(t, order.Filter{})); n != i+1 {
			t.Errorf("%s: %d orders", gateway, n)
		}
	}
	if n := len(c.vendors.Orders()); n != 2 {
		t.Errorf("%d orders at the vendors", n)
	}
}
