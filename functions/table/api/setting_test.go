package api_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"
)

const settingPath = "/oserve/v1.8/application-setting/"

const defaultSettings = `{
	"legacy_writes": false,
	"login_methods": ["username", "email", "phone", "sms", "anonymous", "chat", "alt", "tpay", "oauth"],
	"anonymous_invoke": false, "client_profile_update": false, "image_check": false, "private_files": false,
	"callback_hosts": [], "pages": null, "client_rate": null}`

// TestSettings changes the members one after another: the others keep their values, and null restores the default.
func TestSettings(t *testing.T) {
	p := newPlatform(t)
	want := map[string]any{}
	if err := json.Unmarshal([]byte(defaultSettings), &want); err != nil {
		t.Fatal(err)
	}
	if d := diff.Diff(want, p.must(200, "GET", settingPath, "")); d != "" {
		t.Fatalf("defaults: %s", d)
	}

	changes := []struct{ member, value, answer string }{
		{"legacy_writes", `true`, ""},
		{"login_methods", `["sms","chat"]`, ""},
		{"login_methods", `[]`, ""},
		{"anonymous_invoke", `true`, ""},
		{"client_profile_update", `true`, ""},
		{"image_check", `true`, ""},
		{"private_files", `true`, ""},
		{"callback_hosts", `["shop.example.com","localhost:3000","[::1]:80"]`, ""},
		{"callback_hosts", `[]`, ""},
		{"callback_hosts", `["a.example.com"]`, ""},
		{"pages", `{"reset":"https://shop.example.com/reset?from=mail"}`, `{"reset":"https://shop.example.com/reset?from=mail","verify":null}`},
		{"pages", `{"verify":"http://localhost/v","reset":null}`, `{"verify":"http://localhost/v","reset":null}`},
		{"client_rate", `{"user":1,"address":1000000,"application":null}`, ""},
		{"client_rate", `{"address":5}`, `{"user":null,"address":5,"application":null}`},
		{"client_rate", `{}`, `{"user":null,"address":null,"application":null}`},
	}
	change := func(member, value, answer string) {
		t.Helper()
		got := p.must(200, "PUT", settingPath, fmt.Sprintf(`{%q:%s}`, member, value))
		var now any
		if err := json.Unmarshal([]byte(answer), &now); err != nil {
			t.Fatal(err)
		}
		want[member] = now
		if d := diff.Diff(want, got); d != "" {
			t.Errorf("%s %s: %s", member, value, d)
		}
	}
	for _, c := range changes {
		change(c.member, c.value, cmp.Or(c.answer, c.value))
	}

	var defaults map[string]json.RawMessage
	if err := json.Unmarshal([]byte(defaultSettings), &defaults); err != nil {
		t.Fatal(err)
	}
	for member, value := range defaults {
		change(member, "null", string(value))
	}
}

// TestBadSettings: each answer names the member, and nothing is stored.
func TestBadSettings(t *testing.T) {
	p := newPlatform(t)
	hosts := strings.Repeat(`"a.example.com",`, 50) + `"b.example.com"`
	for _, c := range []struct{ body, names string }{
		{`{"legacy_writes":"yes"}`, "legacy_writes"},
		{`{"login_methods":"sms"}`, "login_methods"},
		{`{"login_methods":["fax"]}`, "login_methods"},
		{`{"login_methods":["sms","sms"]}`, "login_methods"},
		{`{"login_methods":[1]}`, "login_methods"},
		{`{"anonymous_invoke":1}`, "anonymous_invoke"},
		{`{"client_profile_update":"on"}`, "client_profile_update"},
		{`{"image_check":[]}`, "image_check"},
		{`{"private_files":{}}`, "private_files"},
		{`{"callback_hosts":"a.example.com"}`, "callback_hosts"},
		{`{"callback_hosts":[""]}`, "callback_hosts"},
		{`{"callback_hosts":["https://a.example.com"]}`, "callback_hosts"},
		{`{"callback_hosts":["a.example.com/x"]}`, "callback_hosts"},
		{`{"callback_hosts":["A.example.com"]}`, "callback_hosts"},
		{`{"callback_hosts":["u@a.example.com"]}`, "callback_hosts"},
		{`{"callback_hosts":["*.example.com"]}`, "callback_hosts"},
		{`{"callback_hosts":[":80"]}`, "callback_hosts"},
		{`{"callback_hosts":[` + hosts + `]}`, "callback_hosts"},
		{`{"callback_hosts":["` + strings.Repeat("a", 254) + `"]}`, "callback_hosts"},
		{`{"pages":"https://a.example.com"}`, "pages"},
		{`{"pages":{"reset":"a.example.com"}}`, "pages.reset"},
		{`{"pages":{"verify":"javascript:alert(1)"}}`, "pages.verify"},
		{`{"pages":{"verify":"https://u:p@a.example.com"}}`, "pages.verify"},
		{`{"pages":{"reset":"https://a.example.com/` + strings.Repeat("a", 1024) + `"}}`, "pages.reset"},
		{`{"client_rate":600}`, "client_rate"},
		{`{"client_rate":{"user":0}}`, "client_rate.user"},
		{`{"client_rate":{"address":-1}}`, "client_rate.address"},
		{`{"client_rate":{"application":1000001}}`, "client_rate.application"},
		{`{"client_rate":{"user":1.5}}`, "client_rate"},
	} {
		body := strings.Replace(c.body, "{", `{"legacy_writes":true,`, 1)
		if strings.Contains(c.body, "legacy_writes") {
			body = c.body
		}
		w := p.ask("PUT", settingPath, body)
		if w.Code != 400 || !strings.Contains(w.Body.String(), c.names) {
			t.Errorf("%.80s: %d %s, want 400 naming %s", c.body, w.Code, w.Body, c.names)
		}
	}
	if got := p.must(200, "PUT", settingPath, `{}`); got["legacy_writes"] != false {
		t.Errorf("a refused change was stored: %v", got)
	}
}
