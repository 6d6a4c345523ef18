// Package vendors is a fake of the mini-program platforms: chat, alt and tpay. It stores the template messages that it
// receives in the outbox, checks texts and images, and exchanges codes for identities (C11):
//
//	code x            openid stub-x, session key SessionKey(x)
//	code x~u          openid stub-x~u, union id stub-union-u
//	web page          consents for the user of the query parameter as, with the code web-<as>; deny=1 refuses
//	phone code 1380…  the phone number with these digits
//
// It has no users or templates; tests cause refusals by these prefixes:
//
//	a secret that begins with "wrong"       is refused
//	a template ID that begins with "wrong"  no such template
//	a form ID that begins with "used"       already used
//	a code that begins with "wrong", "used" invalid, already used
//	a text or a file name with "risky"      breaks the rules
//	a text or a file name that begins with "busy"  the vendor is busy
//
// Access tokens are valid until the local cloud ends; after a restart, programs find theirs rejected and request
// another.
package vendors

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"minicloud/infra/local/outbox"
	"minicloud/shared/clock"
)

// Prefix is the path prefix of the vendors; the vendor's name follows.
const Prefix = "/_vendors/"

// Environment returns the variables that make programs use the fake vendors.
func Environment(base string) map[string]string {
	return map[string]string{
		"CHAT_API": base + Prefix + "chat", "CHAT_PAGES": base + Prefix + "chat",
		"ALT_API": base + Prefix + "alt", "TPAY_API": base + Prefix + "tpay",
		"CHAT_PAY_API": base + Prefix + "pay/chat", "ALT_PAY_API": base + Prefix + "pay/alt", "TPAY_PAY_API": base + Prefix + "pay/tpay",
	}
}

// API serves the fake vendors.
type API struct {
	Box   *outbox.Box
	Clock clock.Clock
	Count func(operation string) // called for every message, token and login; not nil

	mu     sync.Mutex
	tokens map[string]bool // issued access tokens
}

// Serves reports whether a request is for a vendor.
func Serves(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, Prefix) }

// Error codes of chat and tpay.
const (
	busy        = -1
	badToken    = 40014
	badSecret   = 40125
	badTemplate = 40037
	usedForm    = 41029
	badPerson   = 40003
	badApp      = 40013
	badCode     = 40029
	usedCode    = 40163
	badSize     = 40006
	noMedia     = 41005
	badData     = 47001
)

// Methods of alt for logins.
const (
	altLogin   = "alipay.system.oauth.token"
	altProfile = "alipay.user.info.share"
)

// ServeHTTP serves one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 2<<20))
	if err != nil {
		http.Error(w, "the body did not arrive", http.StatusBadRequest)
		return
	}
	switch strings.TrimPrefix(r.URL.Path, Prefix) {
	case "chat/cgi-bin/stable_token":
		var asked struct{ Secret string }
		_ = json.Unmarshal(body, &asked) // a missing secret is a wrong one
		a.giveToken(w, asked.Secret)
	case "tpay/api/getToken":
		a.giveToken(w, r.URL.Query().Get("secret"))
	case "chat/cgi-bin/message/wxopen/template/send", "chat/cgi-bin/message/subscribe/send":
		a.take(w, "chat", r.URL.Query().Get("access_token"), body)
	case "tpay/api/json/template/send", "tpay/api/json/subscribe/SendSubscriptionMessage":
		a.take(w, "tpay", r.URL.Query().Get("access_token"), body)
	case "chat/connect/qrconnect", "chat/connect/oauth2/authorize":
		a.consent(w, r)
	case "chat/sns/oauth2/access_token":
		a.tellWeb(w, r.URL.Query())
	case "chat/sns/userinfo":
		a.tellProfile(w, r.URL.Query())
	case "chat/sns/jscode2session", "tpay/sns/jscode2session":
		a.exchange(w, r.URL.Query())
	case "chat/wxa/business/getuserphonenumber":
		a.tellPhone(w, r.URL.Query().Get("access_token"), body)
	case "chat/wxa/msg_sec_check", "tpay/api/json/security/MsgSecCheck":
		a.checkText(w, r.URL.Query().Get("access_token"), body)
	case "chat/wxa/img_sec_check", "tpay/api/json/security/ImgSecCheck":
		a.checkImage(w, r.URL.Query().Get("access_token"), r.Header.Get("Content-Type"), body)
	case "alt/gateway.do":
		// A malformed form lacks sign or app_id, which is refused below.
		form, _ := url.ParseQuery(string(body))
		if method := form.Get("method"); method == altLogin || method == altProfile {
			a.tellAlt(w, form)
			return
		} else if method == altCheck {
			a.checkForm(w, form)
			return
		}
		a.takeForm(w, form)
	default:
		http.Error(w, "the local vendors do not serve "+r.URL.Path, http.StatusNotFound)
	}
}

func write(w io.Writer, v any) { _ = json.NewEncoder(w).Encode(v) }

func code(w io.Writer, code int, message string) {
	write(w, map[string]any{"errcode": code, "errmsg": message})
}

func (a *API) giveToken(w io.Writer, secret string) {
	a.Count("Token")
	if secret == "" || strings.HasPrefix(secret, "wrong") {
		code(w, badSecret, "invalid appsecret")
		return
	}
	token := rand.Text()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.tokens == nil {
		a.tokens = map[string]bool{}
	}
	a.tokens[token] = true
	write(w, map[string]any{"access_token": token, "expires_in": 7200})
}

func (a *API) knows(token string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.tokens[token]
}

// take accepts a message of chat or tpay.
func (a *API) take(w io.Writer, vendor, token string, body []byte) {
	a.Count("Message")
	var message struct {
		ToUser     string `json:"touser"`
		TemplateID string `json:"template_id"`
		FormID     string `json:"form_id"`
	}
	switch {
	case !a.knows(token):
		code(w, badToken, "invalid access_token")
	case json.Unmarshal(body, &message) != nil || message.ToUser == "":
		code(w, badPerson, "invalid openid")
	// The prefixes "wrong" and "used" make the vendor refuse.
	case strings.HasPrefix(message.TemplateID, "wrong"):
		code(w, badTemplate, "invalid template_id")
	case strings.HasPrefix(message.FormID, "used"):
		code(w, usedForm, "form id used count reach limit")
	case a.keep(vendor, body) != nil:
		code(w, busy, "system error")
	default:
		code(w, 0, "ok")
	}
}

// takeForm accepts a message of alt. It does not verify the signature and does not sign its response: a setting with a
// public_key rejects the response.
func (a *API) takeForm(w io.Writer, form url.Values) {
	a.Count("Message")
	answer := func(code, message, sub string) {
		write(w, map[string]any{"alipay_open_app_mini_templatemessage_send_response": map[string]string{
			"code": code, "msg": message, "sub_code": sub, "sub_msg": sub,
		}})
	}
	content := []byte(form.Get("biz_content"))
	var message struct {
		FormID     string `json:"form_id"`
		TemplateID string `json:"user_template_id"`
	}
	switch {
	case form.Get("sign") == "" || form.Get("app_id") == "" || json.Unmarshal(content, &message) != nil:
		answer("40002", "Invalid Arguments", "isv.invalid-signature")
	case strings.HasPrefix(message.TemplateID, "wrong"):
		answer("40004", "Business Failed", "USER_TEMPLATE_ILLEGAL")
	case strings.HasPrefix(message.FormID, "used"):
		answer("40004", "Business Failed", "FORM_ID_OVER_TIME")
	case a.keep("alt", content) != nil:
		answer("40005", "Limited", "")
	default:
		answer("10000", "Success", "")
	}
}

// keep stores a message in the outbox.
func (a *API) keep(vendor string, message json.RawMessage) error {
	sent, err := json.Marshal(map[string]any{"vendor": vendor, "message": message})
	if err != nil {
		return err
	}
	return a.Box.Add(outbox.Message{At: a.Clock().UTC(), Kind: "template_message", Sent: sent})
}
