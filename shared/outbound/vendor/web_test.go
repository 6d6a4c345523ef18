package vendor_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/outbound/chat"
	"minicloud/shared/outbound/vendor"
	"minicloud/shared/user/idp"
)

var (
	webAccount = messaging.LoginAccount{Provider: "oauth-chat-web", AppID: "wx1", Secret: "web&secret"}
	webVisit   = idp.WebRedirect{Callback: "https://api.example/cb/", State: "7xproductionxabc"}
)

// TestChatWebPages compares the addresses of chat's pages with its description.
func TestChatWebPages(t *testing.T) {
	const rest = "?appid=wx1&redirect_uri=https%3A%2F%2Fapi.example%2Fcb%2F&response_type=code&scope="
	const end = "&state=7xproductionxabc#wechat_redirect"
	for _, c := range []struct {
		inChat, silent bool
		want           string
	}{
		{false, false, "/connect/qrconnect" + rest + "snsapi_login"}, {false, true, "/connect/qrconnect" + rest + "snsapi_login"},
		{true, false, "/connect/oauth2/authorize" + rest + "snsapi_userinfo"}, {true, true, "/connect/oauth2/authorize" + rest + "snsapi_base"},
	} {
		visit := webVisit
		visit.Silent = c.silent
		got, err := chat.WebProvider(vendor.New("https://api.weixin.qq.com", false), "https://open.weixin.qq.com", c.inChat).
			AuthorizeURL(t.Context(), webAccount, visit)
		if err != nil || got != "https://open.weixin.qq.com"+c.want+end {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
}

// TestChatWebIdentities: the calls, the profile, and what a refusal and a broken answer are.
func TestChatWebIdentities(t *testing.T) {
	answers := map[string]string{
		"/sns/oauth2/access_token": `{"access_token":"t&1","expires_in":7200,"openid":"o1","scope":"snsapi_login","unionid":"u1"}`,
		"/sns/userinfo":            `{"openid":"o1","nickname":"Ada","sex":2,"province":"P","city":"C","country":"CN","headimgurl":"https://a","unionid":"u1"}`,
	}
	asked := map[string]url.Values{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked[r.URL.Path] = r.URL.Query()
		fmt.Fprint(w, answers[r.URL.Path])
	}))
	defer server.Close()
	web := chat.WebProvider(vendor.New(server.URL, false), "https://open.weixin.qq.com", false)

	got, err := web.Identify(t.Context(), webAccount, webVisit, "c&1")
	want := idp.Identity{Vendor: "oauth-chat-web", OpenID: "o1", UnionID: "u1", Profile: idp.Profile{
		Nickname: "Ada", Avatar: "https://a", Gender: 2, Country: "CN", Province: "P", City: "C",
	}}
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	first, second := asked["/sns/oauth2/access_token"], asked["/sns/userinfo"]
	if first.Get("code") != "c&1" || first.Get("secret") != "web&secret" || first.Get("grant_type") != "authorization_code" ||
		second.Get("access_token") != "t&1" || second.Get("openid") != "o1" {
		t.Errorf("%v %v", first, second)
	}

	for answer, kind := range map[string]errs.Kind{
		`{"errcode":40029,"errmsg":"invalid code c&1, secret web&secret"}`: errs.KindInvalid,
		`{"errcode":-1,"errmsg":"busy"}`:                                   errs.KindUnavailable,
		`no JSON`:                                                          errs.KindUnavailable, `{}`: errs.KindUnavailable,
	} {
		answers["/sns/oauth2/access_token"] = answer
		_, err := web.Identify(t.Context(), webAccount, webVisit, "c&1")
		if !errs.Is(err, kind) || strings.Contains(err.Error(), "web&secret") {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

// TestOpenID: an issuer names its endpoints, and a token of another issuer, application or time is refused.
func TestOpenID(t *testing.T) {
	var issuer, token string
	var form url.Values
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/.well-known/openid-configuration" {
			fmt.Fprintf(w, `{"issuer":%q,"authorization_endpoint":"https://login.example/auth?x=1","token_endpoint":%q}`,
				issuer, issuer+"/token")
			return
		}
		_ = r.ParseForm()
		form = r.PostForm
		fmt.Fprintf(w, `{"access_token":"a","id_token":%q}`, token)
	}))
	defer server.Close()
	issuer = server.URL
	claims := func(change map[string]any) string {
		all := map[string]any{
			"iss": issuer, "aud": "wx1", "exp": noon.Unix() + 60, "sub": "s1", "name": "Ada", "picture": "https://a", "locale": "de",
		}
		for name, value := range change {
			all[name] = value
		}
		text, _ := json.Marshal(all)
		return "e30." + base64.RawURLEncoding.EncodeToString(text) + ".sig"
	}
	open := &vendor.OpenID{API: vendor.New(server.URL, true), Clock: clock.Fixed(noon)}
	at := messaging.LoginAccount{Provider: "oauth-other", AppID: "wx1", Secret: "s", BaseURL: server.URL}

	page, err := open.AuthorizeURL(t.Context(), at, webVisit)
	if err != nil || page != "https://login.example/auth?client_id=wx1&redirect_uri=https%3A%2F%2Fapi.example%2Fcb%2F"+
		"&response_type=code&scope=openid+profile&state=7xproductionxabc&x=1" {
		t.Errorf("%s, %v", page, err)
	}
	for _, audience := range []any{"wx1", []string{"other", "wx1"}} {
		token = claims(map[string]any{"aud": audience})
		got, err := open.Identify(t.Context(), at, webVisit, "code")
		want := idp.Identity{Vendor: "oauth-other", OpenID: "s1", Profile: idp.Profile{Nickname: "Ada", Avatar: "https://a", Language: "de"}}
		if err != nil || got != want || form.Get("code") != "code" || form.Get("client_secret") != "s" ||
			form.Get("redirect_uri") != webVisit.Callback {
			t.Errorf("%+v, %v, %v", got, err, form)
		}
	}
	for name, change := range map[string]map[string]any{
		"another issuer": {"iss": "https://evil.example"}, "another application": {"aud": "wx2"}, "over": {"exp": noon.Unix()},
		"nobody": {"sub": ""},
	} {
		token = claims(change)
		if _, err := open.Identify(t.Context(), at, webVisit, "code"); !errs.Is(err, errs.KindUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	token = "no token"
	if _, err := open.Identify(t.Context(), at, webVisit, "code"); !errs.Is(err, errs.KindUnavailable) {
		t.Errorf("no token: %v", err)
	}
	issuer = "https://evil.example"
	if _, err := open.AuthorizeURL(t.Context(), at, webVisit); !errs.Is(err, errs.KindUnavailable) {
		t.Errorf("another issuer's configuration: %v", err)
	}
	at.BaseURL = ""
	if _, err := open.AuthorizeURL(t.Context(), at, webVisit); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("without an issuer: %v", err)
	}
}
