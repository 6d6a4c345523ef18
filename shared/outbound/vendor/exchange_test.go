package vendor_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/outbound/alt"
	"minicloud/shared/outbound/chat"
	"minicloud/shared/outbound/tpay"
	"minicloud/shared/secret/rsakey"
	"minicloud/shared/user/idp"
)

// login is the login client of one vendor, and a successful answer.
type login struct {
	name   messaging.Vendor
	new    func(base string, private bool) idp.Exchange
	secret string
	yes    string
}

var logins = []login{
	{"chat", func(base string, private bool) idp.Exchange { return chat.New(base, private) }, "app-secret", `{"openid":"o1","session_key":"k","unionid":"u1"}`},
	{"tpay", func(base string, private bool) idp.Exchange { return tpay.New(base, private) }, "app-secret", `{"openid":"o1","session_key":"k","unionid":"u1","errcode":0}`},
	{"alt", func(base string, private bool) idp.Exchange { return alt.New(base, private, clock.Fixed(noon)) }, ours, signedAs("alipay_system_oauth_token", `{"user_id":"o1","access_token":"t1"}`)},
}

func signedAs(method, response string) string {
	return strings.Replace(signed(response), "alipay_open_app_mini_templatemessage_send", method, 1)
}

func (l login) who() templatemessage.Identity {
	return client{name: string(l.name), secret: l.secret}.identity()
}

const code = "code-&-secret"

// TestExchangesCodes checks the requests of a login, and what they return.
func TestExchangesCodes(t *testing.T) {
	for _, l := range logins {
		base, last := listen(t, l.yes)
		got, err := l.new(base+"/", false).Exchange(t.Context(), l.who(), code, false)
		want := idp.Identity{Vendor: l.name, OpenID: "o1", UnionID: "u1", SessionKey: "k"}
		if l.name == "alt" {
			want.UnionID, want.SessionKey = "", ""
		}
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %+v, %v", l.name, got, err)
		}
		if l.name != "alt" {
			asked := url.Values{"appid": {"app1"}, "secret": {"app-secret"}, "js_code": {code}, "grant_type": {"authorization_code"}}
			if last.method != "GET" || last.path != "/sns/jscode2session" || !cmp.Equal(last.query, asked) {
				t.Errorf("%s is asked %s %s %v", l.name, last.method, last.path, last.query)
			}
			continue
		}

		// alt's parameters are fields of the form, and signed like those of messages.
		form := last.form
		sign := form.Get("sign")
		form.Del("sign")
		if last.path != "/gateway.do" || form.Get("method") != "alipay.system.oauth.token" || form.Get("code") != code ||
			form.Get("grant_type") != "authorization_code" || form.Has("biz_content") {
			t.Errorf("alt is asked %s %v", last.path, form)
		}
		key, err := rsakey.Public(ourPublic, noon)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := url.QueryUnescape(form.Encode()) // sorted by name
		if err := rsakey.Verify(key, text, sign); err != nil {
			t.Errorf("the signature: %v", err)
		}
	}
}

// TestUsesTheAddressOfTheSetting: a base URL of an application replaces the deployment's, and may be private only where
// that is allowed.
func TestUsesTheAddressOfTheSetting(t *testing.T) {
	for _, l := range logins {
		base, last := listen(t, l.yes)
		who := l.who()
		who.BaseURL = base + "/proxy"
		if got, err := l.new("http://127.0.0.1:1", true).Exchange(t.Context(), who, code, false); err != nil || got.OpenID != "o1" || !strings.HasPrefix(last.path, "/proxy/") {
			t.Errorf("%s: %+v, %v, asked %s", l.name, got, err, last.path)
		}

		*last = got0
		if got, err := l.new("http://127.0.0.1:1", false).Exchange(t.Context(), who, code, false); !errs.Is(err, errs.KindUnavailable) || last.path != "" {
			t.Errorf("%s at a private address: %+v, %v, asked %q", l.name, got, err, last.path)
		}
	}
}

var got0 got

// TestRefusedCodes: a vendor's refusal is the caller's error, except for those that pass.
func TestRefusedCodes(t *testing.T) {
	platform := map[string]errs.Kind{
		`{"errcode":40029,"errmsg":"invalid code app-secret code-&-secret"}`: errs.KindInvalid,
		`{"errcode":40163,"errmsg":"code been used"}`:                        errs.KindInvalid,
		`{"errcode":40125,"errmsg":"invalid appsecret"}`:                     errs.KindInvalid,
		`{"errcode":40013,"errmsg":"invalid appid"}`:                         errs.KindInvalid,
		`{"errcode":40226,"errmsg":"code blocked"}`:                          errs.KindInvalid,
		`{"errcode":-1,"errmsg":"system error"}`:                             errs.KindUnavailable,
	}
	for i, all := range []map[string]errs.Kind{platform, platform, {
		`{"error_response":{"code":"40002","msg":"Invalid Arguments","sub_code":"isv.code-invalid","sub_msg":"code-&-secret"}}`: errs.KindInvalid,
		`{"error_response":{"code":"20000","msg":"Service Currently Unavailable","sub_code":"isp.unknow-error"}}`:               errs.KindUnavailable,
		signedAs("alipay_system_oauth_token", `{"code":"40004","msg":"no","sub_code":"aop.x"}`):                                 errs.KindInvalid,
		signedAs("alipay_system_oauth_token", `{"code":"40005","msg":"Limited"}`):                                               errs.KindUnavailable,
	}} {
		l := logins[i]
		for answer, want := range all {
			base, _ := listen(t, answer)
			_, err := l.new(base, false).Exchange(t.Context(), l.who(), code, false)
			if !errs.Is(err, want) || want == errs.KindUnavailable && errs.RetryAfter(err) < 1 {
				t.Errorf("%s %s: %v after %d, want %s", l.name, answer, err, errs.RetryAfter(err), want)
			}
			for _, secret := range []string{"app-secret", code} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%s tells %v", l.name, err)
				}
			}
		}
	}
	base, _ := listen(t, `{"errcode":45011,"errmsg":"api minute-quota reach limit"}`)
	if _, err := logins[0].new(base, false).Exchange(t.Context(), logins[0].who(), code, false); errs.RetryAfter(err) != 60 {
		t.Errorf("a vendor that limits logins: %v after %d", err, errs.RetryAfter(err))
	}
}

// TestVendorFaultsOfLogins: a vendor that is down, slow or answers with something else is errs.Unavailable with a time
// to wait, and no error contains a secret.
func TestVendorFaultsOfLogins(t *testing.T) {
	for _, l := range logins {
		check := func(what string, err error) {
			t.Helper()
			if !errs.Is(err, errs.KindUnavailable) || errs.RetryAfter(err) < 1 {
				t.Errorf("%s %s: %v after %d", l.name, what, err, errs.RetryAfter(err))
			}
			for _, secret := range []string{code, url.QueryEscape(code), "app-secret", "PRIVATE KEY"} {
				if err != nil && strings.Contains(err.Error(), secret) {
					t.Errorf("%s %s tells %v", l.name, what, err)
				}
			}
		}
		for name, f := range faults {
			server := httptest.NewServer(f.serve)
			_, err := l.new(server.URL, false).Exchange(t.Context(), l.who(), code, false)
			check(name, err)
			server.Close()
		}
		for _, text := range []string{`{"openid":""}`, `{"openid":7}`, "null", signedAs("alipay_system_oauth_token", `{}`)} {
			base, _ := listen(t, text)
			_, err := l.new(base, false).Exchange(t.Context(), l.who(), code, false)
			check(text, err)
		}
		_, err := l.new("http://127.0.0.1:1", false).Exchange(t.Context(), l.who(), code, false)
		check("refused", err)
		// A vendor that takes too long: the caller gives up once the request has arrived.
		waiting, giveUp := context.WithCancel(t.Context())
		held := make(chan struct{})
		slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			giveUp()
			<-held
		}))
		_, err = l.new(slow.URL, false).Exchange(waiting, l.who(), code, false)
		check("slow", err)
		close(held)
		slow.Close()

		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = l.new("http://127.0.0.1:1", false).Exchange(ended, l.who(), code, false)
		check("no time", err)
	}
}

// TestVerifiesAnswersOfAlt: an answer that alt has not signed proves no identity.
func TestVerifiesAnswersOfAlt(t *testing.T) {
	l := logins[2]
	for name, answer := range map[string]string{
		"unsigned":    `{"alipay_system_oauth_token_response":{"user_id":"o1","access_token":"t1"}}`,
		"forged":      strings.Replace(l.yes, "o1", "o2", 1),
		"another key": `{"alipay_system_oauth_token_response":{"user_id":"o1"},"sign":"AAAA"}`,
	} {
		base, _ := listen(t, answer)
		if got, err := l.new(base, false).Exchange(t.Context(), l.who(), code, false); !errs.Is(err, errs.KindUnavailable) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestAsksChatForPhones checks the request, and which refusals ask for another access token.
func TestAsksChatForPhones(t *testing.T) {
	onChat := func(base string) idp.PhoneExchange { return chat.New(base, false) }
	base, last := listen(t, `{"errcode":0,"phone_info":{"phoneNumber":"+491512","purePhoneNumber":"1512","countryCode":"49"}}`)
	phone, err := onChat(base).Phone(t.Context(), logins[0].who(), token, code)
	if number, _ := phone.Number(); err != nil || number != "+491512" || last.path != "/wxa/business/getuserphonenumber" ||
		last.query.Get("access_token") != token || last.body["code"] != code {
		t.Errorf("%+v, %v, asked %+v", phone, err, last)
	}

	for answer, want := range map[string]templatemessage.Verdict{
		`{"errcode":40029,"errmsg":"` + code + `"}`: templatemessage.BadUser, `{"errcode":40001}`: templatemessage.BadToken,
		`{"errcode":-1}`: templatemessage.Later,
	} {
		base, _ := listen(t, answer)
		_, err := onChat(base).Phone(t.Context(), logins[0].who(), token, code)
		refusal, ok := errors.AsType[*templatemessage.Refusal](err)
		if !ok || refusal.Verdict != want || strings.Contains(err.Error(), code) {
			t.Errorf("%s: %v", answer, err)
		}
	}
	for name, f := range faults {
		server := httptest.NewServer(f.serve)
		_, err := onChat(server.URL).Phone(t.Context(), logins[0].who(), token, code)
		if !errs.Is(err, errs.KindUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
		server.Close()
	}
}
