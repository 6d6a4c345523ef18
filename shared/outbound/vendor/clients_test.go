package vendor_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/outbound/alt"
	"minicloud/shared/outbound/chat"
	"minicloud/shared/outbound/tpay"
	"minicloud/shared/outbound/vendor"
	"minicloud/shared/secret/rsakey"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// Key pairs in PEM: ours and the vendor's.
var ours, ourPublic = newKey()
var theirs, theirPublic = newKey()

func newKey() (private, public string) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	text := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	return text("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key)),
		text("RSA PUBLIC KEY", x509.MarshalPKCS1PublicKey(&key.PublicKey))
}

const token = "token-&-secret"

// client is the client of one vendor, and a successful response.
type client struct {
	name   string
	new    func(base string) templatemessage.Gateway
	secret string
	yes    string
}

var clients = []client{
	{"chat", func(base string) templatemessage.Gateway { return chat.New(base, false) }, "app-secret", `{"errcode":0,"errmsg":"ok"}`},
	{"tpay", func(base string) templatemessage.Gateway { return tpay.New(base, false) }, "app-secret", `{"errcode":0,"errmsg":"ok"}`},
	{"alt", func(base string) templatemessage.Gateway { return alt.New(base, false, clock.Fixed(noon)) }, ours, signed(`{"code":"10000","msg":"Success"}`)},
}

func (c client) identity() templatemessage.Identity {
	who := templatemessage.Identity{AppID: "app1", Secret: c.secret}
	if c.name == "alt" {
		who.PublicKey = theirPublic
	}
	return who
}

func (c client) send(ctx context.Context, base string) error {
	return c.new(base).Send(ctx, c.identity(), token, templatemessage.Message{
		To: "person1", TemplateID: "t1", FormID: "f1", Page: "pages/a?b=1",
		Keywords: map[string]string{"keyword1": "茶 & \"tea\""},
	})
}

// signed returns a signed response of alt.
func signed(response string) string {
	key, err := rsakey.Private(theirs)
	if err != nil {
		panic(err)
	}
	sign, err := rsakey.Sign(key, response)
	if err != nil {
		panic(err)
	}
	return `{"alipay_open_app_mini_templatemessage_send_response":` + response + `,"sign":"` + sign + `"}`
}

// got is a request as the server received it.
type got struct {
	method, path string
	query        url.Values
	body         map[string]any
	form         url.Values
}

// listen starts a fake vendor with a fixed response, and records the last request.
func listen(t *testing.T, answer string) (base string, last *got) {
	t.Helper()
	last = new(got)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*last = got{method: r.Method, path: r.URL.Path, query: r.URL.Query()}
		if json.Unmarshal(body, &last.body) != nil {
			last.form, _ = url.ParseQuery(string(body))
		}
		io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	return server.URL, last
}

// TestSendsMessagesInVendorFormat checks the path, the token and each member of the body.
func TestSendsMessagesInVendorFormat(t *testing.T) {
	text := map[string]any{"keyword1": map[string]any{"value": "茶 & \"tea\""}}
	body := map[string]any{"touser": "person1", "template_id": "t1", "page": "pages/a?b=1", "form_id": "f1", "data": text}
	paths := map[string]string{"chat": "/cgi-bin/message/wxopen/template/send", "tpay": "/api/json/template/send"}
	for _, c := range clients[:2] {
		base, last := listen(t, c.yes)
		if err := c.send(t.Context(), base); err != nil {
			t.Fatal(c.name, err)
		}
		want := maps.Clone(body)
		if c.name == "tpay" {
			want["appid"] = "app1"
		}
		if diff := cmp.Diff(want, last.body); diff != "" || last.path != paths[c.name] ||
			last.query.Get("access_token") != token || last.method != "POST" {
			t.Errorf("%s: %s %s %v\n%s", c.name, last.method, last.path, last.query, diff)
		}
	}

	base, last := listen(t, clients[2].yes)
	if err := clients[2].send(t.Context(), base); err != nil {
		t.Fatal(err)
	}
	var content map[string]string
	if err := json.Unmarshal([]byte(last.form.Get("biz_content")), &content); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"to_user_id": "person1", "form_id": "f1", "user_template_id": "t1", "page": "pages/a?b=1",
		"data": `{"keyword1":{"value":"茶 \u0026 \"tea\""}}`,
	}
	if diff := cmp.Diff(want, content); diff != "" || last.path != "/gateway.do" || last.form.Get("app_id") != "app1" ||
		last.form.Get("timestamp") != "2026-11-22 20:00:00" || last.form.Get("sign_type") != "RSA2" {
		t.Errorf("alt: %s %v\n%s", last.path, last.form, diff)
	}

	var parts []string
	for _, name := range slices.Sorted(maps.Keys(last.form)) {
		if name != "sign" {
			parts = append(parts, name+"="+last.form.Get(name))
		}
	}

	key, err := rsakey.Public(ourPublic, noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := rsakey.Verify(key, strings.Join(parts, "&"), last.form.Get("sign")); err != nil {
		t.Errorf("the signature: %v", err)
	}
}

// TestSendsSubscribedMessages checks the separate path of messages without a form id. alt has no subscribed messages.
func TestSendsSubscribedMessages(t *testing.T) {
	paths := []string{"/cgi-bin/message/subscribe/send", "/api/json/subscribe/SendSubscriptionMessage"}
	for i, c := range clients {
		base, last := listen(t, c.yes)
		err := c.new(base).Send(t.Context(), c.identity(), token, templatemessage.Message{To: "person1", TemplateID: "t1"})
		if c.name == "alt" {
			if !errs.Is(err, errs.KindInvalid) || last.path != "" {
				t.Errorf("alt: %v, asked %s", err, last.path)
			}
			continue
		}
		_, hasForm := last.body["form_id"]
		_, hasPage := last.body["page"]
		if err != nil || last.path != paths[i] || hasForm || hasPage || last.body["touser"] != "person1" {
			t.Errorf("%s: %v, %s %v", c.name, err, last.path, last.body)
		}
	}
}

// TestMapsRefusalCodes checks each documented code of the vendors, and an unknown one.
func TestMapsRefusalCodes(t *testing.T) {
	const later, badToken, badForm = templatemessage.Later, templatemessage.BadToken, templatemessage.BadForm
	const badUser, never = templatemessage.BadUser, templatemessage.Never
	platform := func(code int) string {
		return fmt.Sprintf(`{"errcode":%d,"errmsg":"no: %s app-secret\nrid"}`, code, token)
	}
	business := func(code, sub string) string {
		return signed(fmt.Sprintf(`{"code":%q,"msg":"no","sub_code":%q,"sub_msg":"because"}`, code, sub))
	}
	for i, all := range []map[string]templatemessage.Verdict{
		{
			platform(-1): later, platform(45009): later, platform(45011): later, platform(40001): badToken,
			platform(40014): badToken, platform(42001): badToken, platform(41028): badForm, platform(41029): badForm,
			platform(40003): badUser, platform(43101): badUser, platform(40037): never, platform(41030): never,
			platform(47003): never, platform(40013): never, platform(48001): never, platform(99999): badUser,
		}, {
			platform(40036): later, platform(45009): later, platform(46002): later, platform(40014): badToken,
			platform(41028): badForm, platform(41029): badForm, platform(46001): badUser, platform(46003): badUser,
			platform(40035): never, platform(40037): never, platform(41030): never, platform(47001): never,
			platform(99999): badUser,
		}, {
			business("40005", ""): later, business("40004", "FORM_ID_OVER_TIME"): badForm,
			business("40004", "FORM_ID_NOT_MATCH_APPID"): badForm, business("40004", "TRADE_NO_NOT_MATCH_USERID"): badForm,
			business("40004", "USER_TEMPLATE_ILLEGAL"): never, business("40004", "USER_TEMPLATE_LACK_KEYWORD"): never,
			business("40004", "USER_KEYWORD_LENGTH_ERROR"): never, business("40004", "USER_NOT_EXIST"): badUser,
			business("40002", "isv.invalid-app-id"): never, business("40006", "isv.insufficient-isv-permissions"): never,
			`{"error_response":{"code":"40002","msg":"Invalid Arguments","sub_code":"isv.invalid-signature"}}`: never,
		},
	} {
		c := clients[i]
		for answer, want := range all {
			base, _ := listen(t, answer)
			err := c.send(t.Context(), base)
			refusal, ok := errors.AsType[*templatemessage.Refusal](err)
			if !ok || refusal.Verdict != want || errs.Is(err, errs.KindInternal) {
				t.Errorf("%s %s: %v, want verdict %d", c.name, answer, err, want)
			}
			if err != nil && (strings.Contains(err.Error(), token) || strings.Contains(err.Error(), "app-secret") ||
				strings.Contains(err.Error(), "\n")) {
				t.Errorf("%s tells %q", c.name, err)
			}
		}
	}
}

// fault is a fault of a vendor, and whether it proves that nothing was sent.
type fault struct {
	unsent bool
	serve  http.HandlerFunc
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://127.0.0.1:1/")
		w.WriteHeader(code)
		io.WriteString(w, `{"errcode":0,"code":"10000"}`)
	}
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }
}

var faults = map[string]fault{
	"500": {false, status(500)}, "502": {false, status(502)}, "503": {false, status(503)}, "302": {false, status(302)},
	"204": {false, status(204)},
	"400": {true, status(400)}, "403": {true, status(403)}, "404": {true, status(404)}, "429": {true, status(429)},
	"no JSON": {false, says("<html>busy</html>")}, "nothing": {false, says("")}, "half of it": {false, says(`{"errcode":`)},
	"another object": {false, says(`{"ok":true}`)}, "a list": {false, says(`[]`)},
	"a text for a code": {false, says(`{"errcode":"0","alipay_open_app_mini_templatemessage_send_response":"10000"}`)},
	"too much":          {false, says(`{"errcode":0,"errmsg":"` + strings.Repeat("x", 100<<10) + `"}`)},
	"alt does not know": {false, says(signed(`{"code":"20000","msg":"Service Currently Unavailable","sub_code":"isp.unknow-error"}`))},
	"somebody else's yes": {false, says(
		`{"alipay_open_app_mini_templatemessage_send_response":{"code":"10000","msg":"Success"},"sign":"AAAA"}`,
	)},
	"an unsigned yes": {false, says(`{"alipay_open_app_mini_templatemessage_send_response":{"code":"10000"}}`)},
	"broken off": {false, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, `{"errcode":0`)
	}},
	"reset": {false, func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			connection.(*net.TCPConn).SetLinger(0)
			connection.Close()
		}
	}},
}

// TestVendorFaults checks which faults prove that nothing was sent, and that no error contains a secret.
func TestVendorFaults(t *testing.T) {
	check := func(what string, err error, unsent bool) {
		t.Helper()
		if err == nil || errs.Is(err, errs.KindInternal) == unsent {
			t.Errorf("%s: %v, want unsent %t", what, err, unsent)
		}
		for _, secret := range []string{token, url.QueryEscape(token), "app-secret", "PRIVATE KEY"} {
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("%s tells %v", what, err)
			}
		}
	}
	for _, c := range clients {
		for name, f := range faults {
			server := httptest.NewServer(f.serve)
			check(c.name+" "+name, c.send(t.Context(), server.URL), f.unsent)
			server.Close()
		}

		check(c.name+" refused", c.send(t.Context(), "http://127.0.0.1:1"), true)
		check(c.name+" no address", c.send(t.Context(), "::"), true)
		check(c.name+" a private address with TLS", c.send(t.Context(), "https://127.0.0.1:8443"), true)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		check(c.name+" no time", c.send(ended, "http://127.0.0.1:1"), true)

		// Cancel when the request has arrived, so that it was certainly sent.
		waiting, giveUp := context.WithCancel(t.Context())
		held := make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			giveUp()
			<-held
		}))
		check(c.name+" no answer", c.send(waiting, server.URL), false)
		close(held)
		server.Close()
	}
}

// TestRequestsAccessTokens checks the request, and which refusals are permanent and which are retryable.
func TestRequestsAccessTokens(t *testing.T) {
	givers := map[string]func(base string) templatemessage.TokenGiver{
		"chat": func(base string) templatemessage.TokenGiver { return chat.New(base, false) },
		"tpay": func(base string) templatemessage.TokenGiver { return tpay.New(base, false) },
	}
	who := templatemessage.Identity{AppID: "app1", Secret: "app-secret"}
	for name, giver := range givers {
		base, last := listen(t, `{"access_token":"T","expires_in":7200}`)
		got, lifetime, err := giver(base).Token(t.Context(), who, true)
		if err != nil || got != "T" || lifetime != 2*time.Hour {
			t.Errorf("%s: %q %v %v", name, got, lifetime, err)
		}
		asked := fmt.Sprint(last.method, " ", last.path, " ", last.query.Get("secret"), " ", last.body["secret"], " ", last.body["force_refresh"])
		want := "POST /cgi-bin/stable_token  app-secret true"
		if name == "tpay" {
			want = "GET /api/getToken app-secret <nil> <nil>"
		}
		if asked != want {
			t.Errorf("%s asks %s, want %s", name, asked, want)
		}

		for answer, kind := range map[string]errs.Kind{
			`{"errcode":40125,"errmsg":"invalid appsecret app-secret"}`: errs.KindInvalid,
			`{"errcode":40013,"errmsg":"invalid appid"}`:                errs.KindInvalid,
			`{"errcode":-1,"errmsg":"busy"}`:                            errs.KindUnavailable,
			`{"errcode":45009,"errmsg":"too often"}`:                    errs.KindUnavailable,
			`busy`:                                                      errs.KindUnavailable,
		} {
			base, _ := listen(t, answer)
			_, _, err := giver(base).Token(t.Context(), who, false)
			if !errs.Is(err, kind) || strings.Contains(err.Error(), "app-secret") {
				t.Errorf("%s %s: %v", name, answer, err)
			}
		}
	}
}

func TestVendorWordsAreShortAndMasked(t *testing.T) {
	if got := vendor.Words("a\r\nb s3cret \xff", "s3cret", ""); got != "a  b *** " {
		t.Errorf("%q", got)
	}
	if got := []rune(vendor.Words(strings.Repeat("茶", 300))); len(got) != 200 {
		t.Errorf("%d letters", len(got))
	}
}
