package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi/cors"
	"minicloud/shared/id"
	"minicloud/shared/trace/logging"
)

// Handler returns the routes behind the middleware. It panics on a duplicate route, so the program fails at start and
// in every test.
func (a *API) Handler() http.Handler {
	d := &dispatcher{api: a, log: logging.OrNone(a.Log), mux: http.NewServeMux(), ids: new(id.Source)}

	byPath := make(map[string]*resource)
	var routes []Route
	for _, route := range a.Routes {
		routes = append(routes, route.Served()...)
	}
	for _, route := range routes {
		// All methods of a path are one resource, so that a wrong method is 405 and not 404.
		path := strings.TrimSuffix(route.Path, "/")
		res := byPath[path]
		if res == nil {
			res = &resource{path: path, methods: make(map[string]Route)}
			byPath[path] = res
			d.mux.Handle(path, res)
		}

		if _, taken := res.methods[route.Method]; taken {
			panic(fmt.Sprintf("httpapi: route %s %s is listed twice", route.Method, path))
		}

		if call := route.Call; call != nil {
			status := cmp.Or(route.Status, http.StatusOK)
			route.Handle = func(w http.ResponseWriter, r *http.Request) error { return call.serve(status, w, r) }
		}
		res.methods[route.Method] = route
	}

	return d
}

// resource is one path with the routes of its methods. It implements http.Handler only because ServeMux requires it;
// the dispatcher serves it.
type resource struct {
	path    string
	methods map[string]Route
}

func (*resource) ServeHTTP(http.ResponseWriter, *http.Request) {}

func (res *resource) allow() string {
	allowed := []string{http.MethodOptions}
	for method, route := range res.methods {
		allowed = append(allowed, method)
		if method == http.MethodGet && !route.NoHead {
			allowed = append(allowed, http.MethodHead)
		}
	}
	slices.Sort(allowed)
	return strings.Join(allowed, ", ")
}

// route returns the route of a method. HEAD is served as GET: net/http or the gateway drops the body and sets
// Content-Length from it. The handler must write the body, because API Gateway ignores the program's Content-Length.
func (res *resource) route(method string) (Route, bool) {
	if method == http.MethodHead {
		route, ok := res.methods[http.MethodGet]
		return route, ok && !route.NoHead
	}
	route, ok := res.methods[method]
	return route, ok
}

// hiddenFrom reports whether the path is for functions only and the request is not a served request of a function. Such
// a path is also hidden from preflights and wrong methods.
func (res *resource) hiddenFrom(r *http.Request) bool {
	if res == nil {
		return false
	}
	inner := false
	for _, route := range res.methods {
		inner = route.Access == RunToken
		break
	}
	_, served := res.route(r.Method)
	scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return inner && (!served || scheme != "Run")
}

type dispatcher struct {
	api *API
	log *slog.Logger
	mux *http.ServeMux
	ids *id.Source // of audit entries
}

// ServeHTTP recovers from panics and logs the request; serve does the rest.
func (d *dispatcher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	out := &response{ResponseWriter: w}
	state := &requestState{path: r.URL.Path}
	r = r.WithContext(context.WithValue(r.Context(), stateKey{}, state))
	if id := logging.RequestID(r.Context()); id != "" {
		out.Header().Set("X-Request-Id", id)
	}
	defer func() {
		if cause := recover(); cause != nil {
			err := fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
			writeError(out, r, d.log, err)
		}
		d.log.InfoContext(r.Context(), "request", "method", r.Method, "route", state.route,
			"status", out.status, "bytes", out.bytes, "ms", float64(time.Since(start).Microseconds())/1000)
	}()
	// Set the CORS headers first: without them a browser hides an error response from its page.
	cors.Allow(out.Header(), r.Header.Get("Origin"), d.api.Origins)
	if strings.HasPrefix(r.URL.Path, clientPrefix) {
		out.client = state
		out.Header().Set("Cache-Control", "no-store")
	}
	if err := d.serve(out, &r, state); err != nil {
		writeError(out, r, d.log, err)
	}
}

// serve finds the route, authenticates the caller and calls the handler. It sets *request to the request that the
// handler gets, so that the log line has its scope.
func (d *dispatcher) serve(w *response, request **http.Request, state *requestState) error {
	r := *request
	res := d.find(r)
	if res != nil {
		state.route = res.path
	}
	// This check precedes OPTIONS and 405, which would reveal the path.
	if res.hiddenFrom(r) {
		res = nil
	}
	if r.Method == http.MethodOptions {
		methods := ""
		if res != nil {
			methods = res.allow()
		}
		cors.Preflight(w, r, methods)
		return nil
	}
	if res == nil {
		return errNoPath(r)
	}

	route, ok := res.route(r.Method)
	if !ok {
		w.Header().Set("Allow", res.allow())
		Write(
			w, http.StatusMethodNotAllowed,
			errorBody{Status: "error", Message: fmt.Sprintf("%s is not allowed here, use %s", r.Method, res.allow())},
		)
		return nil
	}

	r, err := d.identify(r, route, state)
	if err != nil {
		return err
	}

	*request = r
	state.shown = route
	if err := checkQuery(r, route); err != nil {
		return err
	}

	route.Handle = d.audited(route)
	return d.replay(w, r, route)
}

func errNoPath(r *http.Request) error {
	return errs.NotFound("there is no %s %s", clip.Text(r.Method, clip.Name), clip.Text(r.URL.Path, clip.Name))
}

// checkQuery refuses an ambiguous query string (D6, D43). url.Values drops a parameter with a bad escape or a bare
// semicolon, and an update without its where would change every record. Of a parameter given twice, one reader takes
// the first value and another the last. A semicolon is an ordinary character here, as in browsers.
func checkQuery(r *http.Request, route Route) error {
	r.URL.RawQuery = strings.ReplaceAll(r.URL.RawQuery, ";", "%3B")
	for pair := range strings.SplitSeq(r.URL.RawQuery, "&") {
		if _, err := url.QueryUnescape(pair); err != nil {
			name, _, _ := strings.Cut(pair, "=")
			return errs.Invalid("the query parameter %q is not well-formed: percent signs are written %%25", clip.Text(name, clip.Name))
		}
	}

	if route.Access == Public {
		return nil
	}

	query := r.URL.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if len(query[name]) > 1 {
			return errs.Invalid("%s is given twice", clip.Text(name, clip.Name))
		}
	}

	return checkShown(query, route)
}

// checkShown refuses expand and keys on routes that would ignore them, because the caller expects another form of the
// response. Empty values count as not given (D43).
func checkShown(query url.Values, route Route) error {
	if expand := query.Get("expand"); expand != "" && !route.Expand {
		return errs.Invalid(
			"expand=%s cannot be served: no field is expanded here, read the record it points to", clip.Text(expand, clip.Name),
		)
	}
	if keys := query.Get("keys"); keys != "" && !route.Keys {
		return errs.Invalid("keys=%s cannot be served: this endpoint shows all fields", clip.Text(keys, clip.Name))
	}
	return nil
}

// find returns the resource of the request's path, with or without a trailing slash, and sets the path values. Unclean
// paths do not exist here (D3), while ServeMux would redirect them.
func (d *dispatcher) find(r *http.Request) *resource {
	path := strings.TrimSuffix(r.URL.Path, "/")
	if strings.Contains(path, "//") || strings.Contains(path+"/", "/./") || strings.Contains(path+"/", "/../") {
		return nil
	}
	// Match a copy: ServeMux needs the path without its slash, and the request must not change.
	probe := *r
	target := *r.URL
	target.Path, target.RawPath = path, strings.TrimSuffix(target.RawPath, "/")
	probe.URL = &target
	handler, _ := d.mux.Handler(&probe)
	res, ok := handler.(*resource)
	if !ok {
		return nil
	}
	setPathValues(r, res.path, path)
	return res
}

// setPathValues sets the path values, which ServeMux.Handler does not: each wildcard of the pattern is one segment. The
// gateway decodes paths, so a slash within a value arrives as %2F only if the client encoded it twice.
func setPathValues(r *http.Request, pattern, path string) {
	segments := strings.Split(path, "/")
	for i, part := range strings.Split(pattern, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok && i < len(segments) {
			r.SetPathValue(strings.TrimSuffix(name, "}"), slash.Replace(segments[i]))
		}
	}
}

var slash = strings.NewReplacer("%2F", "/", "%2f", "/")

// requestState is the middleware's state of a request, besides its context.
type requestState struct {
	path   string // as sent, with its slash
	route  string // the pattern that matched, for the log
	shown  Route  // says whether keys and expand are served
	caller Caller
	// bodyQuery reports that the list's parameters are in the body, see Query.
	bodyQuery bool
	// writer and request are for Endpoint functions, which get only the context.
	writer  http.ResponseWriter
	request *http.Request
}

type stateKey struct{}

func stateOf(r *http.Request) *requestState {
	state, _ := r.Context().Value(stateKey{}).(*requestState)
	if state == nil {
		return &requestState{path: r.URL.Path}
	}
	return state
}

// requestPath returns the path as sent by the caller.
func requestPath(r *http.Request) string { return stateOf(r).path }

// clientPrefix is the prefix of the paths for end users.
const clientPrefix = "/hserve/"

// planHeaders describe how a list was found. They reveal rows that an end user may not read, so only administrators get
// them under clientPrefix (C38).
var planHeaders = []string{"X-Service-Plan", "X-Service-Scanned"}

// response records the status and the size of the response for the log line.
type response struct {
	http.ResponseWriter
	status int
	bytes  int
	client *requestState // of a request under clientPrefix
}

func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
		if w.client != nil && w.client.caller.Administrator == nil {
			for _, name := range planHeaders {
				w.Header().Del(name)
			}
		}
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *response) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	w.bytes += len(b)
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the Flusher of a streamed response.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
