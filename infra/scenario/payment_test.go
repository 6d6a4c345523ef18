package scenario_test

import (
	"crypto/md5"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"minicloud/infra/scenario"
	"minicloud/shared/httpapi"
)

// paidXML returns a notification of chat (v2), signed with a merchant key.
func paidXML(fields map[string]string, key string) string {
	var pairs, body string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		pairs += name + "=" + fields[name] + "&"
		body += "<" + name + ">" + fields[name] + "</" + name + ">"
	}
	return fmt.Sprintf("<xml>%s<sign>%X</sign></xml>", body, md5.Sum([]byte(pairs+"key="+key)))
}

// refusedPayment, through the real programs: a vendor sends a payment in another currency and one with another
// amount. The platform acknowledges them, the order stays pending and no trigger fires; the owner's overview shows a
// problem, and the payments are dead letters. A redrive fails again; after they are deleted, the overview shows no
// problem, and a payment of the right amount completes the order, with an integer for its row.
func refusedPayment(t *testing.T, c stage) {
	owner := c.owner(t)
	page := signIn(t, c, c.Credentials.ConsoleEmail, c.Credentials.ConsolePassword)
	application := fmt.Sprintf("/console/api/application/%d/", c.Credentials.Miniapp)
	trigger := find(t, owner.ask(t, "POST", "/oserve/v3/trigger/", `{"name":"paid","type":"chat_pay","condition":{},"actions":[
		{"type":"email","settings":{"to":["a@example.com"],"subject":"paid","body":"paid"}}]}`), "id")
	fired := func() bool {
		return strings.Contains(owner.ask(t, "GET", "/oserve/v3/trigger/"+trigger+"/log/", "").body, `"subject_id":`)
	}

	if a := owner.ask(t, "PUT", "/oserve/v3/payment-setting/chat/", `{"merchant_key":"topsecret"}`); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	event := fmt.Sprintf(`{"detail-type":"payment","detail":{"miniapp":%d,"gateway_type":"chatpay","status":"pending",`+
		`"trade_no":"T1","transaction_no":"N1","total_cost":1.5,"merchandise_record_id":42}}`, c.Credentials.Miniapp)
	if a := owner.ask(t, "POST", "/_local/events", event); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	order := owner.as(httpapi.ServiceR1)
	await(t, order, "/hserve/v2.2/idp/pay/order/N1/")

	notify := func(currency, cents string) {
		t.Helper()
		a := owner.ask(t, "POST", "/hserve/v1/pay/notify/chat/"+c.Credentials.ClientID+"/", paidXML(map[string]string{
			"appid": "wx1", "mch_id": "m1", "out_trade_no": "T1", "total_fee": cents, "fee_type": currency,
			"return_code": "SUCCESS", "result_code": "SUCCESS", "trade_type": "JSAPI",
		}, "topsecret"))
		if !strings.Contains(a.body, "<return_code><![CDATA[SUCCESS]]>") {
			t.Errorf("the vendor is told %d %s", a.status, a.body)
		}
	}
	says := func(path string, parts ...string) reply {
		t.Helper()
		for until := time.Now().Add(scenario.Patience); ; {
			a := page.ask(t, "GET", application+path, "")
			missing := slices.IndexFunc(parts, func(part string) bool { return !strings.Contains(a.body, part) })
			if missing < 0 {
				return a
			}
			if time.Now().After(until) {
				t.Fatalf("no %s in %s", parts[missing], a.body)
			}
		}
	}

	notify("USD", "150")
	says("overview/", `"kind":"payments_refused"`, `"payments":"1"`, `"payment":"T1"`, `"error":"currency_type is USD, that of order`)
	notify("CNY", "151")
	says("overview/", `"payments":"2"`, `"error":"total_cost is 1.51, that of order`)
	found := says("dead-letter/?kind=event", `"repair":"redrive"`, `\"currency_type\": \"USD\"`, `\"fee_type\": \"USD\"`)
	if a := order.ask(t, "GET", "/hserve/v2.2/idp/pay/order/N1/", ""); !strings.Contains(a.body, `"status":"pending"`) || fired() {
		t.Errorf("fired: %v, order %s", fired(), a.body)
	}

	before := sentBefore()
	if a := page.ask(t, "POST", application+"dead-letter/event/redrive/", before); find(t, a, "done") != "2" {
		t.Errorf("redrive: %s, of %s", a.body, found.body)
	}
	says("dead-letter/?kind=event", `"letters":2`, `"redrives":1,"reason":"currency_type is USD`, `"redrives":1,"reason":"total_cost`)
	before = sentBefore()
	if a := page.ask(t, "POST", application+"dead-letter/event/delete/", before); find(t, a, "done") != "2" {
		t.Errorf("delete: %s", a.body)
	}
	if a := says("overview/"); strings.Contains(a.body, "payments_refused") {
		t.Errorf("overview: %s", a.body)
	}

	notify("CNY", "150")
	for until := time.Now().Add(scenario.Patience); !fired(); {
		if time.Now().After(until) {
			t.Fatal("the payment has not fired")
		}
	}
	if a := order.ask(t, "GET", "/hserve/v2.2/idp/pay/order/N1/", ""); !strings.Contains(a.body, `"status":"success"`) ||
		!strings.Contains(a.body, `"merchandise_record_id":"42"`) {
		t.Errorf("order %s", a.body)
	}
}
