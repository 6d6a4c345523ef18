package httpapi

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"minicloud/shared/app"
	"minicloud/shared/clip"
	"minicloud/shared/console"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/tenant"
)

// SessionCookie is the name of the session cookie of the console's page.
const SessionCookie = "minicloud_session"

// csrfHeader is the header with the session's CSRF token, required in writes.
const csrfHeader = "X-CSRF-Token"

// TokenVerifier verifies console tokens; *console.Verifier implements it.
type TokenVerifier interface {
	// VerifyToken returns the administrator and the application of a token. It returns errs.Unauthenticated for a bad
	// token.
	VerifyToken(ctx context.Context, token string) (console.Administrator, app.Application, error)
}

// SessionVerifier verifies the cookies of the console's page; *console.Service implements it.
type SessionVerifier interface {
	// Verify returns the session of a cookie and its administrator. It returns errs.Unauthenticated for a bad cookie.
	Verify(ctx context.Context, c console.Cookie) (console.Session, console.Administrator, error)
}

// Audit stores audit entries; it is a subset of console.AuditStore.
type Audit interface {
	Begin(ctx context.Context, e console.Entry) error
	SignedIn(ctx context.Context, by console.Administrator) error
	End(ctx context.Context, e console.Entry, status int) error
}

// CookieOf returns the session cookie of a request, "" if there is none.
func CookieOf(r *http.Request) console.Cookie {
	cookie, err := r.Cookie(SessionCookie)
	if err != nil {
		return ""
	}
	return console.Cookie(cookie.Value)
}

// session authenticates a session cookie. The administrator needs access to the application in the path, if any;
// otherwise it returns errs.NotFound.
func (d *dispatcher) session(r *http.Request, caller *Caller) error {
	cookie := CookieOf(r)
	if cookie == "" || d.api.Sessions == nil {
		return errs.Unauthenticated("you are not signed in")
	}
	session, who, err := d.api.Sessions.Verify(r.Context(), cookie)
	if err != nil {
		return err
	}
	caller.Session, caller.Administrator = session, &who

	text := r.PathValue("application")
	if text == "" {
		return nil
	}
	// Return the same 404 for a missing application and one without access, so that IDs are not revealed.
	application, ok := id.Parse[tenant.AppID](text)
	if !ok || !who.Enters(application) {
		return errs.NotFound("application %s not found", clip.Text(text, clip.Name))
	}
	caller.Scope.App = application
	return nil
}

// authorize checks the role of an administrator, and the CSRF token of writes by the console's page.
func authorize(r *http.Request, route Route, caller Caller) error {
	if caller.Administrator == nil {
		return nil
	}
	if route.Access == Session && changes(r.Method) {
		// Browsers send the cookie with requests of any page, so check that the request comes from the console's page.
		if err := SameOrigin(r); err != nil {
			return err
		}
		if subtle.ConstantTimeCompare([]byte(r.Header.Get(csrfHeader)), []byte(caller.Session.CSRF)) != 1 {
			return errs.Forbidden("the header %s must hold the csrf_token of your session", csrfHeader)
		}
	}

	if err := caller.Administrator.MayAct(route.Acts, caller.Scope.Env); err != nil {
		return err
	}
	least := route.Role
	if least == "" {
		least = console.Developer
		if reads(r, route) {
			least = console.Viewer
		}
	}
	return caller.Administrator.May(least)
}

// changes reports whether a method writes.
func changes(method string) bool { return method != http.MethodGet && method != http.MethodHead }

func reads(r *http.Request, route Route) bool {
	if !changes(r.Method) || route.Reads {
		return true
	}
	dry := r.URL.Query()["dry_run"]
	return route.DryRun && len(dry) == 1 && (dry[0] == "1" || dry[0] == "true")
}

// SameOrigin returns errs.Forbidden for a request that a browser sends for a page of another site. Browsers set these
// headers and scripts cannot change them; other clients may omit them.
func SameOrigin(r *http.Request) error {
	site := r.Header.Get("Sec-Fetch-Site")
	if site != "" && site != "same-origin" && site != "none" {
		return errs.Forbidden("this request comes from another site")
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		from, err := url.Parse(origin)
		// The gateway may set r.Host to a name that the browser did not use.
		if err != nil || from.Host != cmp.Or(r.Header.Get("Host"), r.Host) {
			return errs.Forbidden("this request comes from another site")
		}
	}
	return nil
}

// audited returns the handler of a route with an audit entry for each write by an administrator: the entry is stored
// before the write and gets the status afterwards. A write is refused if its entry cannot be stored. Reads require that
// the session has not ended.
func (d *dispatcher) audited(route Route) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller := From(r.Context())
		if caller.Administrator == nil || d.api.Audit == nil && reads(r, route) {
			return route.Handle(w, r)
		}
		if reads(r, route) {
			if err := d.api.Audit.SignedIn(r.Context(), *caller.Administrator); err != nil {
				return err
			}
			return route.Handle(w, r)
		}
		if d.api.Audit == nil {
			return errs.Forbidden("the console cannot change this: no audit log is kept here")
		}

		entry, ids := d.entry(r, caller)
		if route.Names != nil {
			for _, name := range route.Names(r) {
				entry.Fields = append(entry.Fields, clip.Text(name, maxAuditName))
			}
		}
		entry, err := console.Note(r.Context(), d.api.Audit.Begin, ids, entry)
		if err != nil {
			return err
		}

		err = route.Handle(w, r)
		status := statusOf(w)
		if err != nil {
			status = Status(err)
		}

		// The write has happened, so complete its entry even if the client has disconnected.
		ctx, cancel := afterwards(r)
		defer cancel()
		if failed := d.api.Audit.End(ctx, entry, status); failed != nil {
			d.log.ErrorContext(ctx, "the end of a change is not in the audit log", "error", failed.Error())
		}
		return err
	}
}

// statusOf returns the status of the response.
func statusOf(w http.ResponseWriter) int {
	status := 0
	switch w := w.(type) {
	case *recorder:
		status = w.status
	case *response:
		status = w.status
	}
	return max(status, http.StatusOK)
}

// entry returns the audit entry of a request and the source of its ID. A repeated request with the same Idempotency-Key
// gets the same ID.
func (d *dispatcher) entry(r *http.Request, caller Caller) (console.Entry, *id.Source) {
	ids, at := writetoken.IDs(writetoken.Step(r.Context(), "audit"), d.ids, d.api.Clock.Now())
	return console.Entry{
		At: at, By: *caller.Administrator, Application: caller.Scope.App,
		Environment: cmp.Or(caller.Scope.Env, tenant.EnvID(r.PathValue("env"))),
		Method:      r.Method, Path: clip.Bytes(requestPath(r), maxPath), Address: caller.IP, Fields: fieldsOf(r),
	}, ids
}

// Limits of an entry: the number of its fields, and the length of its path in bytes.
const (
	maxFields = 30
	maxPath   = 400
)

// maxAuditName is the maximum length of a name in an entry, in characters. Names of the platform are shorter.
const maxAuditName = 100

// fieldsOf returns the names of the query parameters and body members of a request, never a value.
func fieldsOf(r *http.Request) []string {
	names := slices.Sorted(maps.Keys(r.URL.Query()))
	var body map[string]json.RawMessage
	if text, err := Body(r); err == nil && json.Unmarshal(text, &body) == nil {
		names = append(names, slices.Sorted(maps.Keys(body))...)
	}
	names = names[:min(len(names), maxFields)]
	for i := range names {
		names[i] = clip.Text(names[i], clip.Name)
	}
	return names
}
