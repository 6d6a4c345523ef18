// Package gateway is the HTTP API of the local cloud: it sends requests to functions in payload format 2.0, by the
// routes of the template.
//
//	request ──► route (most specific) ──► event ──► Invoke ──► answer ──► response
//
// It copies API Gateway's surprising behavior: a path arrives decoded and ends at a decoded question mark; forms
// arrive in base64; a failed function causes a 500 without a reason. Three things differ, unless unkind.GatewayErrors is
// on. Errors of the gateway also have the error fields of this API (see refusal), and pages of all origins may read them
// (decision 185). A function that is too slow causes a 504; an HTTP API responds 503, as for a throttled function.
package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/stats"
	"minicloud/infra/local/template"
	"minicloud/infra/local/unkind"
	"minicloud/infra/local/watch"
	"minicloud/shared/httpapi/cors"
)

// Quotas of an HTTP API.
const (
	maxBody   = 10 * 1024 * 1024 // bytes
	maxHeader = 10240            // request line and header values, bytes
)

// Gateway serves the HTTP API.
type Gateway struct {
	invoker lambdahost.Invoker
	stats   *stats.Counters
	targets []*target

	// Metrics, API and AccessLog describe and receive what the gateway observes; the zero values are for none.
	Metrics   *watch.Metrics
	API       template.API
	AccessLog io.Writer
	// Unkind says whether the gateway's own errors are those of API Gateway; nil means that they have reasons.
	Unkind *unkind.Switches
}

// New returns a gateway for the routes of the functions.
func New(functions []*template.Function, invoker lambdahost.Invoker, counters *stats.Counters) *Gateway {
	return &Gateway{invoker: invoker, stats: counters, targets: targets(functions)}
}

// ServeHTTP serves and observes one request.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e := &exchange{ResponseWriter: w, id: requestID(), begun: time.Now(), unkind: g.Unkind}
	g.serve(e, r)
	g.observe(e)
}

func (g *Gateway) serve(w *exchange, r *http.Request) {
	w.Header().Set("Apigw-Requestid", w.id)
	if n := headerBytes(r); n > maxHeader {
		explain(w, http.StatusRequestHeaderFieldsTooLarge, "Request Header Fields Too Large", tooLong(r, n))
		return
	}

	t, params := find(g.targets, r.Method, decodedPath(r))
	if t == nil {
		message(w, http.StatusNotFound, "Not Found")
		return
	}

	w.route = t.Key()
	g.stats.Add("http", t.Key())
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	root := lambdahost.Root(r.Header.Get("X-Amzn-Trace-Id"), w.begun)
	payload, err := event(r, t, params, w.id, root, time.Now())
	if err != nil {
		refuseBody(w, err)
		return
	}

	// API Gateway has its own timeout, which may be shorter than the function's.
	ctx, cancel := context.WithTimeout(r.Context(), t.Timeout)
	defer cancel()
	begun := time.Now()
	result, err := g.invoker.Invoke(ctx, lambdahost.Request{
		Function: t.function, Alias: t.alias, Trace: "Root=" + root, Payload: payload,
	})
	w.integration, w.integrationStatus = time.Since(begun), http.StatusOK
	if err != nil {
		w.failed(err)
		refuse(w, err)
		return
	}
	if result.FunctionError != "" {
		w.integrationError = "the function failed: " + result.FunctionError
		message(w, http.StatusInternalServerError, "Internal Server Error")
		return
	}

	respond(w, r.Method, result.Payload)
}

func refuse(w http.ResponseWriter, err error) {
	refusal, _ := errors.AsType[*lambdahost.Error](err)
	if refusal != nil && refusal.Status == http.StatusRequestEntityTooLarge {
		explain(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large", "the request is over 6 MB")
		return
	}
	// The function may still run and a write may take effect, so no Retry-After asks for a second request.
	if errors.Is(err, context.DeadlineExceeded) {
		explain(w, http.StatusGatewayTimeout, "Gateway Timeout", "the answer took too long, the request may have taken "+
			"effect: look before you repeat a write that has no Idempotency-Key")
		return
	}
	if refusal != nil && refusal.Status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1") // D2: no function was invoked
	}
	message(w, http.StatusServiceUnavailable, "Service Unavailable")
}

// refuseBody sends the error for a request body that cannot be read. No function was invoked.
func refuseBody(w http.ResponseWriter, err error) {
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case tooLarge:
		explain(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large", "the request body is over 10 MB")
	case errors.Is(err, os.ErrDeadlineExceeded):
		explain(w, http.StatusRequestTimeout, "Request Timeout", "the body arrives too slowly")
	case errors.Is(err, io.ErrUnexpectedEOF):
		explain(w, http.StatusBadRequest, "Bad Request", "the body ends before its Content-Length or its last chunk")
	default:
		explain(w, http.StatusBadRequest, "Bad Request", "the body cannot be read: "+err.Error())
	}
}

// refusal is the response body for errors of the gateway itself. An HTTP API on AWS sends only message; the other
// fields are the error format of all endpoints (D1), so that clients parse only two formats.
type refusal struct {
	Message string `json:"message"`
	Status  string `json:"status"`
	Error   string `json:"error_msg"`
}

func message(w http.ResponseWriter, status int, text string) {
	explain(w, status, text, strings.ToLower(text))
}

// explain sends a refusal with sentence as its error_msg.
func explain(w http.ResponseWriter, status int, text, sentence string) {
	e, ok := w.(*exchange)
	bare := ok && e.unkind.On(unkind.GatewayErrors)
	if bare && status == http.StatusGatewayTimeout {
		status, text = http.StatusServiceUnavailable, http.StatusText(http.StatusServiceUnavailable)
	}
	if ok {
		e.gatewayError = text
	}
	w.Header().Set("Content-Type", "application/json")
	if bare {
		e.unkind.Hit(unkind.GatewayErrors)
		w.Header().Del("Retry-After")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"message":%q}`, text)
		return
	}
	// Not on AWS: there, pages cannot read the gateway's own errors (decision 158).
	cors.Allow(w.Header(), "", "")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	body, _ := json.Marshal(refusal{text, "error", sentence}) // strings always encode
	_, _ = w.Write(body)
}

// headerBytes returns the size that API Gateway limits: the request line and the values of all headers.
func headerBytes(r *http.Request) int {
	n := len(r.Method) + len(" ") + len(r.RequestURI) + len(" ") + len(r.Proto) + len(r.Host)
	for _, values := range r.Header {
		for _, value := range values {
			n += len(value)
		}
	}
	return n
}

// tooLong returns the error for a request line and headers of n bytes. If the query string takes more than
// half of the limit, it suggests a POST.
func tooLong(r *http.Request, n int) string {
	sentence := fmt.Sprintf("the request line and the headers have %d bytes and may have %d", n, maxHeader)
	if query := len(r.URL.RawQuery); query > maxHeader/2 {
		sentence += fmt.Sprintf(", the query string alone has %d: a list with a large where is asked for "+
			"by POST …/query/, with the query parameters in the body", query)
	}
	return sentence
}
