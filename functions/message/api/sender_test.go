package api_test

import (
	"regexp"
	"strings"
	"testing"

	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/message/allowance"
	"minicloud/shared/tenant"
)

var aCode = regexp.MustCompile(`(?m)^[A-Z2-7]{16}$`)

// lastCode returns the code in the last mail.
func (p *platform) lastCode() string {
	p.Helper()
	if len(p.identities.codes) == 0 {
		p.Fatal("no code was sent")
	}
	return aCode.FindString(p.identities.codes[len(p.identities.codes)-1])
}

// TestSenderOfApplication leads two applications to the same sender: each needs a code of its own.
func TestSenderOfApplication(t *testing.T) {
	p := newPlatform(t)
	verification, confirmation, reopening := mailSetting+"verification/", mailSetting+"confirmation/", mailSetting+"reopening/"
	bank := "Authorization: Bearer bank"
	if got := p.must(400, "POST", verification, `{}`); !strings.Contains(got["error_msg"].(string), "PUT /oserve/v3/mail-setting/") {
		t.Errorf("%v", got)
	}
	for _, who := range []string{"Authorization: Bearer shop", bank} {
		p.must(200, "PUT", mailSetting, `{"sender":"Ada <ADA@a.example>"}`, who)
	}
	p.must(400, "POST", verification, `{"identity":"phone"}`)
	if got := p.must(200, "POST", verification, `{"identity":"address"}`); got["status"] != "verifying" || got["address"] != "ada@a.example" {
		t.Errorf("%v", got)
	}

	p.identities.verified["ada@a.example"] = true
	if got := p.must(200, "POST", verification, `{}`); got["status"] != "code_sent" {
		t.Errorf("%v", got)
	}
	code := p.lastCode()
	p.must(200, "POST", verification, `{}`, bank)
	p.must(400, "POST", confirmation, `{"code":"`+code+`"}`, bank)
	p.must(400, "POST", confirmation, `{"code":""}`)
	keyed := "Idempotency-Key: once"
	for range 2 { // a repeated request finds it confirmed
		if got := p.must(200, "POST", confirmation, `{"code":"`+code+`"}`, keyed); got["status"] != "confirmed" {
			t.Errorf("%v", got)
		}
		p.forgetAnswers()
	}
	p.must(400, "POST", confirmation, `{"code":"`+code+`"}`)
	state := p.must(200, "GET", mailSetting, "")["sender_state"].(map[string]any)
	if state["status"] != "confirmed" {
		t.Errorf("%v", state)
	}
	if state := p.must(200, "GET", mailSetting, "", bank)["sender_state"].(map[string]any); state["status"] != "code_sent" {
		t.Errorf("of the bank: %v", state)
	}

	// A token of the application cannot open its own way again.
	p.must(403, "POST", reopening, `{}`)
	if changed := p.must(200, "PUT", mailSetting, `{"sender":"bank@a.example"}`)["sender_state"].(map[string]any); changed["status"] != "unconfirmed" {
		t.Errorf("another sender: %v", changed)
	}
}

// TestRepeatedVerificationSendsOneCode repeats a request whose answer was lost.
func TestRepeatedVerificationSendsOneCode(t *testing.T) {
	p := newPlatform(t)
	p.must(200, "PUT", mailSetting, `{"sender":"ada@a.example"}`)
	p.identities.verified["a.example"] = true
	for range 3 {
		p.must(200, "POST", mailSetting+"verification/", `{}`, "Idempotency-Key: once")
		p.forgetAnswers()
	}
	if len(p.identities.codes) != 1 {
		t.Errorf("%d codes", len(p.identities.codes))
	}
	p.must(200, "POST", mailSetting+"verification/", `{}`)
	if len(p.identities.codes) != 2 {
		t.Errorf("%d codes after another request", len(p.identities.codes))
	}
}

// TestSuppressions lists and removes the suppressed addresses of one application.
func TestSuppressions(t *testing.T) {
	p := newPlatform(t)
	store := &settingdb.Allowances{Client: p.client, Table: "SettingsTable"}
	for app, address := range map[tenant.AppID]string{7: "Reader+1@a.example", 8: "other@a.example"} {
		counts := &allowance.Allowance{Store: store}
		err := counts.Record(t.Context(), app, allowance.Feedback{
			ID: "1", Kind: allowance.Complaint, Sender: allowance.Key("ada@a.example"), Address: address, At: noon,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	list := p.must(200, "GET", mailSetting+"suppression/", "")["objects"].([]any)
	if len(list) != 1 {
		t.Fatalf("%v", list)
	}
	if one := list[0].(map[string]any); one["address"] != "reader+1@a.example" || one["kind"] != "complaint" ||
		one["created_at"] != float64(noon.Unix()) {
		t.Errorf("%v", one)
	}
	p.must(404, "DELETE", mailSetting+"suppression/other@a.example/", "")
	p.must(204, "DELETE", mailSetting+"suppression/reader+1@a.example/", "")
	p.must(404, "DELETE", mailSetting+"suppression/reader+1@a.example/", "")
}

// TestCodesUseBudget refuses verification codes beyond the SMS budget of the application, with 429.
func TestCodesUseBudget(t *testing.T) {
	p := newPlatform(t)
	p.must(200, "PUT", smsSetting, `{"enabled":true,"signatures":[{"name":"Tea","status":"approved"}],"daily_budget":1}`)
	p.must(200, "POST", "/oserve/v2.1/sms-verification-code/", `{"phone":"13800138000"}`)
	got := p.must(429, "POST", "/oserve/v2.1/sms-verification-code/", `{"phone":"13800138001"}`)
	if !strings.Contains(got["error_msg"].(string), "the sms budget of the application is used up: 1 parts of SMS a day") || len(p.texts) != 1 {
		t.Errorf("%v, %v", got, p.texts)
	}
	if setting := p.must(200, "GET", smsSetting, ""); setting["sent_today"] != 1.0 || setting["daily_budget"] != 1.0 {
		t.Errorf("%v", setting)
	}
}
