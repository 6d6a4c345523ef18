package httpapi

import (
	"context"
	"net/http"
	"strings"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/user/session"
)

// clientHeader names the client of the application, on Client and ServiceR1 routes.
const clientHeader = "X-Service-Client-ID"

// ClientFinder finds applications by client id; *app.Clients implements it.
type ClientFinder interface {
	// ByClient returns the application of a client. It returns errs.NotFound if there is none.
	ByClient(ctx context.Context, client app.ClientID) (app.Application, error)
}

// SessionTokens verifies the session tokens of end users; *session.Verifier implements it.
type SessionTokens interface {
	// VerifySession returns the user of a token. It returns errs.Unauthenticated for one that is unknown, expired or
	// revoked.
	VerifySession(ctx context.Context, scope tenant.Scope, token string) (session.Identity, error)
	// EndUser returns a user without a session. It returns errs.NotFound for one who cannot log in.
	EndUser(ctx context.Context, scope tenant.Scope, id int64) (session.Identity, error)
}

// client authenticates the caller of a Client route and checks its standing.
func (d *dispatcher) client(r *http.Request, route Route, caller *Caller) (*http.Request, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if scheme == "Console" && d.api.Consoles != nil {
		return r, d.console(r, route, caller)
	}
	other := !strings.EqualFold(scheme, "Service-r1") || !session.Token(token).Valid()
	if route.AccessTokens && scheme != "" && other {
		return r, d.trust(r, ServiceR1, caller)
	}

	if err := d.clientScope(r, caller); err != nil {
		return r, err
	}
	// The scope is known already, so the read of the session can fetch what the handler needs.
	if route.Prefetch != nil {
		r = r.WithContext(route.Prefetch(r, caller.Scope))
	}
	err := d.endUser(r, scheme, token, caller)
	// Clients send a stale token when they log in (C4).
	if route.Enters && errs.Is(err, errs.KindUnauthenticated) {
		err = nil
	}
	if err != nil {
		return r, err
	}
	return r, route.Needs.check(caller.User)
}

// console authenticates a console token on a Client route. If the administrator acts as a user, the caller is that user
// with the rights that the user has now (C46).
func (d *dispatcher) console(r *http.Request, route Route, caller *Caller) error {
	if err := d.trust(r, Client, caller); err != nil {
		return err
	}
	client := app.ClientID(r.Header.Get(clientHeader))
	if client != "" && client != caller.Application.ClientID {
		return errs.Unauthenticated("%s is not the client of the token's application", clientHeader)
	}
	as := caller.Administrator.As
	if as == nil {
		if route.AccessTokens {
			return nil
		}
		return errNoSessionToken
	}

	// Check the route before the read: another environment's user must not be looked for.
	if err := caller.Administrator.MayAct(route.Acts, caller.Scope.Env); err != nil {
		return err
	}
	user, err := d.api.EndUsers.EndUser(r.Context(), caller.Scope, as.ID)
	if errs.Is(err, errs.KindNotFound) {
		return errs.Forbidden("you act as user %d, who is blocked or gone", as.ID)
	}
	if err != nil {
		return err
	}
	caller.User, caller.Trusted = &user, false
	return route.Needs.check(caller.User)
}

var errNoSessionToken = errs.Unauthenticated("the Authorization header must be \"Service-r1 <session token>\"")

// clientScope sets the application from X-Service-Client-ID, and the environment.
func (d *dispatcher) clientScope(r *http.Request, caller *Caller) error {
	client := r.Header.Get(clientHeader)
	if client == "" {
		return errs.Unauthenticated("the %s header is missing", clientHeader)
	}
	application, err := d.api.Clients.ByClient(r.Context(), app.ClientID(client))
	if errs.Is(err, errs.KindNotFound) {
		return errs.Unauthenticated("%s is not the id of a client", clientHeader)
	}
	if err != nil {
		return err
	}
	return caller.in(application, r.Header.Get(envHeader))
}

// endUser sets the user of a session token; without one the caller is nobody.
func (d *dispatcher) endUser(r *http.Request, scheme, token string, caller *Caller) error {
	switch {
	case scheme == "":
		return nil
	case !strings.EqualFold(scheme, "Service-r1"):
		return errNoSessionToken
	}
	user, err := d.api.EndUsers.VerifySession(r.Context(), caller.Scope, token)
	if err == nil {
		caller.User = &user
	}
	return err
}

// check returns an error for a user without this standing (C2).
func (s Standing) check(user *session.Identity) error {
	switch {
	case s == Anyone:
		return nil
	case user == nil:
		return errs.Unauthenticated("log in first: the Authorization header is missing")
	case s == Registered && user.Temporary:
		return errs.Forbidden("register first: this is not for temporary users")
	}
	return nil
}

// Require returns an error if the caller is an end user or nobody without this standing. Routes whose Needs depends on a
// setting call it.
func (c Caller) Require(s Standing) error {
	if c.Trusted {
		return nil
	}
	return s.check(c.User)
}
