package vendor_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/message/censor"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/outbound/alt"
	"minicloud/shared/outbound/chat"
	"minicloud/shared/outbound/tpay"
)

// TestChecksTexts compares the requests with the vendors' documents, and reads their documented answers.
func TestChecksTexts(t *testing.T) {
	const method = "alipay_security_risk_content_detect"
	newChat := func(base string) censor.TextCheck { return chat.New(base, false) }
	newTpay := func(base string) censor.TextCheck { return tpay.New(base, false) }
	newAlt := func(base string) censor.TextCheck { return alt.New(base, false, clock.Fixed(noon)) }
	for name, tt := range map[string]struct {
		new    func(base string) censor.TextCheck
		openID string
		answer string
		path   string
		body   map[string]any
		risky  bool
		failed func(error) bool
	}{
		"chat, of nobody": {
			new: newChat, answer: `{"errcode":0,"errmsg":"ok"}`, path: "/wxa/msg_sec_check", body: map[string]any{"content": "a & b"},
		},
		"chat, of nobody, risky": {new: newChat, answer: `{"errcode":87014,"errmsg":"risky content"}`, risky: true},
		"chat, of a user": {
			new: newChat, openID: "o1", path: "/wxa/msg_sec_check",
			answer: `{"errcode":0,"errmsg":"ok","result":{"suggest":"pass","label":100},"trace_id":"t"}`,
			body:   map[string]any{"content": "a & b", "version": 2.0, "scene": 2.0, "openid": "o1"},
		},
		"chat, of a user, risky":  {new: newChat, openID: "o1", answer: `{"errcode":0,"result":{"suggest":"risky","label":20002}}`, risky: true},
		"chat, of a user, review": {new: newChat, openID: "o1", answer: `{"errcode":0,"result":{"suggest":"review","label":20002}}`},
		"chat, another token":     {new: newChat, answer: `{"errcode":40001}`, failed: refusal(templatemessage.BadToken)},
		"chat, busy":              {new: newChat, answer: `{"errcode":-1}`, failed: refusal(templatemessage.Later)},
		"chat, no JSON":           {new: newChat, answer: `<html>`, failed: unknown},
		"chat, no code":           {new: newChat, answer: `{}`, failed: unknown},
		"tpay": {
			new: newTpay, openID: "o1", answer: `{"errCode":0,"errMsg":"ok"}`, path: "/api/json/security/MsgSecCheck",
			body: map[string]any{"content": "a & b", "appid": "app1"},
		},
		"tpay, risky":  {new: newTpay, answer: `{"errCode":87014,"errMsg":"risky content"}`, risky: true},
		"alt":          {new: newAlt, answer: signedAs(method, `{"code":"10000","msg":"Success","action":"PASSED"}`), path: "/gateway.do"},
		"alt, risky":   {new: newAlt, answer: signedAs(method, `{"code":"10000","msg":"Success","action":"REJECTED"}`), risky: true},
		"alt, neither": {new: newAlt, answer: signedAs(method, `{"code":"10000","msg":"Success"}`), failed: unknown},
		"alt, busy":    {new: newAlt, answer: signedAs(method, `{"code":"40005","sub_code":"x"}`), failed: refusal(templatemessage.Later)},
	} {
		t.Run(name, func(t *testing.T) {
			base, last := listen(t, tt.answer)
			who := client{name: name[:3], secret: "app-secret"}.identity()
			if name[:3] == "alt" {
				who.Secret = ours
			}
			risky, err := tt.new(base).CheckText(t.Context(), who, token, censor.Text{Content: "a & b", OpenID: tt.openID})
			if risky != tt.risky || (err != nil) != (tt.failed != nil) || err != nil && !tt.failed(err) {
				t.Errorf("risky %v, %v", risky, err)
			}
			if tt.path != "" && (last.path != tt.path || tt.body != nil && !cmp.Equal(last.body, tt.body)) {
				t.Errorf("asked %s %v", last.path, last.body)
			}
			if tt.path == "/gateway.do" && last.form.Get("biz_content") != `{"content":"a \u0026 b"}` {
				t.Errorf("asked %v", last.form)
			}
		})
	}
}

func refusal(v templatemessage.Verdict) func(error) bool {
	return func(err error) bool {
		r, ok := errors.AsType[*templatemessage.Refusal](err)
		return ok && r.Verdict == v
	}
}

func unknown(err error) bool { return errs.Is(err, errs.KindInternal) }

// TestChecksTextOfAbsentUser: a user who was not in the mini-program has their text checked alone.
func TestChecksTextOfAbsentUser(t *testing.T) {
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if calls++; calls == 1 {
			io.WriteString(w, `{"errcode":61010,"errmsg":"code is expired"}`)
			return
		}
		io.WriteString(w, `{"errcode":87014}`)
	}))
	defer server.Close()
	who := client{name: "chat", secret: "s"}.identity()
	risky, err := chat.New(server.URL, false).CheckText(t.Context(), who, token, censor.Text{Content: "x", OpenID: "o"})
	if !risky || err != nil || calls != 2 {
		t.Errorf("risky %v, %v after %d calls", risky, err, calls)
	}
}

// TestChecksImages: the image is the field media of a form.
func TestChecksImages(t *testing.T) {
	for name, tt := range map[string]struct {
		new   func(base string) censor.ImageCheck
		path  string
		appID string
	}{
		"chat": {func(base string) censor.ImageCheck { return chat.New(base, false) }, "/wxa/img_sec_check", ""},
		"tpay": {func(base string) censor.ImageCheck { return tpay.New(base, false) }, "/api/json/security/ImgSecCheck", "app1"},
	} {
		answer := `{"errcode":0}`
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			file, header, err := r.FormFile("media")
			if err != nil {
				t.Error(name, err)
				return
			}
			content, _ := io.ReadAll(file)
			if string(content) != "image" || header.Filename != "a.png" || header.Header.Get("Content-Type") != "image/png" ||
				r.URL.Path != tt.path || r.URL.Query().Get("access_token") != token || r.FormValue("appid") != tt.appID {
				t.Errorf("%s is asked %s %v %q", name, r.URL, header, content)
			}
			io.WriteString(w, answer)
		}))
		defer server.Close()

		check := func(ctx context.Context) (bool, error) {
			who := client{name: name, secret: "app-secret"}.identity()
			return tt.new(server.URL).CheckImage(ctx, who, token, censor.Image{Name: "a.png", MIMEType: "image/png", Content: []byte("image")})
		}
		if risky, err := check(t.Context()); risky || err != nil {
			t.Errorf("%s: risky %v, %v", name, risky, err)
		}
		answer = `{"errcode":87014,"errmsg":"risky content"}`
		if risky, err := check(t.Context()); !risky || err != nil {
			t.Errorf("%s: risky %v, %v", name, risky, err)
		}
		answer = `{"errcode":40006,"errmsg":"invalid media size, ` + token + `"}`
		if _, err := check(t.Context()); !refusal(templatemessage.BadUser)(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
