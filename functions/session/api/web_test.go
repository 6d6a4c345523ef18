package api_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/app"
	"minicloud/shared/dynamo/proofdb"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/user/idp"
)

// webProvider is a fake of every provider: the code x is the user x, x~u with the union id u.
type webProvider struct{}

func (webProvider) AuthorizeURL(_ context.Context, a messaging.LoginAccount, r idp.WebRedirect) (string, error) {
	return "https://provider.example/?" + url.Values{
		"app": {a.AppID}, "redirect_uri": {r.Callback}, "state": {r.State}, "silent": {fmt.Sprint(r.Silent)},
	}.Encode(), nil
}

func (webProvider) Identify(
	_ context.Context, a messaging.LoginAccount, r idp.WebRedirect, code string,
) (i idp.Identity, err error) {
	of := messaging.Vendor(a.Provider)
	switch {
	case a.Secret != appSecret || !strings.HasPrefix(r.Callback, "https://"):
		return i, errs.Invalid("not configured")
	case code == "wrong":
		return i, idp.Refused(of, "40029", "invalid code")
	case code == "down":
		return i, idp.Unreachable(of, errs.Unavailable(0, "down"))
	}
	id, union, _ := strings.Cut(code, "~")
	i = idp.Identity{Vendor: of, OpenID: "web-" + id, UnionID: union}
	if !r.Silent {
		i.Profile = idp.Profile{Nickname: "Nick " + id}
	}
	return i, nil
}

func (p *platform) openWeb(client *dynamodb.Client) *idp.Web {
	return &idp.Web{
		Settings: p.vendors.settings, Store: &proofdb.WebLogins{Client: client, Table: "UsersTable"},
		Providers: func(messaging.Provider) idp.WebProvider { return webProvider{} }, Logins: p.logins, Clock: p.time,
	}
}

const webProviderName = "oauth-chat-web"

// withWeb returns a platform whose shop allows web logins to its page.
func withWeb(t testing.TB) *platform {
	p := newPlatform(t)
	id, secret := "web1", appSecret
	for _, provider := range []messaging.Provider{webProviderName, "oauth-other"} {
		_, err := p.vendors.settings.PutLogin(t.Context(), shopScope, provider, messaging.VendorPatch{
			AppID: &id, Secrets: map[string]*string{messaging.AppSecret: &secret},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	a := p.clients[shop.ClientID]
	a.Settings = app.Settings{CallbackHosts: []string{"shop.example.com", "shop.example.com:8443", "localhost:3000"}}
	p.clients[shop.ClientID] = a
	return p
}

// begin returns the state of a new redirect.
func (p *platform) begin(t testing.TB, who caller, body string) string {
	t.Helper()
	got := p.send(t, who, "POST "+"/hserve/v2.0/idp/"+webProviderName+"/redirect/", body)
	to, err := url.Parse(got.text("redirect_url"))
	if got.status != http.StatusOK || err != nil || to.Query().Get("state") == "" {
		t.Fatalf("%d %s", got.status, got.body)
	}
	return to.Query().Get("state")
}

// arrive visits the callback and returns the page to which it redirects.
func (p *platform) arrive(t testing.TB, provider, state, code string) (int, *url.URL) {
	t.Helper()
	got := p.send(t, caller{}, "GET "+"/hserve/v2.0/idp/"+provider+"/callback/?"+url.Values{"state": {state}, "code": {code}}.Encode(), "")
	to, err := url.Parse(got.header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	return got.status, to
}

const beginBody = `{"callback_url":"https://shop.example.com/login?back=%2Fcart#here"}`

// authToken plays the redirect of a user and returns the auth token.
func (p *platform) authToken(t testing.TB, who caller, body, code string) string {
	t.Helper()
	status, page := p.arrive(t, webProviderName, p.begin(t, who, body), code)
	token := page.Query().Get("token")
	if status != http.StatusFound || token == "" || !strings.HasPrefix(page.String(), "https://shop.example.com/login?") {
		t.Fatalf("%d %s", status, page)
	}
	return token
}

const webAuthenticate, webSilent = "/hserve/v2.0/idp/" + webProviderName + "/authenticate/", "/hserve/v2.5/idp/" + webProviderName + "/silent-login/"

func tokenBody(token, more string) string { return fmt.Sprintf(`{"auth_token":%q%s}`, token, more) }

// TestWebLogin: a redirect ends in an auth token that logs in once, with the query and fragment of the page kept.
func TestWebLogin(t *testing.T) {
	p := withWeb(t)
	shopPage := caller{}
	_, page := p.arrive(t, webProviderName, p.begin(t, shopPage, beginBody), "ada~u1")
	if page.Query().Get("back") != "/cart" || page.Fragment != "here" {
		t.Errorf("the page is %s", page)
	}
	token := page.Query().Get("token")
	for _, table := range p.items(t, "UsersTable") {
		if strings.Contains(fmt.Sprint(table), token) {
			t.Error("the token is stored")
		}
	}

	other := caller{}.set("X-Service-Client-ID", string(bank.ClientID))
	for name, c := range map[string]struct {
		who        caller
		path, body string
	}{
		"another application": {other, webAuthenticate, tokenBody(token, "")},
		"another environment": {shopPage.set("X-Service-Env-ID", string(testEnv)), webAuthenticate, tokenBody(token, "")},
		"another provider":    {shopPage, "/hserve/v2.0/idp/oauth-other/authenticate/", tokenBody(token, "")},
		"an unknown token":    {shopPage, webAuthenticate, tokenBody(strings.Repeat("0", 64), "")},
		"no token":            {shopPage, webAuthenticate, `{}`},
		"a verifier":          {shopPage, webAuthenticate, tokenBody(token, `,"code_verifier":"x"`)},
	} {
		if got := p.send(t, c.who, "POST "+c.path, c.body); got.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	if got := p.send(t, shopPage, "POST "+webAuthenticate, tokenBody(token, `,"create_user":false`)); got.status != http.StatusNotFound {
		t.Errorf("without a user: %d %s", got.status, got.body)
	}

	made := p.send(t, shopPage, "POST "+webAuthenticate, tokenBody(token, ""))
	info, _ := made.member("user_info").(map[string]any)
	if made.status != http.StatusCreated || made.text("nickname") != "Nick ada" || made.text("unionid") != "u1" ||
		made.member("is_authorized") != true || info["openid"] != "web-ada" || made.member("openid") != nil {
		t.Fatalf("%d %s", made.status, made.body)
	}
	if got := p.send(t, shopPage, "POST "+webAuthenticate, tokenBody(token, "")); got.status != http.StatusBadRequest {
		t.Errorf("the second time: %d %s", got.status, got.body)
	}

	again := p.send(t, shopPage, "POST "+webSilent, tokenBody(p.authToken(t, shopPage, beginBody, "ada"), ""))
	if again.status != http.StatusCreated || again.id() != made.id() {
		t.Errorf("the same user: %d %s", again.status, again.body)
	}
	late := p.authToken(t, shopPage, beginBody, "ada")
	p.later(5 * time.Minute)
	if got := p.send(t, shopPage, "POST "+webAuthenticate, tokenBody(late, "")); got.status != http.StatusBadRequest {
		t.Errorf("after 5 minutes: %d %s", got.status, got.body)
	}
}

// TestWebFindsUsersOfMiniPrograms by the union id, and the reverse.
func TestWebFindsUsersOfMiniPrograms(t *testing.T) {
	p := withWeb(t)
	p.vendors.configure(t, shopScope)
	code := p.vendors.code(person{vendor: messaging.Chat, openID: "mini-ada", unionID: "u1"})
	mini := p.send(t, caller{}, "POST "+"/hserve/v2.5/idp/chat/silent-login/", fmt.Sprintf(`{"code":%q}`, code))
	web := p.send(t, caller{}, "POST "+webSilent, tokenBody(p.authToken(t, caller{}, beginBody, "ada~u1"), ""))
	if web.status != http.StatusCreated || web.id() != mini.id() || web.text("openid") != "mini-ada" {
		t.Errorf("%d %s", web.status, web.body)
	}
	first := p.send(t, caller{}, "POST "+webSilent, tokenBody(p.authToken(t, caller{}, beginBody, "bob~u2"), ""))
	code = p.vendors.code(person{vendor: messaging.Chat, openID: "mini-bob", unionID: "u2"})
	second := p.send(t, caller{}, "POST "+"/hserve/v2.5/idp/chat/silent-login/", fmt.Sprintf(`{"code":%q,"login_with_unionid":true}`, code))
	if second.id() != first.id() || second.text("openid") != "mini-bob" {
		t.Errorf("%s\n%s", first.body, second.body)
	}
}

// TestWebStates: a state is spent once, belongs to its provider, and a refusal returns to the page.
func TestWebStates(t *testing.T) {
	p := withWeb(t)
	state := p.begin(t, caller{}, beginBody)
	if len(state) > 128 || strings.Trim(state, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		t.Errorf("chat does not take the state %s", state)
	}
	forged := strings.Replace(state, "7x", "8x", 1)
	for name, c := range map[string][2]string{
		"none": {webProviderName, ""}, "unknown": {webProviderName, strings.Repeat("0", 64)}, "of another application": {webProviderName, forged},
		"no parts": {webProviderName, "xx"},
	} {
		if status, _ := p.arrive(t, c[0], c[1], "ada"); status != http.StatusBadRequest {
			t.Errorf("a state that is %s: %d", name, status)
		}
	}
	if status, _ := p.arrive(t, webProviderName, state, "ada"); status != http.StatusFound {
		t.Errorf("the first visit: %d", status)
	}
	if status, _ := p.arrive(t, webProviderName, state, "ada"); status != http.StatusBadRequest {
		t.Errorf("the second visit: %d", status)
	}
	if status, _ := p.arrive(t, "oauth-other", p.begin(t, caller{}, beginBody), "ada"); status != http.StatusBadRequest {
		t.Errorf("another provider: %d", status)
	}
	old := p.begin(t, caller{}, beginBody)
	p.later(15 * time.Minute)
	if status, _ := p.arrive(t, webProviderName, old, "ada"); status != http.StatusBadRequest {
		t.Errorf("after 15 minutes: %d", status)
	}
	for code, want := range map[string]string{"": "access_denied", "wrong": "access_denied", "down": "temporarily_unavailable"} {
		status, page := p.arrive(t, webProviderName, p.begin(t, caller{}, beginBody), code)
		if status != http.StatusFound || page.Query().Get("error") != want || page.Query().Has("token") {
			t.Errorf("code %q: %d %s", code, status, page)
		}
	}
}

// TestCallbackHosts is the table of pages to which a login may redirect (C14).
func TestCallbackHosts(t *testing.T) {
	p := withWeb(t)
	for page, want := range map[string]int{
		"https://shop.example.com": 200, "https://SHOP.example.com/x": 200, "https://shop.example.com:443/": 200,
		"https://shop.example.com:8443/": 200, "http://localhost:3000/": 200,
		"https://shop.example.com:8444/": 400, "http://shop.example.com/": 400, "https://localhost:3000.evil.com/": 400,
		"http://localhost/": 400, "https://evil.com/": 400, "https://shop.example.com.evil.com/": 400,
		"https://shop.example.com@evil.com/": 400, "https://user@shop.example.com/": 400, `https://evil.com\\@shop.example.com/`: 400,
		`https:\\\\shop.example.com/`: 400, "//shop.example.com/": 400, "https:///shop.example.com/": 400, "https:shop.example.com": 400,
		"https://shop.example.com./": 400, "https://shop.example.com:/": 400, "https://shop%2eexample.com/": 400,
		"https://ｓhop.example.com/": 400, "https://shop.example.com\\u0000/": 400, "https://shop.example\\t.com/": 400,
		" https://shop.example.com/": 400, "javascript:alert(1)//shop.example.com": 400, "https://shop.example.com/?a=%zz": 400,
		"": 400, "https://shop.example.com/" + strings.Repeat("x", 2048): 400, "data:text/html,shop.example.com": 400,
	} {
		got := p.send(t, caller{}, "POST "+"/hserve/v2.0/idp/"+webProviderName+"/redirect/", `{"callback_url":"`+page+`"}`)
		if got.status != want {
			t.Errorf("%s: %d %s", page, got.status, got.body)
		}
	}
	if got := p.send(t, caller{}, "POST "+"/hserve/v2.0/idp/oauth-none/redirect/", beginBody); got.status != 400 ||
		!strings.Contains(got.body, "not configured") {
		t.Errorf("a provider without settings: %d %s", got.status, got.body)
	}
	if got := p.send(t, caller{}, "POST "+"/hserve/v2.0/idp/chat/redirect/", beginBody); got.status != 404 {
		t.Errorf("no provider: %d %s", got.status, got.body)
	}
}

// TestWebLinks: a user links an identity only by a redirect that was begun with their session (C12).
func TestWebLinks(t *testing.T) {
	p := withWeb(t)
	_, ada := p.registered(t, "ada")
	_, eve := p.registered(t, "eve")
	const link = "/hserve/v2.0/idp/" + webProviderName + "/user-association/"
	for name, who := range map[string]caller{"nobody": caller{}, "another user": eve} {
		got := p.send(t, ada, "POST "+link, tokenBody(p.authToken(t, who, beginBody, "stranger"), ""))
		if got.status != http.StatusBadRequest || !strings.Contains(got.body, "not begun") {
			t.Errorf("a redirect of %s: %d %s", name, got.status, got.body)
		}
	}
	for range 2 {
		got := p.send(t, ada, "POST "+link, tokenBody(p.authToken(t, ada, beginBody, "ada"), ""))
		if got.status != http.StatusOK || got.text("openid") != "web-ada" {
			t.Errorf("own: %d %s", got.status, got.body)
		}
	}
	if got := p.send(t, eve, "POST "+link, tokenBody(p.authToken(t, eve, beginBody, "ada"), "")); got.status != http.StatusBadRequest {
		t.Errorf("another user's identity: %d %s", got.status, got.body)
	}
	got := p.send(t, caller{}, "POST "+"/hserve/v2.3/idp/oauth/chat-web/authenticate/", tokenBody(p.authToken(t, caller{}, beginBody, "ada"), `,"nickname":"x"`))
	if got.status != http.StatusCreated || got.text("_username") != "ada" || got.text("nickname") != "Nick ada" {
		t.Errorf("the linked user: %d %s", got.status, got.body)
	}
}

// TestWebChallenges: a token of a redirect with a challenge needs its verifier (RFC 7636).
func TestWebChallenges(t *testing.T) {
	p := withWeb(t)
	sum := sha256.Sum256([]byte("verifier"))
	body := strings.TrimSuffix(beginBody, "}") + `,"code_challenge":"` + base64.RawURLEncoding.EncodeToString(sum[:]) + `"}`
	token := p.authToken(t, caller{}, body, "ada")
	for more, want := range map[string]int{"": 400, `,"code_verifier":"another"`: 400} {
		if got := p.send(t, caller{}, "POST "+webSilent, tokenBody(token, more)); got.status != want {
			t.Errorf("%s: %d %s", more, got.status, got.body)
		}
	}
	if got := p.send(t, caller{}, "POST "+webSilent, tokenBody(token, `,"code_verifier":"verifier"`)); got.status != 201 {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// TestWebRaces: two first logins of one identity make one user (C13), and one token logs in once.
func TestWebRaces(t *testing.T) {
	p := withWeb(t)
	both := func(tokens [2]string) (made []answer) {
		var group sync.WaitGroup
		var mu sync.Mutex
		for _, token := range tokens {
			group.Go(func() {
				got := p.send(t, caller{}, "POST "+webSilent, tokenBody(token, ""))
				mu.Lock()
				defer mu.Unlock()
				made = append(made, got)
			})
		}
		group.Wait()
		return made
	}
	made := both([2]string{p.authToken(t, caller{}, beginBody, "ada~u"), p.authToken(t, caller{}, beginBody, "ada~u")})
	if made[0].status != 201 || made[1].status != 201 || made[0].id() != made[1].id() {
		t.Errorf("%s\n%s", made[0].body, made[1].body)
	}
	one := p.authToken(t, caller{}, beginBody, "ada")
	if made := both([2]string{one, one}); made[0].status+made[1].status != 201+400 {
		t.Errorf("%s\n%s", made[0].body, made[1].body)
	}
}
