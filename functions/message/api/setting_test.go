package api_test

import (
	"encoding/json"
	"strings"
	"testing"
)

const (
	mailSetting = "/oserve/v3/mail-setting/"
	smsSetting  = "/oserve/v3/sms-setting/"
)

// TestMailSetting: given members replace the old ones, and other applications do not see the setting.
func TestMailSetting(t *testing.T) {
	p := newPlatform(t)
	const nobody = `"sender_state":{"address":"","bounced":0,"complained":0,"dns_records":[],"reason":"","sent":0,"status":""},"sent_today":0}`
	const empty = `{"daily_budget":1000,"list_unsubscribe":"","reply_to":"","sender":"",` + nobody
	const whole = `{"daily_budget":1000,"list_unsubscribe":"https://a.example/stop","reply_to":"b@a.example",` +
		`"sender":"Ada \u003ca@a.example\u003e","sender_state":{"address":"a@a.example","bounced":0,"complained":0,"dns_records":[],` +
		`"reason":"","sent":0,"status":"unconfirmed"},"sent_today":0}`
	for i, step := range []struct {
		method, token, body string
		status              int
		want                string
	}{
		{"GET", "shop", "", 200, empty},
		{
			"PUT", "shop", `{"sender":" Ada <a@a.example> ","reply_to":"b@a.example"}`, 200,
			`"sender":"Ada \u003ca@a.example\u003e"`,
		},
		{"PUT", "shop", `{"list_unsubscribe":"https://a.example/stop"}`, 200, whole},
		{"GET", "shop", "", 200, whole},
		{"GET", "bank", "", 200, empty},
		{"PUT", "shop", `{"sender":"a@a.example, b@a.example"}`, 400, "sender must be one mail address"},
		{"PUT", "shop", `{"sender":"a@a.example\r\nBcc: b@a.example"}`, 400, "sender must be one mail address"},
		{"PUT", "shop", `{"reply_to":"nobody"}`, 400, "reply_to must be one mail address"},
		{"PUT", "shop", `{"list_unsubscribe":"javascript:x"}`, 400, "list_unsubscribe must be"},
		{"PUT", "shop", `{"list_unsubscribe":"https://a.example/>,<https://b"}`, 400, "list_unsubscribe must be"},
		{"PUT", "shop", `{"sender":1}`, 400, "sender"},
		{"PUT", "shop", `{"daily_budget":-1}`, 400, "daily_budget"},
		{"PUT", "shop", `{"daily_budget":10000001}`, 400, "daily_budget"},
		{"PUT", "shop", `{"daily_budget":7}`, 200, `"daily_budget":7`},
		{"PUT", "shop", `{"daily_budget":2000}`, 200, `"daily_budget":1000`}, // that of the deployment
		{"PUT", "shop", `{"daily_budget":null}`, 200, `"daily_budget":1000`},
		{"GET", "shop", "", 200, whole},
		{"PUT", "shop", `{"list_unsubscribe":"mailto:stop@a.example","reply_to":""}`, 200, `"reply_to":""`},
	} {
		p.wantSetting(i, mailSetting, step.method, step.token, step.body, step.status, step.want)
	}
}

// wantSetting sends one request; want is a part of the response, with members sorted by name, or of its error.
func (p *platform) wantSetting(i int, path, method, token, body string, status int, want string) {
	p.Helper()
	w := p.ask(method, path, body, "Authorization: Bearer "+token)
	answer := decoded(p.T, w)
	text, err := json.Marshal(answer)
	if err != nil {
		p.Fatal(err)
	}
	said, _ := answer["error_msg"].(string)
	if w.Code != status || !strings.Contains(string(text), want) && !strings.Contains(said, want) {
		p.Errorf("step %d: %d %s, want %d %s", i, w.Code, text, status, want)
	}
}

// TestSMSSetting: lists are replaced as a whole.
func TestSMSSetting(t *testing.T) {
	p := newPlatform(t)
	const empty = `{"daily_budget":100,"enabled":false,"sent_today":0,"signatures":[],"templates":[]}`
	const whole = `{"daily_budget":100,"enabled":true,"sent_today":0,"signatures":[{"name":"Shop","status":"approved"}],` +
		`"templates":[{"name":"paid","status":"pending","text":"{{ sum }} paid"}]}`
	for i, step := range []struct {
		method, token, body string
		status              int
		want                string
	}{
		{"GET", "shop", "", 200, empty},
		{"PUT", "shop", `{"enabled":true,"signatures":[{"name":"Shop","status":"approved"}]}`, 200, `"templates":[]`},
		{"PUT", "shop", `{"templates":[{"name":"paid","text":"{{ sum }} paid"}]}`, 200, whole},
		{"GET", "bank", "", 200, empty},
		{"PUT", "shop", `{"signatures":[{"name":"a"},{"name":"a"}]}`, 400, `signatures[1].name: there are two "a"`},
		{"PUT", "shop", `{"signatures":[{"name":""}]}`, 400, "signatures[0].name must be 1 to 20 characters"},
		{"PUT", "shop", `{"signatures":[{"name":"a\nb"}]}`, 400, "signatures[0].name must be"},
		{"PUT", "shop", `{"templates":[{"name":"a","text":"x","status":"yes"}]}`, 400, "templates[0].status must be one of"},
		{"PUT", "shop", `{"templates":[{"name":"a","text":" "}]}`, 400, "templates[0].text must be 1 to 500 characters"},
		{"PUT", "shop", `{"templates":[{"name":"a","text":"{{ x"}]}`, 400, "templates[0].text is no template"},
		{"GET", "shop", "", 200, whole},
	} {
		p.wantSetting(i, smsSetting, step.method, step.token, step.body, step.status, step.want)
	}
}
