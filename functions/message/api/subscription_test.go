package api_test

import (
	"strings"
	"testing"
)

// TestCountsSubscriptions: each report counts once, and only for users of the application.
func TestCountsSubscriptions(t *testing.T) {
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
