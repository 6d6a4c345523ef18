package units

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"time"
)

// webLogins returns the logins of web pages and native apps: at chat's pages for browsers and for its own app, which the
// local cloud serves, and at an issuer of OpenID Connect. What the providers ask for is not counted.
func (b *Bench) webLogins(ctx context.Context) ([]Request, error) {
	issuer := b.issuer()
	for path, body := range map[string]string{
		"/oserve/v3/login-setting/oauth-chat-web/":    `{"app_id":"web1","app_secret":"owned"}`,
		"/oserve/v3/login-setting/oauth-chat-mp/":     `{"app_id":"mp1","app_secret":"owned"}`,
		"/oserve/v3/login-setting/oauth-example-web/": fmt.Sprintf(`{"app_id":"web","app_secret":"right","base_url":%q}`, issuer),
	} {
		if _, err := b.client.Call(ctx, "PUT", path, body); err != nil {
			return nil, err
		}
	}
	var list []Request
	for _, one := range [][2]string{{"chat-web", "oauth-chat-web"}, {"chat-mp", "oauth-chat-mp"}, {"OpenID", "oauth-example-web"}} {
		name, path := one[0], "/hserve/v2.0/idp/"+one[1]+"/"
		begin := b.endUser("POST", path+"redirect/", always(webPage))
		list = append(list, Request{Name: "web login by " + name + ", redirect", send: begin}, Request{
			Name: "web login by " + name + ", from redirect to login", send: func(ctx context.Context) error {
				token, err := b.webToken(ctx, path)
				if err != nil {
					return err
				}
				return b.endUser("POST", path+"authenticate/", always(map[string]any{"auth_token": token}))(ctx)
			},
		})
	}
	return list, nil
}

var webPage = map[string]any{"callback_url": "https://shop.example.com/login"}

// webToken plays a browser whose user consents. It returns the token with which the browser comes back.
func (b *Bench) webToken(ctx context.Context, path string) (string, error) {
	var begun struct {
		URL string `json:"redirect_url"`
	}
	if err := b.anyone().Send(ctx, "POST", path+"redirect/", webPage, &begun); err != nil {
		return "", err
	}
	browser := &http.Client{CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if r.URL.Host == "shop.example.com" {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	page, err := url.Parse(begun.URL)
	if err != nil {
		return "", err
	}
	query := page.Query()
	query.Set("as", "ada")
	page.RawQuery = query.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, page.String(), nil)
	if err != nil {
		return "", err
	}
	answer, err := browser.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	back, err := answer.Location()
	if err != nil || back.Query().Get("token") == "" {
		return "", fmt.Errorf("the browser came to %v: status %d, %w", back, answer.StatusCode, err)
	}
	return back.Query().Get("token"), nil
}

// issuer starts an issuer of OpenID Connect, all of whose visitors consent, and returns its address.
func (b *Bench) issuer() string {
	server := httptest.NewUnstartedServer(nil)
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/.well-known/openid-configuration":
			_ = json.NewEncoder(w).Encode(map[string]string{
				"issuer": server.URL, "authorization_endpoint": server.URL + "/authorize", "token_endpoint": server.URL + "/token",
			})
		case "/authorize":
			back := r.FormValue("redirect_uri") + "?" + url.Values{"code": {"c"}, "state": {r.FormValue("state")}}.Encode()
			http.Redirect(w, r, back, http.StatusFound)
		default:
			claims, _ := json.Marshal(map[string]any{ // texts and numbers always encode
				"iss": server.URL, "aud": "web", "sub": "ada", "name": "Ada", "exp": time.Now().Add(time.Hour).Unix(),
			})
			_ = json.NewEncoder(w).Encode(map[string]string{"id_token": "e30." + base64.RawURLEncoding.EncodeToString(claims) + ".x"})
		}
	})
	server.Start()
	b.t.Cleanup(server.Close)
	return server.URL
}
