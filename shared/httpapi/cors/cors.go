// Package cors writes the headers that let pages of other origins read responses (D5).
package cors

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
)

// exposed are the response headers that a browser's script may read.
const exposed = "X-Request-Id, Retry-After, Idempotency-Replayed, ETag, X-Service-Plan, X-Service-Scanned, " +
	"X-Service-Function-Version, X-Service-Skipped-Fields, X-Service-Skipped-Needs, X-Service-Multi-UUID, X-Service-Next-Part-ID"

// Allow sets the origins that may read a response. allowed is a comma-separated list; "" means "*", which is safe because
// credentials are never allowed: a page has only the token it was given.
func Allow(header http.Header, origin, allowed string) {
	switch {
	case allowed == "" || allowed == "*":
		header.Set("Access-Control-Allow-Origin", "*")
	case slices.Contains(strings.FieldsFunc(allowed, isListSeparator), origin):
		header.Set("Access-Control-Allow-Origin", origin)
		header.Add("Vary", "Origin")
	// Vary prevents a cache from serving this response to an allowed origin.
	default:
		header.Add("Vary", "Origin")
		return
	}
	header.Set("Access-Control-Expose-Headers", exposed)
}

func isListSeparator(r rune) bool { return r == ',' || r == ' ' }

// everyMethod is allowed on paths without a route, so that a page gets the 404 of its request: after a refused
// preflight it would get no response.
const everyMethod = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"

// Preflight responds to OPTIONS, without credentials. methods are those of the path, "" if the path does not exist.
func Preflight(w http.ResponseWriter, r *http.Request, methods string) {
	methods = cmp.Or(methods, everyMethod)
	w.Header().Set("Allow", methods)
	if w.Header().Get("Access-Control-Allow-Origin") != "" {
		w.Header().Set("Access-Control-Allow-Methods", methods)
		w.Header().Set("Access-Control-Allow-Headers", allowedHeaders(r.Header.Get("Access-Control-Request-Headers")))
		w.Header().Set("Access-Control-Max-Age", "600")
	}
	w.WriteHeader(http.StatusNoContent)
}

// allowedHeaders returns the fixed list plus all requested X-Service-* headers. Incoming webhooks also accept
// X_SERVICE_*.
func allowedHeaders(requested string) string {
	headers := []string{"Authorization", "Content-Type", "Idempotency-Key", "If-Match", "X-Date"}
	for name := range strings.SplitSeq(requested, ",") {
		name = http.CanonicalHeaderKey(strings.TrimSpace(name))
		dashed := http.CanonicalHeaderKey(strings.ReplaceAll(name, "_", "-"))
		if strings.HasPrefix(dashed, "X-Service-") && !slices.Contains(headers, name) {
			headers = append(headers, name)
		}
	}
	return strings.Join(headers, ", ")
}
