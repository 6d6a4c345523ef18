package api

import (
	"context"
	"net/http"
	"strings"

	"minicloud/shared/app"
	"minicloud/shared/httpapi"
	"minicloud/shared/message/messaging"
	"minicloud/shared/user/idp"
	"minicloud/shared/user/login"
)

// webRoutes returns the endpoints of logins by providers of web pages (client API, 2.3). Other providers than those of
// mini programs have their name in the middle of the path, so the routes of both are one: a provider begins with oauth-.
func (g *Group) webRoutes() []httpapi.Route {
	const provider, oauth = "/hserve/v2.0/idp/{vendor}", "/hserve/v2.3/idp/oauth/{provider}"
	return append(entrances([]httpapi.Route{
		{Path: oauth + "/authenticate", Call: httpapi.Call(g.authenticateOAuth)},
	}), []httpapi.Route{
		{Method: http.MethodGet, Path: provider + "/callback", Access: httpapi.Public, Handle: g.callback, NoHead: true},
		{Method: http.MethodPost, Path: provider + "/redirect", Access: httpapi.Client, Fresh: true,
			Call: httpapi.Call(g.redirect)},
		{Method: http.MethodPost, Path: provider + "/user-association", Access: httpapi.Client, Needs: httpapi.Registered,
			Call: httpapi.Call(g.linkWeb)},
		{Method: http.MethodPost, Path: oauth + "/user-association", Access: httpapi.Client, Needs: httpapi.Registered,
			Call: httpapi.Call(g.linkOAuth)},
	}...)
}

// oauthPrefix begins the names of providers.
const oauthPrefix = "oauth-"

// provider returns the provider of the path; web is false for a vendor of mini programs.
func (in byVendor) provider() (p messaging.Provider, web bool) {
	return messaging.Provider(in.Vendor), strings.HasPrefix(string(in.Vendor), oauthPrefix)
}

func (in silentLogin) token(update profileUpdate) webToken {
	return webToken{profileUpdate: update, Token: in.Token, Verifier: in.Verifier, Create: in.Create}
}

// loginByToken serves the logins of mini programs' paths for a provider.
func (g *Group) loginByToken(ctx context.Context, p messaging.Provider, in webToken, silent bool) (VendorLogin, error) {
	r, err := in.request(ctx, p)
	if err != nil {
		return nil, err
	}
	r.Silent = silent
	return vendorAnswer(g.Web.Login(ctx, httpapi.Scope(ctx), r))
}

// providerName is a provider in a path: its prefix oauth- may be missing where the path says it.
type providerName messaging.Provider

// ReadText implements the reading of path parameters.
func (p *providerName) ReadText(name string) error {
	if !strings.HasPrefix(name, oauthPrefix) {
		name = oauthPrefix + name
	}
	return (*messaging.Provider)(p).ReadText(name)
}

type byProvider struct {
	Provider messaging.Provider `path:"vendor"`
}

type webRedirect struct {
	byProvider
	CallbackURL string `json:"callback_url" required:"true" maxLength:"2048"` // Its host must be in callback_hosts.
	Silent      bool   `json:"silent_login"`                                  // Only the identity is needed.
	// The base64url SHA-256 of a code_verifier that the page keeps: then only this page can use the auth_token.
	Challenge string `json:"code_challenge" maxLength:"43"`
}

type redirected struct {
	Status string `json:"status" enum:"ok"`
	URL    string `json:"redirect_url"`
}

// redirect serves POST /hserve/v2.0/idp/:provider/redirect/.
func (g *Group) redirect(ctx context.Context, in webRedirect) (out redirected, err error) {
	caller := httpapi.From(ctx)
	if err := login.Allow(caller.Application.Settings, app.LoginOAuth); err != nil {
		return out, err
	}
	to, err := g.Web.Begin(ctx, caller.Scope, idp.WebBegin{
		Provider: in.Provider, CallbackURL: in.CallbackURL, Silent: in.Silent, Challenge: in.Challenge,
		Base: httpapi.BaseURL(ctx), User: caller.Subject().User, Hosts: caller.Application.Settings.CallbackHosts,
	})
	return redirected{"ok", to}, err
}

// callback serves GET /hserve/v2.0/idp/:provider/callback/: the provider sends the browser here.
func (g *Group) callback(w http.ResponseWriter, r *http.Request) error {
	var p messaging.Provider
	if err := p.ReadText(r.PathValue("vendor")); err != nil {
		return err
	}
	query := r.URL.Query()
	to, err := g.Web.Arrive(r.Context(), p, query.Get("state"), query.Get("code"))
	if err != nil {
		return err
	}
	// The address has the auth token: no page may learn it as the referrer.
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, to, http.StatusFound)
	return nil
}

// webToken is a login by an auth token.
type webToken struct {
	profileUpdate
	Token    string `json:"auth_token" required:"true" maxLength:"128"`
	Verifier string `json:"code_verifier" maxLength:"128"` // Required if the redirect had a code_challenge.
	Create   *bool  `json:"create_user"`                   // True by default. False: 404 if there is no user.
}

func (in webToken) request(ctx context.Context, p messaging.Provider) (r idp.WebLogin, err error) {
	caller := httpapi.From(ctx)
	r = idp.WebLogin{
		Provider: p, Token: in.Token, Verifier: in.Verifier, Create: in.Create == nil || *in.Create, From: sender(ctx),
		Before: caller.User,
	}
	if r.Update, err = in.read(); err != nil {
		return r, err
	}
	return r, login.Allow(caller.Application.Settings, app.LoginOAuth)
}

type oauthToken struct {
	Provider providerName `path:"provider"`
	webToken
	Nickname string `json:"nickname" maxLength:"256"` // Of the user, if the provider tells none.
}

// authenticateOAuth serves POST /hserve/v2.3/idp/oauth/:provider/authenticate/.
func (g *Group) authenticateOAuth(ctx context.Context, in oauthToken) (VendorLogin, error) {
	r, err := in.request(ctx, messaging.Provider(in.Provider))
	if err != nil {
		return nil, err
	}
	r.Nickname = in.Nickname
	return vendorAnswer(g.Web.Login(ctx, httpapi.Scope(ctx), r))
}

// linkOAuth serves POST /hserve/v2.3/idp/oauth/:provider/user-association/.
func (g *Group) linkOAuth(ctx context.Context, in oauthToken) (Linked, error) {
	r, err := in.request(ctx, messaging.Provider(in.Provider))
	if err != nil {
		return Linked{}, err
	}
	r.Nickname = in.Nickname
	return g.link(ctx, r)
}

type linkedByToken struct {
	byProvider
	webToken
}

// linkWeb serves POST /hserve/v2.0/idp/:provider/user-association/.
func (g *Group) linkWeb(ctx context.Context, in linkedByToken) (Linked, error) {
	r, err := in.request(ctx, in.Provider)
	if err != nil {
		return Linked{}, err
	}
	return g.link(ctx, r)
}

func (g *Group) link(ctx context.Context, r idp.WebLogin) (Linked, error) {
	i, err := g.Web.Link(ctx, httpapi.Scope(ctx), r)
	return linked(ctx, i), err
}
