package vendors

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strings"
)

// riskyContent is the code for a text or an image that breaks the rules.
const riskyContent = 87014

// altCheck is alt's method for texts.
const altCheck = "alipay.security.risk.content.detect"

// risky reports whether the local vendors find a text, or an image by its file name, risky: it contains "risky", or is a
// part of the text that chat's document gives for tests.
func risky(text string) bool {
	return strings.Contains(text, "risky") || strings.Contains(text, "特3456书yuuo莞6543李zxcz蒜7782法fgnv级")
}

// checkText serves the checks of texts of chat and tpay.
func (a *API) checkText(w io.Writer, token string, body []byte) {
	a.Count("Check")
	var asked struct {
		Content string `json:"content"`
		Version int    `json:"version"`
		OpenID  string `json:"openid"`
	}
	suggest := "pass"
	switch {
	case !a.knows(token):
		code(w, badToken, "invalid access_token")
		return
	case json.Unmarshal(body, &asked) != nil || asked.Content == "":
		code(w, badData, "data format error")
		return
	case strings.HasPrefix(asked.Content, "busy"):
		code(w, busy, "system error")
		return
	case !risky(asked.Content):
	case asked.Version != 2:
		code(w, riskyContent, "risky content")
		return
	default:
		suggest = "risky"
	}
	write(w, map[string]any{"errcode": 0, "errmsg": "ok", "result": map[string]any{"suggest": suggest}})
}

// checkImage serves the checks of images of chat and tpay.
func (a *API) checkImage(w io.Writer, token, contentType string, body []byte) {
	a.Count("Check")
	_, params, _ := mime.ParseMediaType(contentType)
	form, err := multipart.NewReader(bytes.NewReader(body), params["boundary"]).ReadForm(int64(len(body)))
	switch {
	case !a.knows(token):
		code(w, badToken, "invalid access_token")
	case err != nil || len(form.File["media"]) != 1:
		code(w, noMedia, "media data missing")
	case form.File["media"][0].Size > 1<<20:
		code(w, badSize, "invalid media size")
	case strings.HasPrefix(form.File["media"][0].Filename, "busy"):
		code(w, busy, "system error")
	case risky(form.File["media"][0].Filename):
		code(w, riskyContent, "risky content")
	default:
		code(w, 0, "ok")
	}
}

// checkForm serves alt's check of texts.
func (a *API) checkForm(w io.Writer, form url.Values) {
	a.Count("Check")
	answer := map[string]string{"code": "10000", "msg": "Success", "action": "PASSED"}
	if risky(form.Get("biz_content")) {
		answer["action"] = "REJECTED"
	}
	if form.Get("sign") == "" || form.Get("app_id") == "" {
		answer = map[string]string{"code": "40002", "msg": "Invalid Arguments", "sub_code": "isv.invalid-signature"}
	}
	write(w, map[string]any{strings.ReplaceAll(altCheck, ".", "_") + "_response": answer})
}
