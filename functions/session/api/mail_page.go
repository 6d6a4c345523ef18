package api

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html"
	"io"
	"net/http"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/proof/maillink"
)

// mailPage is a plain page of the platform for links in mails. It needs no script and no other file.
type mailPage struct {
	Kind        pageKind
	Application string
	Address     string
	Token       string
	Wrong       bool // the password that was entered is too short or too long
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

// pageFrame is what all pages have. {members} are replaced by escaped values. A package of templates would ask for methods
// by their names, and the linker would then keep every method of each AWS client.
//
//go:embed mail_page.html
var pageFrame string

//go:embed mail_page.css
var style string

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
	language := maillink.LanguageOf(r.Header.Get("Accept-Language"))
	text := p.text(language)
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer") // the address has the token
	h.Set("Content-Language", string(language))
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
	return nil
}

// text returns the page in a language.
func (p mailPage) text(language maillink.Language) string {
	at, account := 0, "Account"
	if language == "zh" {
		at, account = 1, "账号"
	}
	address, wrong := "", ""
	if p.Address != "" {
		address = "<p>" + html.EscapeString(p.Address) + "</p>"
	}
	if p.Wrong {
		wrong = `<p class="wrong" role="alert">` + passwordRule[at] + "</p>"
	}
	return strings.NewReplacer(
		"{language}", string(language), "{title}", html.EscapeString(cmp.Or(p.Application, account)), "{style}", style,
		"{main}", strings.NewReplacer(
			"{application}", html.EscapeString(p.Application), "{address}", html.EscapeString(p.Address),
			"{token}", html.EscapeString(p.Token), "{to}", address, "{wrong}", wrong,
		).Replace(pageWords[p.Kind][at]),
	).Replace(pageFrame)
}
