// Package tenant names whose data is meant: an application and one of its
// environments. A Scope is the second parameter of every service method and
// the first part of every key (D9).
package tenant

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// AppID is the numeric id of an application, "miniapp" on the wire.
type AppID int64

// EnvID names an environment of an application: Production or 20 hex digits.
type EnvID string

// Production is the environment every application has and requests get when
// they send no X-Service-Env-ID header.
const Production EnvID = "production"

var testEnv = regexp.MustCompile(`^[0-9a-f]{20}$`)

// Valid reports whether id has the form of an environment id.
func (id EnvID) Valid() bool { return id == Production || testEnv.MatchString(string(id)) }

// Scope is one environment of one application.
type Scope struct {
	App AppID
	Env EnvID
}

// String returns the scope as it stands at the head of every storage key:
// "<application>.<environment>". It is also the Lambda tenant id, which is
// why it only has characters that are allowed there.
func (s Scope) String() string { return strconv.FormatInt(int64(s.App), 10) + "." + string(s.Env) }

// Parse reads what String wrote.
func Parse(text string) (Scope, error) {
	app, env, ok := strings.Cut(text, ".")
	id, err := strconv.ParseInt(app, 10, 64)
	if !ok || err != nil || id <= 0 || !EnvID(env).Valid() {
		return Scope{}, fmt.Errorf("tenant: %q is not a scope", text)
	}
	return Scope{App: AppID(id), Env: EnvID(env)}, nil
}

type contextKey struct{}

// NewContext returns ctx carrying the scope, for logs and metrics only:
// services take their scope as a parameter.
func NewContext(ctx context.Context, s Scope) context.Context {
	return context.WithValue(ctx, contextKey{}, s)
}

// FromContext returns the scope ctx carries, and whether it does.
func FromContext(ctx context.Context) (Scope, bool) {
	s, ok := ctx.Value(contextKey{}).(Scope)
	return s, ok
}
