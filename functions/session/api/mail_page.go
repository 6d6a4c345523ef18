package api

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"

	"minicloud/shared/errs"
	"minicloud/shared/maillink"
)

// mailPage is a plain page of the platform for links in mails. It needs no script and no other file.
type mailPage struct {
	Kind        pageKind
	Application string
	Address     string
	Token       string
	Wrong       bool // the password that was entered is too short or too long
	Language    maillink.Language
	Style       template.CSS
}

type pageKind string

const (
	verifyQuestion pageKind = "verify"
	verified       pageKind = "verified"
	takenOver      pageKind = "taken over"
	resetQuestion  pageKind = "reset"
	passwordSet    pageKind = "set"
	invalidLink    pageKind = "invalid"
)

//go:embed mail_page.html
var pageText string

//go:embed mail_page.css
var style string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// pagePolicy allows the page's own style and forms to this origin, nothing else.
var pagePolicy = func() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}()

// show writes a page in the language of the request; an invalid token has a page of its own.
func show(w http.ResponseWriter, r *http.Request, p mailPage, err error) error {
	status := http.StatusOK
	switch {
	case errs.Is(err, errs.KindInvalid):
		p, status = mailPage{Kind: invalidLink}, http.StatusBadRequest
	case err != nil:
		return err
	case p.Wrong:
		status = http.StatusBadRequest
	}
	p.Language, p.Style = maillink.LanguageOf(r.Header.Get("Accept-Language")), template.CSS(style)
	var text bytes.Buffer
	if err := pageTemplate.Execute(&text, p); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer") // the address has the token
	h.Set("Content-Language", string(p.Language))
	w.WriteHeader(status)
	w.Write(text.Bytes())
	return nil
}
