// Package trace defines trace ids. All work caused by one request or event has the same trace id, across rows,
// triggers, actions and functions. The trace id comes from:
//
//	request  its X-Request-Id; for a call from a function, the trace id of the function's job
//	event    a timer, payment, file or message event that no request caused: the id of the event
//	hook     X-Service-Trace-Id if one of our webhooks is the caller, otherwise as for a request
package trace

import (
	"context"
	"strings"
)

// MaxLen is the maximum length of a trace id in bytes.
const MaxLen = 128

// Link names the trace of a piece of work and its direct cause within that trace.
type Link struct {
	ID    string // trace id
	Cause string // "" = the request or event itself; otherwise the id of an action's run, or <function>/<job>
}

// Valid reports whether id is a valid trace id: 1 to MaxLen bytes of printable ASCII without spaces and slashes.
func Valid(id string) bool {
	odd := func(c rune) bool { return c <= ' ' || c > '~' || c == '/' }
	return id != "" && len(id) <= MaxLen && !strings.ContainsFunc(id, odd)
}

// String returns the stored form of a link: "<id> <cause>", or "<id>" without a cause.
func (l Link) String() string {
	if l.ID == "" || l.Cause == "" {
		return l.ID
	}
	return l.ID + " " + l.Cause
}

// Parse reads the format of String.
func Parse(text string) Link {
	id, cause, _ := strings.Cut(text, " ")
	return Link{ID: id, Cause: cause}
}

// MarshalText returns String.
func (l Link) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads the format of String.
func (l *Link) UnmarshalText(text []byte) error {
	*l = Parse(string(text))
	return nil
}

type contextKey struct{}

// NewContext returns a context for work that belongs to the trace; log lines include the trace id.
func NewContext(ctx context.Context, l Link) context.Context {
	return context.WithValue(ctx, contextKey{}, l)
}

// FromContext returns the link in ctx, or a zero Link.
func FromContext(ctx context.Context) Link {
	l, _ := ctx.Value(contextKey{}).(Link)
	return l
}
