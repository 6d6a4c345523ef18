package api_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
	"minicloud/shared/trigger/run"
	"minicloud/shared/user"
)

const (
	byRun    = "Authorization: Run shop"
	texts    = "/dserve/v1/message/sms/"
	tpay     = "/dserve/v1/message/template/tpay/"
	onChat   = "/dserve/v1/message/subscribe/chat/"
	sendCode = "/oserve/v2.1/sms-verification-code/"
	tellCode = "/oserve/v1.8/sms-verification-code/verify/"
)

// configure enables SMS for the shop and gives it accounts at chat and tpay.
func (p *platform) configure() {
	p.Helper()
	p.must(200, "PUT", "/oserve/v3/sms-setting/", `{"enabled":true,"signatures":[{"name":"Tea","status":"approved"},{"name":"New"}],
		"templates":[{"name":"news","text":"{{ what }}","status":"approved"},{"name":"draft","text":"x"}]}`)
	for _, vendor := range []string{"chat", "tpay"} {
		p.must(200, "PUT", "/oserve/v3/message-setting/"+vendor+"/", `{"app_id":"a","app_secret":"s"}`)
	}
}

// asked returns the last requested run, as a worker reads it.
func (p *platform) asked() run.Run {
	p.Helper()
	m := p.queue.sent[len(p.queue.sent)-1]
	run, err := p.runs.Run(p.Context(), shop, run.Ref{Trigger: m.Trigger, At: time.UnixMilli(m.At).UTC(), ID: m.Run})
	if err != nil {
		p.Fatal(err)
	}
	return run
}

// TestFunctionsSendSMS: a run with its recipients is stored and requested, in the trace of the function; a repeated
// call requests the same run.
func TestFunctionsSendSMS(t *testing.T) {
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
	tree, err := (&manage.Service{Runs: p.runs}).Trace(t.Context(), shop, "0af7651916cd43dd8448eb211c80319c")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(tree)
	if err != nil || strings.Count(string(text), `"kind":"action"`) != 5 ||
		!strings.Contains(string(text), `"name":"a function"`) {
		t.Errorf("the trace shows %s, %v", text, err)
	}
	all, err := p.runs.List(t.Context(), shop, 5, run.Filter{}, 100)
	if err != nil || len(all) != 5 || len(p.queue.sent) != 10 {
		t.Errorf("%d runs, asked for %d times, %v", len(all), len(p.queue.sent), err)
	}
}

// TestFunctionsSendTemplateMessages: functions may name the kind of a form id; subscription messages need none.
func TestFunctionsSendTemplateMessages(t *testing.T) {
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

// TestLimitsMessagesPerCall: also through the functions that a call starts.
func TestLimitsMessagesPerCall(t *testing.T) {
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

// TestRefusedMessagesNameTheField: and no run is requested.
func TestRefusedMessagesNameTheField(t *testing.T) {
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

// TestOnlyFunctionsSend: all other callers get 404.
func TestOnlyFunctionsSend(t *testing.T) {
	p := newPlatform(t)
	for _, path := range []string{texts, tpay, onChat} {
		for _, who := range []string{"Bearer shop", "Service-r1 shop", "Run nobody", ""} {
			p.must(404, "POST", path, `{}`, "Authorization: "+who)
		}
		p.must(404, "GET", path, ``, byRun)
	}
	p.must(404, "POST", "/dserve/v1/message/template/sms/", `{}`, byRun)
}
