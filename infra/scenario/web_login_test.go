package scenario_test

import (
	"net/http"
	"net/url"
	"testing"
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
	back, err := answer.Location()
	if err != nil || back.Query().Get("token") == "" {
		t.Fatalf("the browser came to %s: %d, %v", back, answer.StatusCode, err)
	}
	return back.Query().Get("token")
}
