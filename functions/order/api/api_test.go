package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/functions/order/api"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/oauth/oauthtest"
	"minicloud/shared/order"
	"minicloud/shared/order/payment"
	"minicloud/shared/permission"
	"minicloud/shared/secret/sealed/sealedtest"
	"minicloud/shared/tenant"
	"minicloud/shared/user/session"
	"minicloud/shared/user/session/sessiontest"
)

const testEnv tenant.EnvID = "0123456789abcdef0123"

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// applications maps tokens to applications.
var applications = map[string]app.Application{
	"shop": {ID: 7, ClientID: "00000000000000000007", Environments: map[tenant.EnvID]string{testEnv: "staging"}},
	"bank": {ID: 8, ClientID: "00000000000000000008"},
}

// clients are the applications by client id.
var clients = sessiontest.Clients{
	"00000000000000000007": applications["shop"], "00000000000000000008": applications["bank"],
}

// The session tokens of users of the shop, in production, and of the staging environment.
var (
	bobToken     = string(session.NewToken(70))
	eveToken     = string(session.NewToken(71))
	guestToken   = string(session.NewToken(72))
	stagingToken = string(session.NewToken(73))
)

// endUsers is a fake of the sessions.
type endUsers struct{}

func (endUsers) VerifySession(_ context.Context, scope tenant.Scope, token string) (session.Identity, error) {
	users := map[string]session.Identity{
		scopeKey(shop, bobToken):   {Subject: permission.Subject{User: 70}, OpenID: "o-bob", AltUser: "2088102534368455"},
		scopeKey(shop, eveToken):   {Subject: permission.Subject{User: 71}},
		scopeKey(shop, guestToken): {Subject: permission.Subject{User: 72, Temporary: true}},
		// The same number as Bob's, in another environment.
		scopeKey(tenant.Scope{App: 7, Env: testEnv}, stagingToken):       {Subject: permission.Subject{User: 70}, OpenID: "o-bob"},
		scopeKey(tenant.Scope{App: 8, Env: tenant.Production}, bobToken): {Subject: permission.Subject{User: 70}},
	}
	who, ok := users[scopeKey(scope, token)]
	if !ok {
		return who, errs.Unauthenticated("the session token is unknown, expired or revoked: log in again")
	}
	return who, nil
}

func (endUsers) EndUser(_ context.Context, _ tenant.Scope, id int64) (session.Identity, error) {
	return session.Identity{}, errs.NotFound("user %d not found", id)
}

func scopeKey(scope tenant.Scope, token string) string { return scope.String() + " " + token }

type platform struct {
	http.Handler
	orders   *order.Service
	settings *payment.Settings
}

func newPlatform(t testing.TB) *platform {
	client := dynamotest.Start(t, "OrdersTable", "SettingsTable")
	orders := &order.Service{
		Store: &orderdb.Store{Client: client, Table: "OrdersTable"}, Clock: clock.Fixed(noon),
	}
	settings := &payment.Settings{
		Store: &settingdb.Payments{Client: client, Table: "SettingsTable"}, Sealer: sealedtest.Sealer{}, Clock: clock.Fixed(noon),
	}
	face := httpapi.API{
		Routes: (&api.Group{Orders: orders, Settings: settings}).Routes(), Authenticator: oauthtest.Tokens(applications), Runs: runs{},
		Clients: clients, EndUsers: endUsers{}, Clock: clock.Fixed(noon),
	}
	return &platform{Handler: face.Handler(), orders: orders, settings: settings}
}

func (p *platform) pay(t testing.TB, scope tenant.Scope, o order.Order) {
	t.Helper()
	if _, _, err := p.orders.Paid(t.Context(), scope, o); err != nil {
		t.Fatal(err)
	}
}

// get sends a GET request as the shop; a header with the value "" is removed.
func (p *platform) get(t testing.TB, path string, headers ...string) (status int, body string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Authorization", "Service-r1 shop")
	r.Header.Set("X-Service-Client-ID", "00000000000000000007")
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

const list, older = "/hserve/v2.2/idp/pay/order/", "/hserve/v2.0/idp/pay/order/"

var (
	shop  = tenant.Scope{App: 7, Env: tenant.Production}
	extra = map[string]any{"chat_response": map[string]any{"appid": "wx", "total_fee": "39800"}}
)

func paidOrder() order.Order {
	return order.Order{
		ID: 1795262414, Gateway: order.Chatpay, TradeNo: "T1", TransactionNo: "N1", Total: 39800, MerchandiseSchema: 12,
		MerchandiseRecord: "5a33406909a805412e3169c3", Description: "tea <green>",
		Snapshot: map[string]any{"price": json.Number("398")},
		IP:       "203.0.113.7", CreatedBy: 70, PaidAt: noon.Add(-time.Minute), CreatedAt: noon.Add(-time.Hour),
		Extra: extra,
	}
}

// TestOrderHasTheContractsShape: an order with all members, and one with as few as possible.
func TestOrderHasTheContractsShape(t *testing.T) {
	p := newPlatform(t)
	p.pay(t, shop, paidOrder())
	p.pay(
		t, shop,
		order.Order{
			ID: 1795262413, Gateway: order.AltpayWap, Status: order.Pending, TransactionNo: "N2", Total: 1, CreatedBy: 71,
			Extra: extra,
		},
	)
	status, body := p.get(t, list+"?where={}&expand=&keys=&status=")
	want := `{"meta":{"limit":20,"offset":0,"next":null,"previous":null,"total_count":2},"objects":[` +
		`{"id":1795262414,"created_at":1795345200,"updated_at":1795348800,"paid_at":1795348740,"status":"success","refund_status":null,` +
		`"trade_no":"T1","transaction_no":"N1","merchandise_description":"tea <green>","merchandise_record_id":"5a33406909a805412e3169c3",` +
		`"merchandise_schema_id":12,"merchandise_snapshot":{"price":398},"total_cost":398,"ip_address":"203.0.113.7","created_by_id":70,` +
		`"gateway_extra_info":{"chat_response":{"appid":"wx","total_fee":"39800"}},"gateway_type":"chatpay","currency_type":"CNY"},` +
		`{"id":1795262413,"created_at":1795348800,"updated_at":1795348800,"paid_at":null,"status":"pending","refund_status":null,` +
		`"trade_no":"","transaction_no":"N2","merchandise_description":"","merchandise_record_id":null,"merchandise_schema_id":null,` +
		`"merchandise_snapshot":{},"total_cost":0.01,"ip_address":"","created_by_id":71,"gateway_extra_info":{},` +
		`"gateway_type":"altpay_wap","currency_type":"CNY"}]}`
	if diff := cmp.Diff(want, body); status != 200 || diff != "" {
		t.Errorf("%d\n%s", status, diff)
	}

	for _, path := range []string{list + "N1/", list + "N1"} {
		if status, one := p.get(t, path); status != 200 || !strings.Contains(want, one) {
			t.Errorf("%s: %d %s", path, status, one)
		}
	}

	// v2.0 answers texts.
	status, body = p.get(t, older+"?where={}&expand=&keys=&status=")
	want = `{"meta":{"limit":20,"offset":0,"next":null,"previous":null,"total_count":2},"objects":[` +
		`{"id":1795262414,"created_at":"2026-11-22T11:00:00Z","updated_at":"2026-11-22T12:00:00Z","paid_at":"2026-11-22T11:59:00Z",` +
		`"status":"success","refund_status":null,"trade_no":"T1","transaction_no":"N1","merchandise_description":"tea <green>",` +
		`"merchandise_record_id":"5a33406909a805412e3169c3","merchandise_schema_id":12,"merchandise_snapshot":"{\"price\":398}",` +
		`"total_cost":"398.00","ip_address":"203.0.113.7","created_by":70,` +
		`"gateway_extra_info":"{\"chat_response\":{\"appid\":\"wx\",\"total_fee\":\"39800\"}}",` +
		`"gateway_type":"chatpay","currency_type":"CNY"},` +
		`{"id":1795262413,"created_at":"2026-11-22T12:00:00Z","updated_at":"2026-11-22T12:00:00Z","paid_at":null,"status":"pending",` +
		`"refund_status":null,"trade_no":"","transaction_no":"N2","merchandise_description":"","merchandise_record_id":null,` +
		`"merchandise_schema_id":null,"merchandise_snapshot":"{}","total_cost":"0.01","ip_address":"","created_by":71,` +
		`"gateway_extra_info":"{}","gateway_type":"altpay_wap","currency_type":"CNY"}]}`
	if diff := cmp.Diff(want, body); status != 200 || diff != "" {
		t.Errorf("v2.0: %d\n%s", status, diff)
	}
	if status, one := p.get(t, older+"N1/"); status != 200 || !strings.Contains(want, one) {
		t.Errorf("v2.0: %d %s", status, one)
	}
	if status, body := p.get(t, list+"T1/"); status != 404 || !strings.Contains(body, "transaction_no") {
		t.Errorf("an unknown number: %d %s", status, body)
	}
}

// TestFilters: which of the orders 1 to 6 each query returns.
func TestFilters(t *testing.T) {
	p := newPlatform(t)
	for i, o := range []order.Order{
		{Gateway: order.Chatpay, Status: order.Pending},
		{Gateway: order.Chatpay, Refund: order.RefundPartial, MerchandiseSchema: 12},
		{Gateway: order.ChatpayWap, Refund: order.RefundComplete, MerchandiseRecord: "r", MerchandiseSchema: 12},
		{Gateway: order.Altpay, Refund: order.RefundFailed, MerchandiseRecord: "r"},
		{Gateway: order.Tpay, Status: order.Failed},
		{Gateway: order.AltpayApp},
	} {
		n := string(rune('1' + i))
		o.TradeNo, o.TransactionNo, o.Total = "T"+n, "N"+n, 1
		o.CreatedAt = noon.Add(time.Duration(i-10) * time.Second)
		p.pay(t, shop, o)
	}
	for query, want := range map[string]string{
		"": "654321", "status=success": "6432", "status=pending": "1", "refund_status=": "651", "refund_status=partial": "2",
		"refund_status=complete&status=success": "3", "refund_status=failed": "4", "gateway_type=chatpay": "21",
		"gateway_type=altpay": "4", "gateway_type=chatpay_wap": "3", "gateway_type=tpay": "5",
		"order_by=-created_at": "654321", "order_by=created_at": "123456", "order_by=id&limit=2&offset=1": "23",
		"order_by=created_at&gateway_type=chatpay": "12", "order_by=created_at&merchandise_record_id=r": "34",
		"order_by=&where={}": "654321",
		"trade_no=T3":        "3", "trade_no=T3&status=pending": "", "transaction_no=N5": "5",
		"transaction_no=N5&trade_no=T4": "",
		"merchandise_record_id=r":       "43", "merchandise_record_id=r&gateway_type=altpay": "4",
		"merchandise_record_id=none": "",
		"merchandise_schema_id=12":   "32", "merchandise_schema_id=12&merchandise_record_id=r": "3",
		"merchandise_schema_id=13": "",
		"limit=2":                  "65", "limit=2&offset=1": "54", "offset=6": "",
		"trade_no=&gateway_type=&merchandise_schema_id=": "654321", "unknown=1": "654321",
	} {
		status, body := p.get(t, list+"?"+query)
		var got struct {
			Meta    struct{ Next *string }
			Objects []struct {
				Trade string `json:"trade_no"`
			}
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != 200 {
			t.Errorf("%s: %d %s", query, status, body)
		}
		numbers := ""
		for _, o := range got.Objects {
			numbers += strings.TrimPrefix(o.Trade, "T")
		}
		if numbers != want {
			t.Errorf("%s lists %s, want %s", query, numbers, want)
		}
		if strings.HasPrefix(query, "limit=2") && (got.Meta.Next == nil || !strings.Contains(*got.Meta.Next, "cursor=")) {
			t.Errorf("%s: next is %v", query, got.Meta.Next)
		}
	}
}

func TestBadParametersAreNamed(t *testing.T) {
	p := newPlatform(t)
	for _, query := range []string{
		"status=failed", "status=Success", "refund_status=none", "gateway_type=paypal", "order_by=total_cost", "order_by=created_at,id",
		`where={"status":"success"}`, "where=x",
		"merchandise_schema_id=x",
		"merchandise_schema_id=-1", "merchandise_schema_id=0", "limit=0", "limit=1001", "offset=-1", "cursor=x",
		"status=success&status=pending",
	} {
		name, _, _ := strings.Cut(query, "=")
		if status, body := p.get(t, list+"?"+query); status != 400 || !strings.Contains(body, name) {
			t.Errorf("%s: %d %s", query, status, body)
		}
	}
}

// TestListNeedsTokenOfTheApplication: the request needs a Service-r1 token and its client id; orders of other
// applications are invisible (D14).
func TestListNeedsTokenOfTheApplication(t *testing.T) {
	p := newPlatform(t)
	p.pay(t, shop, paidOrder())
	const auth, client, env = "Authorization", "X-Service-Client-ID", "X-Service-Env-ID"
	for name, tt := range map[string]struct {
		headers []string
		status  int
	}{
		"no token": {[]string{auth, ""}, 401}, "no client id": {[]string{client, ""}, 401},
		"Bearer":              {[]string{auth, "Bearer shop"}, 401},
		"unknown token":       {[]string{auth, "Service-r1 nobody"}, 401},
		"another's client id": {[]string{client, "00000000000000000008"}, 401},
		"another's token":     {[]string{auth, "Service-r1 bank"}, 401},
		"unknown environment": {[]string{env, "ffffffffffffffffffff"}, 400},
	} {
		for _, path := range []string{list, list + "N1/"} {
			if status, body := p.get(t, path, tt.headers...); status != tt.status || strings.Contains(body, "T1") {
				t.Errorf("%s: %d %s", name, status, body)
			}
		}
	}
	for name, headers := range map[string][]string{
		"another application": {auth, "Service-r1 bank", client, "00000000000000000008"},
		"another environment": {env, string(testEnv)},
	} {
		if status, body := p.get(t, list+"?"+url.Values{"trade_no": {"T1"}}.Encode(), headers...); status != 200 ||
			strings.Contains(body, "T1") {
			t.Errorf("%s: %d %s", name, status, body)
		}
		if status, _ := p.get(t, list+"N1/", headers...); status != 404 {
			t.Errorf("%s: %d", name, status)
		}
	}
}
