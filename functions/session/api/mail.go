package api

import (
	"context"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/proof/maillink"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// mailRoutes returns the endpoints of mails with links (client API, 2.4). The links themselves are public: a browser
// that follows one sends no header.
func (g *Group) mailRoutes() []httpapi.Route {
	const verify, reset = "/hserve/v2.0/user/email-verify", "/hserve/v2.0/user/password/reset"
	return []httpapi.Route{
		{Method: http.MethodPost, Path: verify, Access: httpapi.Client, Needs: httpapi.Registered,
			Call: httpapi.Call(g.sendVerification), Status: http.StatusCreated},
		{Method: http.MethodPost, Path: reset, Access: httpapi.Client, Call: httpapi.Call(g.sendReset),
			Status: http.StatusCreated},
		{Method: http.MethodGet, Path: verify + "/{token}", Access: httpapi.Public, Handle: g.verifyEmail},
		{Method: http.MethodPost, Path: verify + "/{token}", Access: httpapi.Public, Handle: g.confirmEmail},
		{Method: http.MethodGet, Path: reset + "/confirm", Access: httpapi.Public, Handle: g.resetPage},
		{Method: http.MethodPost, Path: reset + "/confirm", Access: httpapi.Public, Handle: g.resetPassword},
	}
}

// place returns where a request came from.
func place(ctx context.Context) maillink.Place {
	_, r := httpapi.Exchange(ctx)
	caller := httpapi.From(ctx)
	return maillink.Place{
		Application: caller.Application, Scope: caller.Scope, Base: httpapi.BaseURL(ctx), Address: caller.IP,
		Language: maillink.LanguageOf(r.Header.Get("Accept-Language")),
	}
}

// sendVerification serves POST /hserve/v2.0/user/email-verify/.
func (g *Group) sendVerification(ctx context.Context, _ httpapi.None) (ok, error) {
	return ok{"ok"}, g.Links.SendVerification(ctx, place(ctx), user.ID(httpapi.From(ctx).User.User))
}

type resetRequest struct {
	Email string `json:"email" required:"true" maxLength:"254"`
}

// sendReset serves POST /hserve/v2.0/user/password/reset/.
func (g *Group) sendReset(ctx context.Context, in resetRequest) (ok, error) {
	return ok{"ok"}, g.Links.SendReset(ctx, place(ctx), in.Email)
}

// verifyEmail serves GET /hserve/v2.0/user/email-verify/:token/. A browser gets a page with buttons, because programs
// that look for harmful mails follow links: they must not verify anything.
func (g *Group) verifyEmail(w http.ResponseWriter, r *http.Request) error {
	in, err := g.named(r, false)
	if err != nil {
		return err
	}
	token := maillink.Token(r.PathValue("token"))
	// HEAD must not spend the token.
	if r.Method == http.MethodHead || wantsPage(r) {
		f, err := g.Links.Find(r.Context(), token, maillink.Verify, in)
		return show(w, r, mailPage{Kind: verifyQuestion, Application: f.Application.Name, Address: f.Email}, err)
	}
	if err := g.Links.Verify(r.Context(), token, in, false); err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, ok{"ok"})
	return nil
}

// confirmEmail serves POST /hserve/v2.0/user/email-verify/:token/, the buttons of the page.
func (g *Group) confirmEmail(w http.ResponseWriter, r *http.Request) error {
	in, err := g.named(r, false)
	if err != nil {
		return err
	}
	fields, err := form(r)
	if err != nil {
		return err
	}
	takeOver := fields.Get("take_over") == "1"
	err = g.Links.Verify(r.Context(), maillink.Token(r.PathValue("token")), in, takeOver)
	if wantsPage(r) {
		return show(w, r, mailPage{Kind: map[bool]pageKind{false: verified, true: takenOver}[takeOver]}, err)
	}
	if err == nil {
		httpapi.Write(w, http.StatusOK, ok{"ok"})
	}
	return err
}

// resetPage serves GET /hserve/v2.0/user/password/reset/confirm/, the page of the link in a mail.
func (g *Group) resetPage(w http.ResponseWriter, r *http.Request) error {
	token := r.URL.Query().Get("token")
	f, err := g.Links.Find(r.Context(), maillink.Token(token), maillink.Reset, nil)
	return show(w, r, mailPage{Kind: resetQuestion, Application: f.Application.Name, Address: f.Email, Token: token}, err)
}

// PasswordReset is a new password with the token of a mail.
type PasswordReset struct {
	Token       string `json:"token"`
	NewPassword string `json:"new_password"`
}

// resetPassword serves POST /hserve/v2.0/user/password/reset/confirm/: as JSON of an application's own page, or as the
// form of the platform's.
func (g *Group) resetPassword(w http.ResponseWriter, r *http.Request) error {
	if isForm(r) {
		fields, err := form(r)
		if err != nil {
			return err
		}
		token := fields.Get("token")
		err = g.Links.Reset(r.Context(), maillink.Token(token), nil, fields.Get("new_password"))
		if errs.Is(err, errs.KindInvalid) && strings.HasPrefix(errs.Message(err), "new_password") {
			return show(w, r, mailPage{Kind: resetQuestion, Token: token, Wrong: true}, nil)
		}
		return show(w, r, mailPage{Kind: passwordSet}, err)
	}
	in, err := g.named(r, true)
	if err != nil {
		return err
	}
	var body PasswordReset
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	if err := g.Links.Reset(r.Context(), maillink.Token(body.Token), in, body.NewPassword); err != nil {
		return err
	}
	httpapi.Write(w, http.StatusCreated, ok{"ok"})
	return nil
}

// named returns the environment that the headers of a request name, nil without any. The token of another is invalid.
func (g *Group) named(r *http.Request, required bool) (*tenant.Scope, error) {
	client := r.Header.Get("X-Service-Client-ID")
	if client == "" && !required {
		return nil, nil // a browser that follows a link names none
	}
	if !app.ClientID(client).Valid() {
		return nil, errs.Unauthenticated("the X-Service-Client-ID header must be the id of a client")
	}
	a, err := app.ByClient(r.Context(), g.Links.Applications, app.ClientID(client))
	if errs.Is(err, errs.KindNotFound) {
		err = errs.Unauthenticated("X-Service-Client-ID is not the id of a client")
	}
	if err != nil {
		return nil, err
	}
	scope, known := a.Scope(tenant.EnvID(r.Header.Get("X-Service-Env-ID")))
	if !known {
		return nil, errs.Invalid("X-Service-Env-ID is not an environment of this application")
	}
	return &scope, nil
}

// wantsPage reports whether a browser shows the response to a person.
func wantsPage(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }

func isForm(r *http.Request) bool {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return media == "application/x-www-form-urlencoded"
}

// form returns the fields of a form, none for a body of another type.
func form(r *http.Request) (url.Values, error) {
	if !isForm(r) {
		return url.Values{}, nil
	}
	body, err := httpapi.Body(r)
	if err != nil {
		return nil, err
	}
	fields, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, errs.Invalid("the request body is not a valid form")
	}
	return fields, nil
}
