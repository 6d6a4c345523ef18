// Package httpapi is the face every HTTP program shows: routes, the middleware
// in reading order, and the wire forms the whole API has in common.
//
// A program lists its routes, API.Handler turns the list into one
// http.Handler, and each request passes, in this order:
//
//	recover    a panic is a 500 with the request id, never a lost answer
//	log        one line per request: route, status, duration; no values
//	cors       preflights end here (D5)
//	dispatch   404 unknown path, 405 wrong method with Allow (D2, D3)
//	caller     who calls (401), what their role allows (403), in which environment (400)
//	replay     Idempotency-Key (D8)
//	audit      a change by an administrator is written down before it is made
//	handler    translates, calls one service method, writes
//
// Handlers return errors; status.go is the one place that turns their kind
// into a number.
package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/console"
	"minicloud/shared/idempotency"
	"minicloud/shared/oauth"
	"minicloud/shared/tenant"
)

// MaxBody is the size limit of a request body in bytes (D49).
const MaxBody = 5 << 20

// MaxAnswer is how large an answer's body may be, in bytes, whatever is in it:
// lambdahttp makes it fit the 6 MB that Lambda answers. What an endpoint says
// must end before, see page.MaxBytes.
const MaxAnswer = 4_600_000

// Margin is what is left of a program's time when a request's is over: to settle
// its Idempotency-Key and to say 504. At its last moment Lambda kills the
// program, and the caller learns nothing.
const Margin = time.Second

// Handler serves one route. What it returns instead of writing becomes the
// error answer.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Access says which credentials a route takes.
type Access int

// The accesses of the contract, Authentication.
const (
	Public    Access = iota // none: the token endpoints, signed URLs, incoming webhooks
	Bearer                  // Authorization: Bearer <access token>
	ServiceR1               // Authorization: Service-r1 <access token> and X-Service-Client-ID (D14)
	// RunToken is for functions only: to everybody else the path does not exist (F10). All routes of such a path have
	// it.
	RunToken
	// Session is for the console's own page: its cookie, and in changing requests the header X-CSRF-Token.
	Session
)

// Route is one line of a program's route list. Path has the form of a
// ServeMux pattern without method and without trailing slash; it is served
// with and without one (D3).
type Route struct {
	Method string
	Path   string
	Access Access
	// Call serves the route, with Status, 200 where it is 0. Handle does for answers that are no JSON or have no one
	// form.
	Call   Endpoint
	Status int
	Handle Handler
	// Prefetch notes in the context what the handler asks for first, so that it is read with the token, in one call.
	// This runs before authentication: scope is only the caller's claim, and nothing may be answered yet.
	Prefetch func(r *http.Request, scope tenant.Scope) context.Context
	// Keys says that the answer shows only the fields the parameter keys names.
	Keys bool
	// Reads says of a POST that it changes nothing: viewers may send it, and it is not in the audit log.
	Reads bool
	// Fresh says of a POST that each answer is a new one: an Idempotency-Key counts for nothing and stays free. It is
	// for lists, which can have 4.6 MB, and for secrets. Everything else that is posted holds to its key (D8).
	Fresh bool
	// Runs says that the route runs a function: administrators who act as a user may call it, and no other.
	Runs bool
	// DryRun says of a POST that it changes nothing where the query says dry_run=1.
	DryRun bool
	// Role is what a route asks of an administrator; "" asks for viewer where the route reads, else for developer.
	Role console.Role
	// Names are what the audit log says of a change beside the names of what was given: those of things, never a value
	// that may be secret. nil = nothing.
	Names func(r *http.Request) []string
	// NoHead says of a GET that it has an effect: HEAD, which programs send to have a look, is not served.
	NoHead bool
}

// Authenticator establishes who calls; *oauth.Authenticator is one.
type Authenticator interface {
	// Authenticate returns the identity an access token stands for, or
	// errs.Unauthenticated.
	Authenticate(ctx context.Context, token string) (oauth.Identity, error)
	// AuthenticateClient does too, and requires that the token belongs to
	// clientID (D14).
	AuthenticateClient(ctx context.Context, token, clientID string) (oauth.Identity, error)
}

// API is one program's HTTP face.
type API struct {
	Routes []Route
	// Authenticator is needed when a route is not Public.
	Authenticator Authenticator
	// Likely returns the application whose token this is if it is valid, false when that is not known before it is
	// read. Routes prefetch by it; nil = they do not.
	Likely func(token string) (tenant.AppID, bool)
	// Runs verifies the run tokens of functions calling back (D24), which stand
	// in for a Bearer token; nil refuses them.
	Runs RunVerifier
	// Depths verifies how deep in a chain of triggers requests are; nil takes all for those of callers outside.
	Depths DepthVerifier
	// Consoles verifies console tokens, which stand in for a Bearer token as well; nil refuses them.
	Consoles TokenVerifier
	// Sessions verifies the cookies of Session routes.
	Sessions SessionVerifier
	// Audit takes what administrators change; without it they change nothing.
	Audit Audit
	// Replay remembers first answers under their Idempotency-Key (D8); nil
	// ignores the header, for programs whose routes are safe to repeat.
	Replay *idempotency.Service
	// Origins is the comma list of origins browsers may call from; "" is "*" (D5).
	Origins string
	Log     *slog.Logger
	Clock   clock.Clock
}
