package vendors

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
)

// consent serves the page on which a user of a web page consents. It asks nobody: the query parameter as, which a tester
// adds, is the user, and deny=1 refuses. Without consent there is no code, as at chat.
func (a *API) consent(w http.ResponseWriter, r *http.Request) {
	a.Count("Consent")
	asked := r.URL.Query()
	to, err := url.Parse(asked.Get("redirect_uri"))
	if err != nil || to.Host == "" || asked.Get("appid") == "" || asked.Get("response_type") != "code" {
		http.Error(w, "redirect_uri, appid and response_type=code are required", http.StatusBadRequest)
		return
	}
	as := cmp.Or(asked.Get("as"), "somebody")
	query := to.Query()
	query.Set("state", asked.Get("state"))
	if asked.Get("deny") == "" {
		query.Set("code", webCode+as)
	}
	to.RawQuery = query.Encode()
	http.Redirect(w, r, to.String(), http.StatusFound)
}

const (
	webCode  = "web-"
	webToken = "web token of "
)

// tellWeb serves the access token of a user of a web page.
func (a *API) tellWeb(w http.ResponseWriter, asked url.Values) {
	a.Count("Login")
	openID, unionID, refusal := identityOf(asked.Get("code"))
	switch secret := asked.Get("secret"); {
	case secret == "" || strings.HasPrefix(secret, "wrong"):
		code(w, badSecret, "invalid appsecret")
	case asked.Get("appid") == "":
		code(w, badApp, "invalid appid")
	case refusal != "" || !strings.HasPrefix(asked.Get("code"), webCode):
		code(w, badCode, "invalid code")
	default:
		write(w, map[string]any{
			"access_token": webToken + openID, "expires_in": 7200, "openid": openID, "unionid": unionID, "scope": "snsapi_login",
		})
	}
}

// tellProfile serves the profile of a user of a web page.
func (a *API) tellProfile(w http.ResponseWriter, asked url.Values) {
	openID, known := strings.CutPrefix(asked.Get("access_token"), webToken)
	if !known || openID != asked.Get("openid") {
		code(w, badToken, "invalid access_token")
		return
	}
	write(w, map[string]any{
		"openid": openID, "nickname": strings.TrimPrefix(openID, "stub-"), "sex": 2, "province": "Zhejiang", "city": "Hangzhou",
		"country": "CN", "headimgurl": "https://vendor.example/" + openID + ".png",
	})
}
