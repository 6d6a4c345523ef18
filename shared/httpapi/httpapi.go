// Package httpapi is the HTTP layer of every program: routes, the middleware, and the common wire formats of the API.
//
// A program lists its routes, and API.Handler returns one http.Handler for them. Each request passes through these
// stages, in this order:
//
//	recover    a panic becomes a 500 with the request id
//	log        one line per request: route, status, duration; no values
//	cors       preflights end here (D5)
//	dispatch   404 unknown path, 405 wrong method with Allow (D2, D3)
//	caller     authenticates (401), checks the role (403) and the environment (400), counts calls of end users (429)
//	replay     Idempotency-Key (D8)
//	audit      stores an entry before each change by an administrator
//	handler    decodes the input, calls one service method, writes the response
//
// Handlers return errors; only status.go maps their kinds to HTTP statuses.
package httpapi

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/app/clientrate"
	"minicloud/shared/clock"
	"minicloud/shared/console"
	"minicloud/shared/idempotency"
	"minicloud/shared/tenant"
)

// MaxBody is the size limit of a request body in bytes (D49).
const MaxBody = 5 << 20

// MaxAnswer is the maximum size of a response body, in bytes: lambdahttp makes it fit Lambda's limit of 6 MB. Endpoints
// must keep their own content smaller, see page.MaxBytes.
const MaxAnswer = 4_600_000

// Margin is the remaining time of a program after the deadline of a request: to settle its Idempotency-Key and to
// respond 504. When that time is over, Lambda kills the program and the caller gets no response.
const Margin = time.Second

// Handler serves one route. A returned error becomes the error response.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Access is the kind of credentials that a route requires.
type Access int

// The accesses of the contract, Authentication.
const (
	Public    Access = iota // no credentials: the token endpoints, signed URLs, incoming webhooks
	Bearer                  // Authorization: Bearer <access token>
	ServiceR1               // Authorization: Service-r1 <access token> and X-Service-Client-ID (D14)
	// RunToken is for functions only: for all other callers the path does not exist (F10). All routes of such a path
	// must have it.
	RunToken
	// Session is for the console's own page: its session cookie, and in writes the header X-CSRF-Token.
	Session
	// Client is for end users: the header X-Service-Client-ID names the application, and Authorization: Service-r1
	// <session token> the user. Route.Needs says which callers are allowed.
	Client
)

// Standing is the kind of end user that a Client route requires (C2).
type Standing int

// The standings: a lower one includes the higher ones.
const (
	Anyone     Standing = iota // also callers without a session
	LoggedIn                   // also temporary users; without a session 401
	Registered                 // temporary users get 403
)

// Route is one route of a program. Path has the form of a ServeMux pattern, without method and trailing slash; the
// route is served with and without the slash (D3).
type Route struct {
	Method string
	Path   string
	Access Access
	// Twin serves a route of /oserve/ also under /userve/, or the reverse, with the rest of its path (C35). All methods of
	// a path must agree.
	Twin bool
	// Needs is the standing that a Client route requires.
	Needs Standing
	// AccessTokens reports that a Client route also accepts access tokens of the open API, as ServiceR1 routes do, and
	// run and console tokens (C5). Caller.Trusted tells such callers from nobody.
	AccessTokens bool
	// Enters marks a Client route that opens a session: an invalid session token is ignored (C4).
	Enters bool
	// Call serves the route, with Status, 0 meaning 200. Handle is for responses that are not JSON or have no fixed
	// form.
	Call   Endpoint
	Status int
	Handle Handler
	// Prefetch adds the handler's first read to the context, so that it is made together with the read of the token. It
	// runs before authentication: scope is only the caller's claim, so no data may be returned yet.
	Prefetch func(r *http.Request, scope tenant.Scope) context.Context
	// Keys reports that the route supports the parameter keys, which selects the fields of the response.
	Keys bool
	// Expand reports that the route supports the parameter expand, which puts rows in the place of pointers.
	Expand bool
	// Reads marks a POST that changes nothing: viewers may call it, and it is not in the audit log.
	Reads bool
	// Fresh marks a POST whose responses are not stored: its Idempotency-Key is ignored and stays unused. It is for
	// lists, which may have 4.6 MB, and for secrets. All other POSTs honour their key (D8).
	Fresh bool
	// Acts marks a route that administrators who act as a user may call: those that run functions, and Client routes for
	// the user's rows, files and orders (C46).
	Acts bool
	// DryRun marks a POST that changes nothing with the query parameter dry_run=1.
	DryRun bool
	// Role is the role that an administrator needs; "" means viewer if the route reads, else developer.
	Role console.Role
	// Names returns names of objects to add to the audit entry, besides the names of the request's fields. It must
	// never return a value that may be secret. nil = none.
	Names func(r *http.Request) []string
	// NoHead disables HEAD for a GET that has an effect, because clients expect HEAD to be safe.
	NoHead bool
}

// Alike returns the routes with what like sets of Method, Access, Needs, Status and the marks; a route keeps its own.
func Alike(like Route, routes []Route) []Route {
	for i := range routes {
		r := &routes[i]
		r.Method, r.Access = cmp.Or(r.Method, like.Method), cmp.Or(r.Access, like.Access)
		r.Needs = cmp.Or(r.Needs, like.Needs)
		r.Status, r.Twin, r.Enters = cmp.Or(r.Status, like.Status), r.Twin || like.Twin, r.Enters || like.Enters
		r.Reads, r.Fresh, r.Acts = r.Reads || like.Reads, r.Fresh || like.Fresh, r.Acts || like.Acts
		r.Keys, r.Expand = r.Keys || like.Keys, r.Expand || like.Expand
	}
	return routes
}

// Authenticator verifies access tokens; *oauth.Authenticator implements it.
type Authenticator interface {
	// Authenticate returns the identity of an access token, or errs.Unauthenticated.
	Authenticate(ctx context.Context, token string) (app.Application, error)
	// AuthenticateClient is Authenticate for a token that must belong to clientID (D14).
	AuthenticateClient(ctx context.Context, token, clientID string) (app.Application, error)
}

// API is the HTTP API of one program.
type API struct {
	Routes []Route
	// Authenticator is required if a route is not Public.
	Authenticator Authenticator
	// Likely returns the application of a token that is not verified yet; ok is false if that needs a read. Routes need
	// it to prefetch; nil = no prefetching.
	Likely func(token string) (tenant.AppID, bool)
	// Runs verifies the run tokens of functions (D24), which are accepted in place of a Bearer token; nil refuses them.
	Runs RunVerifier
	// Depths verifies the trigger depth of requests; nil treats all as requests of external callers.
	Depths DepthVerifier
	// Rates limits the calls of Client routes (C43); nil sets no limit.
	Rates *clientrate.Limiter
	// Clients finds the applications and EndUsers verifies the session tokens of Client routes, which require both.
	Clients  ClientFinder
	EndUsers SessionTokens
	// Consoles verifies console tokens, which are accepted in place of a Bearer token; nil refuses them.
	Consoles TokenVerifier
	// Sessions verifies the cookies of Session routes.
	Sessions SessionVerifier
	// Audit stores the changes by administrators; without it administrators cannot change anything.
	Audit Audit
	// Replay stores the first response under its Idempotency-Key (D8); nil ignores the header, for programs whose
	// routes are safe to repeat.
	Replay *idempotency.Service
	// Origins is the comma-separated list of allowed browser origins; "" means "*" (D5).
	Origins string
	Log     *slog.Logger
	Clock   clock.Clock
}
