package scenario_test

import (
	"net/http"
	"net/url"
	"testing"

	"minicloud/shared/httpapi"
)

// webToken plays the redirect of a web login: the page of the local provider consents for a user. It returns the auth
// token with which the browser returns to the page.
func webToken(t *testing.T, who caller, as string) string {
	t.Helper()
	begun := who.ask(t, "POST", "/hserve/v2.0/idp/oauth-chat-web/redirect/", `{"callback_url":"https://shop.example.com/login"}`)
	at := find(t, begun, "redirect_url")
	page, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	query := page.Query()
	query.Set("as", as)
	page.RawQuery = query.Encode()

	browser := &http.Client{CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if r.URL.Host == "shop.example.com" {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := browser.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := described(t).CheckAnswer(answer, nil, nil); err != nil {
		t.Error(err)
	}
	back, err := answer.Location()
	if err != nil || back.Query().Get("token") == "" {
		t.Fatalf("the browser came to %s: %d, %v", back, answer.StatusCode, err)
	}
	return back.Query().Get("token")
}

// webLogin plays a login of a web page: redirect, page of the provider, callback, login.
func webLogin(t *testing.T, c stage) {
	owner := c.owner(t).lettingClientsUpdate(t)
	find(t, owner.ask(t, "PUT", "/oserve/v3/login-setting/oauth-chat-web/", `{"app_id":"web1","app_secret":"owned"}`), "provider")
	page := owner.as(httpapi.Client).without("Authorization")
	token := webToken(t, page, "ada~u")
	for i, want := range []int{http.StatusCreated, http.StatusBadRequest} {
		made := page.ask(t, "POST", "/hserve/v2.0/idp/oauth-chat-web/authenticate/", `{"auth_token":"`+token+`"}`)
		if made.status != want || i == 0 && find(t, made, "nickname") != "web-ada~u" {
			t.Errorf("login %d: %d %s", i, made.status, made.body)
		}
	}

	// The other path names the provider without its prefix.
	again := page.ask(t, "POST", "/hserve/v2.3/idp/oauth/chat-web/authenticate/", `{"auth_token":"`+webToken(t, page, "ada~u")+`"}`)
	if again.status != http.StatusCreated || find(t, again, "nickname") != "web-ada~u" {
		t.Errorf("by the other path: %d %s", again.status, again.body)
	}
}
