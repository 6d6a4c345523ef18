// Package depth passes the depth of a trigger chain along with requests that leave and re-enter the platform.
//
// Every such request of a run, an action or a callback carries the header. Package oauth signs and verifies its
// value, which the context holds. Package safehttp is the only way out of the platform: it sets the header on each
// request and overwrites a value set by user code.
package depth

import "context"

// Header is the name of the header. Its value is "<depth>.<handle>.<expires>.<signature>"; depth is the depth of the
// writes, runs and calls that the request causes (G19).
const Header = "X-Service-Trigger-Depth"

type contextKey struct{}

// NewContext returns a context whose outgoing requests carry this header value.
func NewContext(ctx context.Context, value string) context.Context {
	return context.WithValue(ctx, contextKey{}, value)
}

// FromContext returns the header value in ctx, or "".
func FromContext(ctx context.Context) string {
	value, _ := ctx.Value(contextKey{}).(string)
	return value
}
