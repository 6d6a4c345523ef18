// Package depth carries how deep in a chain of triggers a piece of work is, out of the platform and into it again.
//
// Every request that leaves the platform for a run, an action or a callback has the header, whose value package oauth
// signs and verifies. The context holds that value: package safehttp, the only way out, puts it into each request and
// drops what user code has set there.
package depth

import "context"

// Header is the name of the header: "<depth>.<handle>.<expires>.<signature>", the depth of what the request writes,
// starts or calls (G19).
const Header = "X-Service-Trigger-Depth"

type contextKey struct{}

// NewContext returns ctx for requests that leave the platform with this value of the header.
func NewContext(ctx context.Context, value string) context.Context {
	return context.WithValue(ctx, contextKey{}, value)
}

// FromContext returns what NewContext put into ctx, "" when there is nothing.
func FromContext(ctx context.Context) string {
	value, _ := ctx.Value(contextKey{}).(string)
	return value
}
