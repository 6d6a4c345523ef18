package scenario_test

import (
	"crypto/md5"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sort"
	"strings"
	"sync"
	"testing"

	"minicloud/shared/httpapi"
)

// refundVendor is a fake of chat (v2), which pays each refund number once.
type refundVendor struct {
	t    *testing.T
	mu   sync.Mutex
	paid map[string]string // fen by out_refund_no
	busy int               // number of first responses with an unknown result
}

func (v *refundVendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	var asked struct {
		Order  string `xml:"out_trade_no"`
		Refund string `xml:"out_refund_no"`
		Fee    string `xml:"refund_fee"`
		Total  string `xml:"total_fee"`
	}
	if err := xml.Unmarshal(body, &asked); err != nil || r.URL.Path != "/secapi/pay/refund" || asked.Order != "refund-1" ||
		asked.Total != "1000" {
		v.t.Errorf("%s %s, %v", r.URL.Path, body, err)
	}
	v.paid[asked.Refund] = asked.Fee

	fields := []string{"appid=wx1", "mch_id=m1", "out_refund_no=" + asked.Refund, "return_code=SUCCESS"}
	if v.busy > 0 { // it paid nevertheless
		v.busy--
		fields = append(fields, "result_code=FAIL", "err_code=SYSTEMERROR")
	} else {
		fields = append(fields, "result_code=SUCCESS", "refund_id=V"+asked.Refund)
	}
	sort.Strings(fields)
	sign := fmt.Sprintf("%X", md5.Sum([]byte(strings.Join(fields, "&")+"&key=topsecret")))
	text := "<xml><sign>" + sign + "</sign>"
	for _, f := range fields {
		name, value, _ := strings.Cut(f, "=")
		text += "<" + name + ">" + value + "</" + name + ">"
	}
	fmt.Fprint(w, text+"</xml>")
}

// refunds, through the real programs: an administrator refunds a part of an order, a function another part, and the
// rest after the vendor reported an unknown result; then nothing is left. The vendor pays each refund once.
func refunds(t *testing.T, c stage) {
	vendor := &refundVendor{t: t, paid: map[string]string{}, busy: 1}
	server := httptest.NewServer(vendor)
	t.Cleanup(server.Close)
	owner := c.owner(t)
	find(t, owner.ask(t, "PUT", "/oserve/v3/payment-setting/chat/", fmt.Sprintf(
		`{"app_id":"wx1","merchant_id":"m1","merchant_key":"topsecret","base_url":%q}`, server.URL)), "vendor")
	payment := fmt.Sprintf(`{"detail-type":"payment","detail":{"miniapp":%d,"gateway_type":"chatpay","status":"success",`+
		`"trade_no":"refund-1","transaction_no":"refund-1","total_cost":10}}`, c.Credentials.Miniapp)
	if answer := owner.ask(t, "POST", "/_local/events", payment); answer.status != http.StatusOK {
		t.Fatalf("a payment on the bus: %d %s", answer.status, answer.body)
	}
	await(t, owner.as(httpapi.ServiceR1), "/hserve/v2.2/idp/pay/order/refund-1/")

	anAdministratorPaysBack(t, c, vendor)

	code := `exports.main = async () => {
		const order = new BaaS.Order(), said = [], by = (o) => order.refund({ transaction_no: "refund-1", ...o })
			.then(({ data }) => [data.status, data.refund_amount, data.memo, data.error_msg].join(), (e) => "" + e.code);
		for (const o of [{ refund_amount: 2.5, memo: "torn" }, { refund_amount: 8 }, { refund_amount: 2.5 }, {}, {}]) said.push(await by(o));
		const { data } = await order.find({ transaction_no: "refund-1" });
		return [...said, data.objects[0].refund_status].join(" ");
	};`
	find(t, owner.ask(t, "POST", "/oserve/v1.3/cloud-function/", fmt.Sprintf(`{"name":"back","function_code":%q}`, code)), "id")
	answer := owner.ask(t, "POST", "/oserve/v1.3/cloud-function/back/job/", `{"data":{}}`)
	// The first refund is still open; 8 exceeds the remaining amount.
	if want := `"503 400 succeed,2.5,torn, succeed,4.5,, 400 complete"`; !strings.Contains(answer.body, want) {
		t.Errorf("%s, want %s", answer.body, want)
	}
	fees := map[string]int{}
	for _, fee := range vendor.paid {
		fees[fee]++
	}
	if len(vendor.paid) != 3 || fees["300"] != 1 || fees["250"] != 1 || fees["450"] != 1 {
		t.Errorf("paid %v", vendor.paid)
	}
}

// anAdministratorPaysBack refunds 3 yuan with one refund number: the first request leaves it open, the second
// completes it, the third returns the same refund. The audit log has it; a viewer can only read.
func anAdministratorPaysBack(t *testing.T, c stage, vendor *refundVendor) {
	t.Helper()
	page := signIn(t, c, c.Credentials.ConsoleEmail, c.Credentials.ConsolePassword)
	application := fmt.Sprintf(`{"application_id":%d}`, c.Credentials.Miniapp)
	as := func(page caller) caller {
		token := find(t, page.ask(t, "POST", "/console/api/token/", application), "token")
		return caller{c.URL, http.Header{}}.with("Authorization", "Console "+token)
	}
	const path, refund = "/oserve/v3/order/refund-1/refund/", `{"refund_amount":3,"refund_no":"click-1","memo":"late"}`
	if a := as(member(t, c, page, "viewer")).ask(t, "POST", path, refund); a.status != http.StatusForbidden {
		t.Errorf("a viewer: %d %s", a.status, a.body)
	}
	for _, want := range []int{503, 200, 200} {
		if a := as(page).ask(t, "POST", path, refund); a.status != want {
			t.Errorf("%d %s, want %d", a.status, a.body, want)
		}
	}
	list := as(page).ask(t, "GET", path, "")
	if !strings.Contains(list.body, `"left":7,"refund_status":"partial","objects":[{"refund_no":"click-1","refund_amount":3,"status":"accepted"`) {
		t.Errorf("listed: %s", list.body)
	}
	log := page.ask(t, "GET", fmt.Sprintf("/console/api/application/%d/audit/", c.Credentials.Miniapp), "")
	if strings.Count(log.body, path) != 3 || strings.Contains(log.body, "late") {
		t.Errorf("the audit log: %s", log.body)
	}
	vendor.mu.Lock()
	defer vendor.mu.Unlock()
	vendor.busy = 1
}
