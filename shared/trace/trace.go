// Package trace names what belongs together: all that one request or event leads to has its trace id, however many
// rows, triggers, actions and functions are between.
//
//	request  its X-Request-Id is the id; a function that calls back has that of its job
//	event    of a timer, payment, file or message that no request led to: its own id
//	hook     X-Service-Trace-Id where one of our webhooks calls, else that of the request
package trace

import (
	"context"
	"strings"
)

// MaxLen is how long an id is, in bytes.
const MaxLen = 128

// Link says to which trace something belongs, and what in it led there directly.
type Link struct {
	ID    string // of the trace
	Cause string // "" = the request or event itself; a run of an action by its id, a job as <function>/<job>
}

// Valid reports whether a text can be the id of a trace: printable ASCII without spaces and slashes.
func Valid(id string) bool {
	odd := func(c rune) bool { return c <= ' ' || c > '~' || c == '/' }
	return id != "" && len(id) <= MaxLen && !strings.ContainsFunc(id, odd)
}

// String is how a link is stored: "<id> <cause>", without a cause "<id>".
func (l Link) String() string {
	if l.ID == "" || l.Cause == "" {
		return l.ID
	}
	return l.ID + " " + l.Cause
}

// Parse reads what String returns.
func Parse(text string) Link {
	id, cause, _ := strings.Cut(text, " ")
	return Link{ID: id, Cause: cause}
}

// MarshalText is String.
func (l Link) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText is Parse.
func (l *Link) UnmarshalText(text []byte) error {
	*l = Parse(string(text))
	return nil
}

type contextKey struct{}

// NewContext returns ctx for work that belongs to the trace; log lines under it name it.
func NewContext(ctx context.Context, l Link) context.Context {
	return context.WithValue(ctx, contextKey{}, l)
}

// FromContext returns what NewContext put into ctx, zero when there is nothing.
func FromContext(ctx context.Context) Link {
	l, _ := ctx.Value(contextKey{}).(Link)
	return l
}
