package api_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"minicloud/functions/trigger/api"
	"minicloud/shared/action/send"
	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/errs"
	"minicloud/shared/oauth"
	"minicloud/shared/smscode"
	"minicloud/shared/table"
	"minicloud/shared/templatemessage"
	"minicloud/shared/trace"
	"minicloud/shared/trigger"
	"minicloud/shared/user"
	"minicloud/shared/user/phone"
)

// runs knows the run tokens of a function of the shop and of one of the bank.
type runs struct{}

func (runs) VerifyRun(_ context.Context, token string) (oauth.Run, app.Application, error) {
	apps := map[string]app.Application{"shop": {ID: 7, Name: "shop"}, "bank": {ID: 8, Name: "bank"}}
	of, ok := apps[token]
	if !ok {
		return oauth.Run{}, of, errs.Unauthenticated("the run token is wrong")
	}
	run := oauth.Run{Scope: shop, JobID: "5", Root: 5, Trace: trace.Link{ID: "0af7651916cd43dd8448eb211c80319c"}}
	run.Scope.App = of.ID
	return run, of, nil
}

// addMessages gives the group what it sends with.
func (p *platform) addMessages(g *api.Group, tables *table.Service, now clock.Clock) {
	users := &user.Service{Tables: tables}
	claims := &triggerdb.Claims{Client: p.client, Table: "TriggerLogTable", Clock: now}
	rows := &rowdb.Rows{Client: p.client, Table: "RowsTable", Indexes: "RowIndexesTable"}
	g.FormIDs = &templatemessage.FormIDs{
		Store: &userdb.FormIDs{Client: p.client, Table: "UsersTable"}, Users: users, Clock: now,
	}
	g.Tickets = &templatemessage.Tickets{
		Store: &userdb.Tickets{Client: p.client, Table: "UsersTable"}, Users: users, Clock: now,
	}
	g.Messages = &send.Service{
		Settings: g.Settings, Users: users, Groups: &userdb.Groups{Client: p.client, Table: "UsersTable", Rows: rows},
		Phones: phone.Key, Runs: p.runs, Queue: p.queue, Clock: now,
		Quotas: &triggerdb.Quotas{Client: p.client, Table: "TriggerLogTable", Clock: now},
	}
	g.Codes = &smscode.Codes{
		Settings: g.Settings, Sender: outbox{p}, Claims: claims, Users: users, Sealer: sealer{}, Phones: phone.Key, Clock: now,
		Store: &triggerdb.Codes{Client: p.client, Table: "TriggerLogTable"},
	}
}

// outbox keeps what was sent to phones.
type outbox struct{ p *platform }

func (o outbox) Send(_ context.Context, number, text string) error {
	o.p.texts = append(o.p.texts, number+" "+text)
	return nil
}

const (
	byRun    = "Authorization: Run shop"
	texts    = "/dserve/v1/message/sms/"
	tpay     = "/dserve/v1/message/template/tpay/"
	onChat   = "/dserve/v1/message/subscribe/chat/"
	sendCode = "/oserve/v2.1/sms-verification-code/"
	tellCode = "/oserve/v1.8/sms-verification-code/verify/"
)

// configure has the shop send texts, and be somebody at chat and tpay.
func (p *platform) configure() {
	p.Helper()
	p.must(200, "PUT", "/oserve/v3/sms-setting/", `{"enabled":true,"signatures":[{"name":"Tea","status":"approved"},{"name":"New"}],
		"templates":[{"name":"news","text":"{{ what }}","status":"approved"},{"name":"draft","text":"x"}]}`)
	for _, vendor := range []string{"chat", "tpay"} {
		p.must(200, "PUT", "/oserve/v3/message-setting/"+vendor+"/", `{"app_id":"a","app_secret":"s"}`)
	}
}

// asked is the run that was asked for last, as a worker gets it.
func (p *platform) asked() trigger.Run {
	p.Helper()
	m := p.queue.sent[len(p.queue.sent)-1]
	run, err := p.runs.Run(p.Context(), shop, trigger.Ref{Trigger: m.Trigger, At: time.UnixMilli(m.At).UTC(), ID: m.Run})
	if err != nil {
		p.Fatal(err)
	}
	return run
}

// TestFunctionsSendTexts: a run is stored and asked for, with who gets it, in the trace of the function; a repetition
// of the request asks for the same.
func TestFunctionsSendTexts(t *testing.T) {
	p := newPlatform(t)
	p.configure()
	groups := &userdb.Groups{Client: p.client, Table: "UsersTable"}
	for i, name := range []string{"readers", "writers", "readers"} {
		g := user.Group{ID: user.GroupID(i + 1), Name: name}
		if err := groups.InsertGroup(t.Context(), shop, g, ""); err != nil {
			t.Fatal(err)
		}
	}

	for body, want := range map[string]string{
		`"recipient_type":"phone_number","phone_number":"13800138000"`: `{"kind":"phone","phone":"+8613800138000"}`,
		`"recipient_type":"user_list","user_list":[3,"1",2,3]`:         `{"kind":"list","users":[1,2,3]}`,
		`"recipient_type":"user_group","user_group_name":"readers"`:    `{"kind":"users","where":{"_group":{"$in":[3,1]}}}`,
		`"recipient_type":"schema_user","user_profile_filters":{}`:     `{"kind":"users"}`,
		`"recipient_type":"schema_user","schema_name":"_userprofile","user_profile_filters":"{\"nickname\":\"A\"}","user_group_name":["writers"]`://
		`{"kind":"users","where":{"$and":[{"nickname":"A"},{"_group":{"$in":[2]}}]}}`,
	} {
		body = `{"template_name":"news","keywords":{"what":"{{ braces }}","n":1,"v":{"value":true}},` + body + `}`
		for range 2 {
			p.must(200, "POST", texts, body, byRun, "Idempotency-Key: "+fmt.Sprintf("%x", sha256.Sum256([]byte(body))))
			p.forgetAnswers()
		}
		run := p.asked()
		settings := run.Event.Action.Settings.(*trigger.SMSSettings)
		got, err := json.Marshal(settings.Recipient)
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v, want %s", body, got, err, want)
		}
		if settings.Signature != "Tea" || settings.Keywords["what"] != "{{ braces }}" || settings.Keywords["n"] != "1" ||
			settings.Keywords["v"] != "true" || run.Trigger != 5 || run.Event.Trace != "0af7651916cd43dd8448eb211c80319c" {
			t.Errorf("%+v of %+v", settings, run)
		}
	}
	tree := p.must(200, "GET", "/oserve/v3/trace/0af7651916cd43dd8448eb211c80319c/", "")
	if text := fmt.Sprint(tree); strings.Count(text, "kind:action") != 5 || !strings.Contains(text, "name:a function") {
		t.Errorf("the trace shows %s", text)
	}
	all, err := p.runs.List(t.Context(), shop, 5, trigger.RunFilter{}, 100)
	if err != nil || len(all) != 5 || len(p.queue.sent) != 10 {
		t.Errorf("%d runs, asked for %d times, %v", len(all), len(p.queue.sent), err)
	}
}

// TestFunctionsSendByVendors: what a function may call the kind of a form id, and what needs none.
func TestFunctionsSendByVendors(t *testing.T) {
	p := newPlatform(t)
	p.configure()
	for path, want := range map[string]string{
		tpay + " form_id": "form", tpay + " ": "all", "/dserve/v1/message/template/chat/ prepay_id": "payment",
		onChat + " ": trigger.Subscription,
	} {
		path, kind, _ := strings.Cut(path, " ")
		p.must(200, "POST", path, `{"recipient_type":"user_id","user_id":"9","template_id":"t","page":"pages/x","submission_type":"`+
			kind+`","keywords":{"a":{"value":"b","color":"red"}}}`, byRun)
		s := p.asked().Event.Action.Settings.(*trigger.TemplateMessageSettings)
		if s.FormIDSource != want || s.TemplateID != "t" || s.Page != "pages/x" || s.Keywords["a"] != "b" ||
			len(s.Recipient.Users) != 1 || !strings.Contains(path, s.Vendor) {
			t.Errorf("%s %s: %+v", path, kind, s)
		}
	}
}

// TestACallSendsSoMany, also through functions that it starts.
func TestACallSendsSoMany(t *testing.T) {
	p := newPlatform(t)
	p.configure()
	const body = `{"template_name":"news","recipient_type":"user_list","user_list":[1]}`
	for range 200 {
		p.must(200, "POST", texts, body, byRun)
	}
	if answer := p.must(429, "POST", texts, body, byRun); answer["error_msg"] != "one call may send at most 200 messages by SMS" {
		t.Errorf("%v", answer)
	}
}

// TestWrongMessagesNameTheField, and nobody is asked for anything.
func TestWrongMessagesNameTheField(t *testing.T) {
	p := newPlatform(t)
	p.wantRefused(texts, `{"recipient_type":"phone_number","phone_number":"13800138000","template_name":"news"}`,
		"no SMS can be sent: enable it with PUT /oserve/v3/sms-setting/")
	p.wantRefused(onChat, `{"recipient_type":"user_id","user_id":1,"template_id":"t"}`,
		"no message can be sent by chat: set app_id and app_secret with PUT /oserve/v3/message-setting/chat/")
	p.configure()

	many := strings.TrimSuffix(strings.Repeat("1,", 100_000), ",")
	for body, want := range map[string]string{
		`{}`:                                         "template_name must be the name of a template",
		`{"template_name":"news"}`:                   "recipient_type must be one of phone_number, user_list, user_group, schema_user",
		`{"template_name":"gone"}`:                   `the sms-setting has no template "gone"`,
		`{"template_name":"draft"}`:                  `the template "draft" is pending, not approved`,
		`{"template_name":5}`:                        "template_name must be a string",
		`{"template_name":"news","signature_id":2}`:  `the signature "New" is pending, not approved`,
		`{"template_name":"news","signature_id":[]}`: "signature_id must be a string or an integer",
		`{"template_name":"news","recipient_type":"user_id","user_id":1}`:                                     "recipient_type must be one of",
		`{"template_name":"news","recipient_type":"phone_number"}`:                                            "phone_number must be a phone number",
		`{"template_name":"news","recipient_type":"phone_number","phone_number":true}`:                        "phone_number must be a string or an integer",
		`{"template_name":"news","recipient_type":"user_list"}`:                                               "user_list must be 1 to 1000 ids of users",
		`{"template_name":"news","recipient_type":"user_list","user_list":{}}`:                                "user_list must be an array",
		`{"template_name":"news","recipient_type":"user_list","user_list":[1,"x"]}`:                           "user_list must be an array of ids of users",
		`{"template_name":"news","recipient_type":"user_list","user_list":[` + many + `]}`:                    "user_list must be 1 to 1000 ids of users",
		`{"template_name":"news","recipient_type":"user_group"}`:                                              "user_group_name must be the name of a group",
		`{"template_name":"news","recipient_type":"user_group","user_group_name":"nobody"}`:                   "user_group_name: there is no group of that name",
		`{"template_name":"news","recipient_type":"user_group","user_group_name":[7]}`:                        "user_group_name must be the name",
		`{"template_name":"news","recipient_type":"schema_user"}`:                                             "user_profile_filters must be a condition on users",
		`{"template_name":"news","recipient_type":"schema_user","user_profile_filters":"x"}`:                  "user_profile_filters must be an object",
		`{"template_name":"news","recipient_type":"schema_user","user_profile_filters":{"a":{"$up":1}}}`:      "user_profile_filters: ",
		`{"template_name":"news","recipient_type":"schema_user","schema_name":"x","user_profile_filters":{}}`: "schema_name must be _userprofile",
		`{"template_name":"news","keywords":7}`:                                                               "keywords must be an object",
		`{"template_name":"news","keywords":{"a":[1]}}`:                                                       "keywords must have texts, numbers or {value}",
		`{"template_name":"news","keywords":{"what":"` + strings.Repeat("x", 2001) + `"}}`:                    "keywords: a name has at most 128 characters, a value 2000",
	} {
		p.wantRefused(texts, body, want)
	}
	for body, want := range map[string]string{
		`{}`: "template_id must be 1 to 128 characters",
		`{"template_id":"t","recipient_type":"phone_number"}`:                    "recipient_type must be one of user_id, user_list",
		`{"template_id":"t","recipient_type":"user_id"}`:                         "user_id must be the id of a user",
		`{"template_id":"t","recipient_type":"user_id","user_id":"x"}`:           "user_id must be the id of a user",
		`{"template_id":"t","recipient_type":"user_id","user_id":1.5}`:           "user_id must be a string or an integer",
		`{"template_id":"t","recipient_type":"user_id","user_id":1,"page":"/x"}`: "page must not begin with a slash",
		`{"template_id":"t","submission_type":"prepay_id"}`:                      "submission_type: tpay takes no form ids of payments",
		`{"template_id":"t","submission_type":"tap"}`:                            "submission_type must be one of form_id",
		`{"template_id":["t"]}`:                                                  "template_id must be a string",
		`{"template_id":"t","keywords":{"a":{"value":{"value":1}}},"user_id":1}`: "keywords must have texts",
	} {
		p.wantRefused(tpay, body, want)
	}
	p.wantRefused("/dserve/v1/message/subscribe/alt/", `{"template_id":"t"}`, "alt has no messages that users subscribe to")
	if len(p.queue.sent) != 0 {
		t.Errorf("%d were asked for", len(p.queue.sent))
	}
}

func (p *platform) wantRefused(path, body, want string) {
	p.Helper()
	answer := p.must(400, "POST", path, body, byRun)
	if said, _ := answer["error_msg"].(string); !strings.HasPrefix(said, want) {
		p.Errorf("%.100s: %s, want %s", body, said, want)
	}
}

// TestNobodyElseSends: to all but functions the paths do not exist.
func TestNobodyElseSends(t *testing.T) {
	p := newPlatform(t)
	for _, path := range []string{texts, tpay, onChat} {
		for _, who := range []string{"Bearer shop", "Service-r1 shop", "Run nobody", ""} {
			p.must(404, "POST", path, `{}`, "Authorization: "+who)
		}
		p.must(404, "GET", path, ``, byRun)
	}
	p.must(404, "POST", "/dserve/v1/message/template/sms/", `{}`, byRun)
}

// TestACodeByHTTP: sent, told as a number, and good once; numbers, texts and what is wrong with them.
func TestACodeByHTTP(t *testing.T) {
	p := newPlatform(t)
	p.must(400, "POST", sendCode, `{"phone":"13800138000"}`)
	p.configure()
	for body, want := range map[string]string{
		`{}`:           "phone must be a phone number",
		`{"phone":[]}`: "phone must be a string or an integer",
		`{"phone":"13800138000","user_id":12345}`: "user_id: there is no such user",
		`{"phone":"13800138000","user_id":{}}`:    "user_id must be a string or an integer",
	} {
		p.wantRefused(sendCode, body, want)
	}
	if answer := p.must(200, "POST", sendCode, `{"phone":13800138000}`, byRun); answer["status"] != "ok" {
		t.Errorf("%v", answer)
	}
	p.wantRefused(sendCode, `{"phone":"+8613800138000"}`, "phone: a number gets one message a minute and 10 a day")

	code := regexp.MustCompile(`\d{6}\b`).FindString(strings.TrimPrefix(p.texts[0], "+8613800138000"))
	p.wantRefused(tellCode, `{"phone":"13800138000","code":"1"}`, "code must be the 6 digits")
	p.wantRefused(tellCode, `{"phone":"13800138000"}`, "code must be the 6 digits")
	p.must(400, "POST", tellCode, `{"phone":"13800138000","code":`+code+`}`, "Authorization: Bearer bank")
	p.must(200, "POST", tellCode, `{"phone":"13800138000","code":`+code+`}`)
	p.wantRefused(tellCode, `{"phone":"13800138000","code":"`+code+`"}`, "code is wrong or has expired")
	p.must(401, "POST", sendCode, `{"phone":"13800138001"}`, "Authorization: Bearer nobody")
}

// TestSubscriptionsAreCounted: each report once, of an application's own users.
func TestSubscriptionsAreCounted(t *testing.T) {
	p := newPlatform(t)
	here := strings.Replace(p.newUser(), "form-id", "subscription", 1)
	for i, step := range []struct {
		token, body string
		status      int
		want        string
	}{
		{"shop", `{"vendor":"chat","template_id":"t1"}`, 201, `"left":1,"template_id":"t1"`},
		{"shop", `{"vendor":"chat","template_id":"t1","subscription_type":"once"}`, 201, `"left":2`},
		{"shop", `{"vendor":"tpay","template_id":"t1"}`, 201, `"left":1`},
		{"shop", `{"vendor":"alt","template_id":"t1"}`, 400, "vendor must be one of chat, tpay"},
		{"shop", `{"vendor":"chat","template_id":"t1","subscription_type":"always"}`, 400, "subscription_type must be once"},
		{"shop", `{"vendor":"chat"}`, 400, "template_id must be 1 to 128 characters"},
		{"shop", `{"vendor":"chat","template_id":7}`, 400, "template_id must be a string"},
		{"shop", `{"vendor":"chat","template_id":"a b"}`, 400, "template_id must be"},
		{"bank", `{"vendor":"chat","template_id":"t1"}`, 404, "not found"},
	} {
		p.wantSetting(i, here, "POST", step.token, step.body, step.status, step.want)
	}
	key := "Idempotency-Key: k"
	p.must(201, "POST", here, `{"vendor":"chat","template_id":"t2"}`, key)
	p.forgetAnswers()
	p.must(201, "POST", here, `{"vendor":"chat","template_id":"t2"}`, key)

	for query, want := range map[string]string{
		"?template_id=t1": `{"alt":0,"chat":2,"tpay":1}`, "?template_id=t2": `{"alt":0,"chat":1,"tpay":0}`,
		"": `{"alt":0,"chat":3,"tpay":1}`, "?template_id=": `{"alt":0,"chat":3,"tpay":1}`,
	} {
		p.wantSetting(0, here+query, "GET", "shop", "", 200, want)
	}
	p.wantSetting(1, here, "GET", "bank", "", 404, "not found")
}
