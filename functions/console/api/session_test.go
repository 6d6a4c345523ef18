package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"minicloud/shared/console"
	"minicloud/shared/errs"
)

const sessionPath = "/console/api/session/"

func TestPageLoadsItsAssets(t *testing.T) {
	p := newPlatform(t)
	b := p.signIn("dev")
	if c := b.cookie; !c.HttpOnly || c.Secure || c.SameSite != http.SameSiteStrictMode || c.Path != "/console/" {
		t.Errorf("over http on loopback the cookie is %+v", c)
	}
	answer := b.want(200, "GET", sessionPath, "")
	for _, want := range []string{`"email":"dev@example.com"`, `"role":"developer"`, `"name":"shop"`, `"id":"production"`,
		`"name":"test"`, `"inbox_url":"http://inbox.example/"`, `"csrf_token":"` + b.csrf} {
		if !strings.Contains(answer.body, want) {
			t.Errorf("no %s in %s", want, answer.body)
		}
	}
	if strings.Contains(answer.body, `"bar"`) || strings.Contains(answer.body, "secret") {
		t.Errorf("another's application, or a secret: %s", answer.body)
	}

	b.want(204, "DELETE", sessionPath, "")
	b.want(401, "GET", sessionPath, "")
}

// TestCookiesAreSecureOffLoopback: also over HTTP; scripts cannot read the cookie and other sites cannot send it.
func TestCookiesAreSecureOffLoopback(t *testing.T) {
	p := newPlatform(t)
	for _, c := range []struct {
		host, proto string
		secure      bool
	}{
		{"127.0.0.1:8080", "", false}, {"localhost:8080", "http", false}, {"localhost", "", false}, {"[::1]:8080", "", false},
		{"127.0.0.1:8080", "https", true}, {"localhost", "https", true},
		{"console.example.com", "", true}, {"console.example.com", "https", true}, {"10.0.0.7:8080", "http", true},
		{"localhost.example.com", "", true}, {"127.0.0.1.example.com", "", true}, {"", "", true},
	} {
		r := httptest.NewRequest("POST", sessionPath, strings.NewReader(credentials("dev", secret)))
		r.Host = c.host
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Forwarded-Proto", c.proto)
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		cookies := w.Result().Cookies()
		if w.Code != 200 || len(cookies) != 1 || cookies[0].Secure != c.secure || !cookies[0].HttpOnly ||
			cookies[0].SameSite != http.SameSiteStrictMode || cookies[0].Path != "/console/" || cookies[0].Domain != "" ||
			cookies[0].MaxAge != int(console.SessionMost.Seconds()) {
			t.Errorf("at %q by %q: %d %+v", c.host, c.proto, w.Code, cookies)
		}
	}
}

// TestRoleChangesTakeEffectAtOnce: both for the session and for its console token; a removed account is signed out.
func TestRoleChangesTakeEffectAtOnce(t *testing.T) {
	p := newPlatform(t)
	owner, keeper := p.signIn("owner"), p.signIn("keeper")
	shop := fmt.Sprintf("/console/api/application/%d/", p.shop.ID)
	keeper.want(200, "PATCH", shop, `{"name":"theirs"}`)

	owner.want(200, "PATCH", p.path("keeper"), `{"role":"viewer"}`)
	keeper.want(403, "PATCH", shop, `{"name":"still theirs"}`)
	if role := keeper.want(200, "GET", sessionPath, "").field(t, "account").(map[string]any)["role"]; role != "viewer" {
		t.Errorf("the page is told that the role is %v", role)
	}
	owner.want(200, "PATCH", p.path("keeper"), fmt.Sprintf(`{"role":"owner","applications":[%d]}`, p.bar.ID))
	keeper.want(404, "PATCH", shop, `{"name":"still theirs"}`)
	keeper.want(404, "POST", "/console/api/token/", fmt.Sprintf(`{"application_id":%d}`, p.shop.ID))

	owner.want(204, "DELETE", p.path("keeper"), "{}")
	keeper.want(401, "GET", sessionPath, "")
	keeper.want(401, "PATCH", shop, `{"name":"still theirs"}`)
	keeper.want(401, "POST", "/console/api/token/", fmt.Sprintf(`{"application_id":%d}`, p.bar.ID))
	if a, err := p.apps.Get(t.Context(), p.shop.ID); err != nil || a.Name != "theirs" {
		t.Errorf("%s, %v", a.Name, err)
	}
}

// TestSignInReplacesPlantedCookie: signing in never reuses the cookie of the request, and ends its session.
func TestSignInReplacesPlantedCookie(t *testing.T) {
	p := newPlatform(t)
	b := p.signIn("dev")
	before := b.cookie
	b.want(200, "POST", sessionPath, credentials("dev", secret))
	if b.cookie.Value == before.Value {
		t.Error("a sign-in keeps the cookie")
	}
	(&browser{p: p, cookie: before}).want(401, "GET", sessionPath, "")

	planted := &browser{p: p, cookie: &http.Cookie{Name: before.Name, Value: "1." + strings.Repeat("0", 40)}}
	planted.want(200, "POST", sessionPath, credentials("dev", secret))
	if strings.HasSuffix(planted.cookie.Value, strings.Repeat("0", 40)) {
		t.Error("a planted cookie is signed in")
	}
	for _, value := range []string{"", "x", "1", "1.", "0." + strings.Repeat("0", 40), strings.Repeat("9", 30) + ".x"} {
		(&browser{p: p, cookie: &http.Cookie{Name: before.Name, Value: value}}).want(401, "GET", sessionPath, "")
	}
}

func TestSessionsEnd(t *testing.T) {
	p := newPlatform(t)
	idle, used := p.signIn("dev"), p.signIn("dev")
	for range 13 {
		p.move(time.Hour)
		used.want(200, "GET", sessionPath, "")
	}
	idle.want(401, "GET", sessionPath, "")
	for range 7 * 24 / 11 {
		p.move(11 * time.Hour)
		used.ask("GET", sessionPath, "")
	}
	used.want(401, "GET", sessionPath, "")
}

// TestRefusesCrossSiteRequests: although they carry the cookie of a signed-in browser.
func TestRefusesCrossSiteRequests(t *testing.T) {
	p := newPlatform(t)
	b := p.signIn("owner")
	path := "/console/api/application/"
	for name, header := range map[string]http.Header{
		"no token":        {"X-Csrf-Token": {""}},
		"a wrong token":   {"X-Csrf-Token": {strings.Repeat("0", 40)}},
		"another's token": {"X-Csrf-Token": {p.signIn("owner").csrf}},
		"another site":    {"Sec-Fetch-Site": {"cross-site"}},
		"a sibling":       {"Sec-Fetch-Site": {"same-site"}},
		"another origin":  {"Origin": {"https://evil.example"}},
		"no origin":       {"Origin": {"null"}},
	} {
		intruder := *b
		intruder.header = header
		if answer := intruder.ask("POST", path, `{"name":"taken"}`); answer.status != 403 {
			t.Errorf("%s: %d %s", name, answer.status, answer.body)
		}
		if name != "no token" && !strings.Contains(name, "token") {
			if answer := intruder.ask("POST", sessionPath, credentials("dev", secret)); answer.status != 403 {
				t.Errorf("sign in from %s: %d %s", name, answer.status, answer.body)
			}
		}
	}
	b.header = http.Header{"Origin": {"http://127.0.0.1:8080"}, "Sec-Fetch-Site": {"same-origin"}}
	b.want(201, "POST", path, `{"name":"mine"}`)
}

// TestLocksOutAfterFiveWrongPasswords: in sequence or concurrently; an unknown account gets the same response.
func TestLocksOutAfterFiveWrongPasswords(t *testing.T) {
	p := newPlatform(t)
	for _, name := range []string{"dev", "nobody"} {
		var wg sync.WaitGroup
		statuses := make(chan int, 15)
		for range cap(statuses) {
			wg.Go(func() {
				statuses <- (&browser{p: p}).ask("POST", sessionPath, credentials(name, "wrong password")).status
			})
		}
		wg.Wait()
		close(statuses)
		got := map[int]int{}
		for status := range statuses {
			got[status]++
		}
		if got[401] != console.AccountAttempts || got[429] != cap(statuses)-console.AccountAttempts {
			t.Errorf("%s: %v", name, got)
		}
		p.move(console.LockOut)
	}

	for range console.AccountAttempts {
		(&browser{p: p}).want(401, "POST", sessionPath, credentials("dev", "wrong password"))
	}
	locked := (&browser{p: p}).want(429, "POST", sessionPath, credentials("dev", secret))
	if after := locked.header.Get("Retry-After"); after == "" || strings.HasPrefix(after, "-") {
		t.Errorf("Retry-After %q", after)
	}
	p.signIn("viewer") // this account is not locked out
	p.move(console.LockOut + time.Second)
	p.signIn("dev")

	// Attempts from one address count together, whatever the account.
	for i := range console.AddressAttempts {
		(&browser{p: p}).want(401, "POST", sessionPath, credentials("x"+strings.Repeat("y", i), "wrong password"))
	}
	(&browser{p: p}).want(429, "POST", sessionPath, credentials("viewer", secret))
}

// TestCorrectPasswordsAreNotCounted: any number of correct sign-ins is allowed.
func TestCorrectPasswordsAreNotCounted(t *testing.T) {
	p := newPlatform(t)
	for range console.AddressAttempts + 5 {
		p.signIn("dev")
	}
}

func TestConsoleTokens(t *testing.T) {
	p := newPlatform(t)
	b := p.signIn("dev")
	body := func(id any) string { return strings.ReplaceAll(`{"application_id":ID}`, "ID", string(jsonOf(t, id))) }
	token := b.want(200, "POST", "/console/api/token/", body(p.shop.ID)).field(t, "token").(string)
	b.want(404, "POST", "/console/api/token/", body(p.bar.ID))
	b.want(404, "POST", "/console/api/token/", body(1))
	b.want(400, "POST", "/console/api/token/", `{"application_id":"x"}`)

	verifier := &console.Verifier{Store: p.apps.Store, Clock: p.time}
	who, a, err := verifier.VerifyToken(t.Context(), token)
	if err != nil || a.ID != p.shop.ID || who.Role != console.Developer || who.Email != "dev@example.com" {
		t.Errorf("%+v, %v", who, err)
	}
	handle, rest, _ := strings.Cut(token, ".")
	claims, signature, _ := strings.Cut(rest, ".")
	for name, wrong := range map[string]string{
		"nothing": "", "no parts": handle, "another's": string(p.bar.ClientID.Handle()) + "." + rest,
		"changed": handle + "." + claims + "x." + signature, "unsigned": handle + "." + claims + ".",
		"a run's": handle + "." + claims + "." + p.shop.Sign("run token", claims),
	} {
		if _, _, err := verifier.VerifyToken(t.Context(), wrong); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}

	p.move(console.TokenLifetime)
	if _, _, err := verifier.VerifyToken(t.Context(), token); err == nil {
		t.Error("it is accepted after its time")
	}
	fresh := b.want(200, "POST", "/console/api/token/", body(p.shop.ID)).field(t, "token").(string)
	p.must(p.apps.RevokeTokens(t.Context(), p.shop.ID))
	if _, _, err := verifier.VerifyToken(t.Context(), fresh); err == nil {
		t.Error("it is accepted after the application's tokens were revoked")
	}
}

// TestTokensEndWithTheirSession: after the sign-out, the old token can neither write nor read.
func TestTokensEndWithTheirSession(t *testing.T) {
	p := newPlatform(t)
	verifier := &console.Verifier{Store: p.apps.Store, Clock: p.time}
	tokenOf := func(b *browser) console.Administrator {
		body := fmt.Sprintf(`{"application_id":%d}`, p.shop.ID)
		token := b.want(200, "POST", "/console/api/token/", body).field(t, "token").(string)
		who, _, err := verifier.VerifyToken(t.Context(), token)
		p.must(err)
		return who
	}
	write := func(who console.Administrator) error {
		_, err := console.Note(t.Context(), p.audit.Begin, p.accounts.IDs, console.Entry{
			At: p.clock(), By: who, Application: p.shop.ID, Method: "POST", Path: "/",
		})
		return err
	}

	here, elsewhere := p.signIn("dev"), p.signIn("dev")
	gone, left := tokenOf(here), tokenOf(elsewhere)
	p.must(write(gone))
	p.must(p.audit.SignedIn(t.Context(), gone))

	here.want(204, "DELETE", sessionPath, "")
	for what, err := range map[string]error{"write": write(gone), "read": p.audit.SignedIn(t.Context(), gone)} {
		if !errs.Is(err, errs.KindUnauthenticated) {
			t.Errorf("%s after signing out: %v", what, err)
		}
	}
	p.must(write(left))
	p.must(p.audit.SignedIn(t.Context(), left))
}
