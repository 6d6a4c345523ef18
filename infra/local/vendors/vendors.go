// Package vendors plays the platforms of mini programs that template messages go to: chat, alt and tpay. What they are
// sent goes into the outbox. It is a stand-in with which one can see what happens: it knows no users and no templates.
//
//	a secret that begins with "wrong"       is refused
//	a template id that begins with "wrong"  there is no such template
//	a form id that begins with "used"       has been used
//
// Access tokens are known until the local cloud ends: then programs find theirs rejected, and ask for another one.
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

// Prefix is the path of the vendors; each has its name below it.
const Prefix = "/_vendors/"

// Environment returns the variables that point programs to the vendors.
func Environment(base string) map[string]string {
	return map[string]string{
		"CHAT_API": base + Prefix + "chat", "ALT_API": base + Prefix + "alt", "TPAY_API": base + Prefix + "tpay",
	}
}

// API serves the vendors.
type API struct {
	Box   *outbox.Box
	Clock clock.Clock
	Count func(operation string) // called for every message and token; not nil

	mu     sync.Mutex
	tokens map[string]bool // that were given
}

// Serves reports whether a request is for a vendor.
func Serves(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, Prefix) }

// The answers of chat and tpay.
const (
	busy        = -1
	badToken    = 40014
	badSecret   = 40125
	badTemplate = 40037
	usedForm    = 41029
	badPerson   = 40003
)

// ServeHTTP serves one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, "the body did not arrive", http.StatusBadRequest)
		return
	}
	switch strings.TrimPrefix(r.URL.Path, Prefix) {
	case "chat/cgi-bin/stable_token":
		var asked struct{ Secret string }
		_ = json.Unmarshal(body, &asked) // no secret is a wrong one
		a.giveToken(w, asked.Secret)
	case "tpay/api/getToken":
		a.giveToken(w, r.URL.Query().Get("secret"))
	case "chat/cgi-bin/message/wxopen/template/send", "chat/cgi-bin/message/subscribe/send":
		a.take(w, "chat", r.URL.Query().Get("access_token"), body)
	case "tpay/api/json/template/send", "tpay/api/json/subscribe/SendSubscriptionMessage":
		a.take(w, "tpay", r.URL.Query().Get("access_token"), body)
	case "alt/gateway.do":
		a.takeForm(w, body)
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

// take takes a message of chat or tpay.
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
	// The prefixes "wrong" and "used" let a test ask for the vendor's refusal.
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

// takeForm takes a message of alt. Its signature is not verified, and the answer has none: a setting that has a
// public_key does not believe it.
func (a *API) takeForm(w io.Writer, body []byte) {
	a.Count("Message")
	// A form that is broken lacks sign or app_id, which is refused below.
	form, _ := url.ParseQuery(string(body))
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

// keep puts a message into the outbox.
func (a *API) keep(vendor string, message json.RawMessage) error {
	sent, err := json.Marshal(map[string]any{"vendor": vendor, "message": message})
	if err != nil {
		return err
	}
	return a.Box.Add(outbox.Message{At: a.Clock().UTC(), Kind: "template_message", Sent: sent})
}
