package api_test

import (
	"strings"
	"testing"

	"minicloud/shared/app"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/user"
	"minicloud/shared/user/session/sessiontest"
)

// shopClients finds the shop and the bank by their client ids.
var shopClients = sessiontest.Clients{
	"00000000000000000007": app.Application{ID: 7, Name: "shop"}, "00000000000000000008": app.Application{ID: 8, Name: "bank"},
}

// logIn creates a user of the shop, and returns the headers of their session and the path below which administrators
// see them.
func (p *platform) logIn() (headers []string, ofUser string) {
	p.Helper()
	ofUser = strings.TrimSuffix(p.newUser(), "form-id/")
	var id user.ID
	if err := id.ReadText(strings.Trim(strings.TrimPrefix(ofUser, "/oserve/v3/user/"), "/")); err != nil {
		p.Fatal(err)
	}
	store := &userdb.Sessions{Client: p.client, Table: "UsersTable", Rows: &rowdb.Rows{Client: p.client, Table: "RowsTable"}}
	token := sessiontest.LogIn(p.T, store, shop, id, p.now)
	return []string{"X-Service-Client-ID: 00000000000000000007", "Authorization: Service-r1 " + string(token)}, ofUser
}

// TestClientsReport: reports of end users have the effects of those of administrators, and repeats count once (C34).
func TestClientsReport(t *testing.T) {
	p := newPlatform(t)
	ada, ofAda := p.logIn()
	bob, _ := p.logIn()
	const (
		ticket       = "/hserve/v2.0/template-message-ticket/"
		opened       = "/hserve/v2.0/template-message/event-report/"
		subscription = "/hserve/v2.2/subscription-message/relationship-report/"
	)
	for i, step := range []struct {
		path, body string
		who        []string
		status     int
		want       string
	}{
		{ticket, `{"submission_type":"form_id","submission_value":"f1"}`, ada, 201, ""},
		{ticket, `{"submission_type":"form_id","submission_value":"f1","platform":"chat_miniapp"}`, ada, 201, ""},
		{ticket, `{"submission_type":"form_id","submission_value":"f1","platform":"tpay_miniapp"}`, ada, 201, ""},
		{ticket, `{"submission_type":"form_id","submission_value":"the formId is a mock one"}`, ada, 400, "submission_value must be"},
		{ticket, `{"submission_type":"prepay_id","submission_value":"f2"}`, ada, 400, "submission_type must be form_id"},
		{ticket, `{"submission_type":"form_id","submission_value":"f2","platform":"web"}`, ada, 400, "platform must be one of"},
		{ticket, `{"submission_type":"form_id","submission_value":"f2"}`, ada[:1], 401, "log in"},
		{opened, `{"stats_id":"spring","platform":"chat_miniapp"}`, ada, 201, ""},
		{opened, `{"stats_id":"spring","platform":"chat_miniapp"}`, ada, 201, ""},
		{opened, `{"stats_id":"spring","platform":"chat_miniapp"}`, bob, 201, ""},
		{opened, `{"stats_id":"spring","platform":"alt_miniapp"}`, bob, 201, ""},
		{opened, `{"stats_id":"a b","platform":"chat_miniapp"}`, bob, 400, "stats_id must be"},
		{opened, `{"stats_id":"spring"}`, bob[:1], 401, "log in"},
		{subscription, `{"subscription":[{"template_id":"t1","subscription_type":"once"},{"template_id":"t2"}]}`, ada, 201, ""},
		{subscription, `{"subscription":[{"template_id":"t1"},{"template_id":"a b"}]}`, ada, 400, "template_id must be"},
		{subscription, `{"subscription":[{"template_id":"t1"},{"template_id":"t1","subscription_type":"x"}]}`, ada, 400, "subscription_type"},
		{subscription, `{"subscription":[]}`, ada, 400, "subscription must be a list of 1 to 20 entries"},
		{subscription, `{"subscription":[{"template_id":"t1"}],"platform":"alt_miniapp"}`, ada, 400, "vendor must be one of chat, tpay"},
		{subscription, `{"subscription":[{"template_id":"t1"}]}`, bob[:1], 401, "log in"},
	} {
		w := p.ask("POST", step.path, step.body, append([]string{"Authorization: "}, step.who...)...)
		if w.Code != step.status || !strings.Contains(w.Body.String(), step.want) {
			t.Errorf("step %d: %d %s, want %d %s", i, w.Code, w.Body, step.status, step.want)
		}
	}
	p.wantSetting(0, ofAda+"form-id/", "GET", "shop", "", 200,
		`{"alt":{"form":0,"payment":0},"chat":{"form":1,"payment":0},"tpay":{"form":1,"payment":0}}`)
	p.wantSetting(1, ofAda+"subscription/", "GET", "shop", "", 200, `{"alt":0,"chat":2,"tpay":0}`)
	p.wantSetting(2, "/oserve/v3/message-opening/spring/", "GET", "shop", "", 200,
		`{"alt":1,"chat":2,"stats_id":"spring","tpay":0}`)
	p.wantSetting(3, "/oserve/v3/message-opening/spring/", "GET", "bank", "", 200,
		`{"alt":0,"chat":0,"stats_id":"spring","tpay":0}`)
}

// TestReportsSubscriptionsOnce repeats a report with its key, after a program died before it responded.
func TestReportsSubscriptionsOnce(t *testing.T) {
	p := newPlatform(t)
	ada, ofAda := p.logIn()
	const body = `{"subscription":[{"template_id":"t1"},{"template_id":"t1"},{"template_id":"t2"}]}`
	for range 2 {
		p.must(201, "POST", "/hserve/v2.2/subscription-message/relationship-report/", body, append(ada, "Idempotency-Key: k")...)
		p.forgetAnswers()
	}
	p.wantSetting(0, ofAda+"subscription/", "GET", "shop", "", 200, `{"alt":0,"chat":3,"tpay":0}`)
}
