package api_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestSendsAndVerifiesCode: a code works once and may be a number; invalid numbers and texts are refused.
func TestSendsAndVerifiesCode(t *testing.T) {
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
