package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"minicloud/shared/app"
	"minicloud/shared/app/clientrate"
	"minicloud/shared/clip"
	"minicloud/shared/console"
	"minicloud/shared/errs"
	"minicloud/shared/oauth"
	"minicloud/shared/permission"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
	"minicloud/shared/trace/depth"
	"minicloud/shared/trace/logging"
	"minicloud/shared/user/session"
)

// Caller is the sender of a request, and the environment of the request.
type Caller struct {
	Application app.Application
	Scope       tenant.Scope
	// Run is set if a cloud function calls with its run token.
	Run *oauth.Run
	// Depth is the depth of the request in a chain of triggers: that of the calling run, or of its depth.Header. It is
	// 0 for external callers (G19).
	Depth int
	// Administrator is set if the console calls: with its token, or in a Session route with its cookie. In a Client route
	// it acts as User.
	Administrator *console.Administrator
	// Session is the session of a Session route.
	Session console.Session
	// User is the end user of a Client route, nil without a session. An administrator may act as the user.
	User *session.Identity
	// Trusted reports that the caller has an access, run or console token or a console session: permissions do not
	// apply to it. End users and nobody are not trusted.
	Trusted bool
	IP      string
	// UserAgent is the header as sent, "" if absent.
	UserAgent string
}

// Subject returns the end user as permissions see them, the zero value without a session.
func (c Caller) Subject() permission.Subject {
	if c.User == nil {
		return permission.Subject{}
	}
	return c.User.Subject
}

// RunVerifier verifies run tokens; *oauth.RunVerifier implements it.
type RunVerifier interface {
	// VerifyRun returns the run of a token. It returns errs.Unauthenticated for a forged or expired one.
	VerifyRun(ctx context.Context, token string) (oauth.Run, app.Application, error)
}

// DepthVerifier verifies the depth.Header of requests; *oauth.RunVerifier implements it.
type DepthVerifier interface {
	// VerifyDepth returns the depth in a header, 0 for an absent, forged or expired one.
	VerifyDepth(ctx context.Context, header string) (int, error)
}

// envHeader selects a test environment (contract, Authentication 4).
const envHeader = "X-Service-Env-ID"

// identify authenticates and authorizes the caller, and selects the environment.
func (d *dispatcher) identify(r *http.Request, route Route, state *requestState) (*http.Request, error) {
	state.caller = Caller{IP: r.RemoteAddr, UserAgent: r.UserAgent()}
	if route.Access == Public {
		return r, nil
	}
	r, err := d.admit(r, route, &state.caller)
	if limited := d.limit(r, route, state.caller); limited != nil {
		return r, limited
	}
	if err == nil {
		err = authorize(r, route, state.caller)
	}
	// Endpoints for functions return 404 to all other callers.
	if route.Access == RunToken && errs.Is(err, errs.KindUnauthenticated) {
		err = errNoPath(r)
	}
	if err != nil {
		return r, err
	}
	if err := d.measure(r, &state.caller); err != nil {
		return r, err
	}
	ctx := tenant.NewContext(r.Context(), state.caller.Scope)
	if state.caller.Depth > 0 {
		ctx = depth.NewContext(ctx, oauth.DepthHeader(state.caller.Application, state.caller.Depth, d.api.Clock.Now()))
	}
	if run := state.caller.Run; run != nil {
		ctx = trace.NewContext(ctx, run.Trace)
	}
	return r.WithContext(ctx), nil
}

// limit counts the call of a Client route once its application is known: calls with an invalid session token count too,
// for the address and the application.
func (d *dispatcher) limit(r *http.Request, route Route, caller Caller) error {
	if route.Access != Client || d.api.Rates == nil || caller.Scope.App == 0 || caller.Trusted ||
		caller.Administrator != nil {
		return nil
	}
	return d.api.Rates.Allow(r.Context(), clientrate.Call{
		Application: caller.Application, Scope: caller.Scope, User: caller.Subject().User, Address: caller.IP,
	})
}

// admit authenticates the caller, and returns the request with what was prefetched.
func (d *dispatcher) admit(r *http.Request, route Route, caller *Caller) (*http.Request, error) {
	if route.Access == Client {
		return d.client(r, route, caller)
	}
	r = d.prefetch(r, route)
	return r, d.trust(r, route.Access, caller)
}

// trust authenticates a caller who is no end user.
func (d *dispatcher) trust(r *http.Request, access Access, caller *Caller) error {
	err := d.authenticate(r, access, caller)
	caller.Trusted = err == nil
	return err
}

// measure sets the depth of a request in a chain of triggers. A run token contains the depth, so it needs no header.
func (d *dispatcher) measure(r *http.Request, caller *Caller) (err error) {
	if caller.Run != nil {
		caller.Depth = caller.Run.Depth
		return nil
	}
	if header := r.Header.Get(depth.Header); header != "" && d.api.Depths != nil {
		caller.Depth, err = d.api.Depths.VerifyDepth(r.Context(), header)
	}
	return err
}

// prefetch calls the route's Prefetch if the token's application is known without a read.
func (d *dispatcher) prefetch(r *http.Request, route Route) *http.Request {
	if route.Prefetch == nil || d.api.Likely == nil {
		return r
	}
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	application, known := d.api.Likely(strings.TrimSpace(token))
	env := tenant.EnvID(cmp.Or(r.Header.Get(envHeader), string(tenant.Production)))
	if !known || !env.Valid() {
		return r
	}
	return r.WithContext(route.Prefetch(r, tenant.Scope{App: application, Env: env}))
}

func (d *dispatcher) authenticate(r *http.Request, access Access, caller *Caller) error {
	if access == Session {
		return d.session(r, caller)
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	switch {
	case scheme == "":
		return errs.Unauthenticated("the Authorization header is missing")
	case access == ServiceR1 && strings.EqualFold(scheme, "Service-r1"):
		clientID := r.Header.Get(clientHeader)
		if clientID == "" {
			return errs.Unauthenticated("the %s header is missing", clientHeader)
		}

		application, err := d.api.Authenticator.AuthenticateClient(r.Context(), token, clientID)
		if err != nil {
			return err
		}

		return caller.in(application, r.Header.Get(envHeader))
	case access == Bearer && strings.EqualFold(scheme, "Bearer"):
		application, err := d.api.Authenticator.Authenticate(r.Context(), token)
		if err != nil {
			return err
		}
		return caller.in(application, r.Header.Get(envHeader))
	// A run token contains its environment, so the header does not apply.
	case scheme == "Run" && d.api.Runs != nil:
		run, application, err := d.api.Runs.VerifyRun(r.Context(), token)
		if err != nil {
			return err
		}
		caller.Application, caller.Scope, caller.Run = application, run.Scope, &run
		return nil
	case scheme == "Console" && access != RunToken && d.api.Consoles != nil:
		who, application, err := d.api.Consoles.VerifyToken(r.Context(), token)
		if err != nil {
			return err
		}
		caller.Administrator = &who
		return caller.in(application, r.Header.Get(envHeader))
	case access == ServiceR1:
		return errs.Unauthenticated("the Authorization header must be \"Service-r1 <access token>\"")
	}

	return errs.Unauthenticated("the Authorization header must be \"Bearer <access token>\"")
}

// in sets the environment from the header, production without one (D9).
func (c *Caller) in(application app.Application, header string) error {
	scope, known := application.Scope(tenant.EnvID(header))
	if !known {
		return errs.Invalid("X-Service-Env-ID %q is not an environment of this application", clip.Text(header, clip.Name))
	}
	c.Application, c.Scope = application, scope
	return nil
}

// Link returns the trace for the changes of a request: that of the calling run, or a new one with the ID of the
// request.
func Link(ctx context.Context) trace.Link {
	if run := From(ctx).Run; run != nil && run.Trace.ID != "" {
		return run.Trace
	}
	id := logging.RequestID(ctx)
	if !trace.Valid(id) {
		return trace.Link{}
	}
	return trace.Link{ID: id}
}
