package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"minicloud/shared/order/payment"
)

func (p *platform) setting(t testing.TB, method, vendor, token, body string) (status int, answer string) {
	t.Helper()
	r := httptest.NewRequest(method, "/oserve/v3/payment-setting/"+vendor+"/", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// TestSettingKeepsOmittedMembers: secrets are never returned, and settings of other applications are invisible.
func TestSettingKeepsOmittedMembers(t *testing.T) {
	p := newPlatform(t)
	const put, get = http.MethodPut, http.MethodGet
	for i, step := range []struct {
		method, token, body string
		status              int
		want                string
	}{
		{get, "shop", "", 200, `"vendor":"chat","app_id":"","merchant_id":""`}, // a setting that was never stored
		{
			put, "shop", `{"app_id":"wx1","merchant_key":"topsecret","api_v3_key":"0123456789abcdef0123456789abcdef"}`, 200,
			`"secrets":["api_v3_key","merchant_key"]`,
		},
		{put, "shop", `{"merchant_id":"m1"}`, 200, `"app_id":"wx1","merchant_id":"m1"`},
		{put, "shop", `{"api_v3_key":null}`, 200, `"secrets":["merchant_key"]`},
		{get, "shop", "", 200, `"vendor":"chat","app_id":"wx1","merchant_id":"m1"`},
		{get, "bank", "", 200, `"app_id":"","merchant_id":""`},
		{get, "nobody", "", 401, "token"},
		{put, "shop", `{"api_v3_key":"short"}`, 400, "api_v3_key must be 32 bytes"},
		{put, "shop", `{"merchant_key":5}`, 400, "merchant_key must be a string or null"},
		{put, "shop", `{"merchant_key":""}`, 400, "merchant_key"},
		{put, "shop", `{"private_key":"x"}`, 400, "private_key"},
		{put, "shop", `{"public_key":"x"}`, 400, "public_key"},
		{put, "shop", `{"base_url":"ftp://x"}`, 400, "base_url"},
		{put, "shop", `{"certificates":{"1":"x"}}`, 400, "certificates"},
		{put, "shop", `{"app_id":1}`, 400, "app_id"},
	} {
		status, answer := p.setting(t, step.method, "chat", step.token, step.body)
		if status != step.status || !strings.Contains(answer, step.want) || strings.Contains(answer, "topsecret") {
			t.Errorf("step %d: %d %s", i, status, answer)
		}
	}
	keys, err := p.settings.Open(t.Context(), shop, payment.Chat, payment.MerchantKey, payment.APIv3Key)
	if err != nil || keys.Secret[payment.MerchantKey] != "topsecret" || len(keys.Secret) != 1 {
		t.Errorf("%v, %v", keys.Secret, err)
	}
	if status, answer := p.setting(t, put, "alt", "shop", `{"merchant_key":"x"}`); status != 400 ||
		!strings.Contains(answer, "merchant_key is no secret of alt") {
		t.Errorf("%d %s", status, answer)
	}
	if status, _ := p.setting(t, get, "cash", "shop", ""); status != 404 {
		t.Errorf("an unknown vendor: %d", status)
	}
}
