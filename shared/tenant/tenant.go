// Package tenant identifies a tenant: one environment of one application. A Scope is the second parameter of every
// service method and the prefix of every storage key (D9).
package tenant

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// AppID is the numeric id of an application; its wire name is "miniapp".
type AppID int64

// EnvID is the name of an environment: Production or 20 hex digits.
type EnvID string

// Production is the environment that every application has. Requests without an X-Service-Env-ID header use it.
const Production EnvID = "production"

var testEnv = regexp.MustCompile(`^[0-9a-f]{20}$`)

// Valid reports whether id has the format of an environment id.
func (id EnvID) Valid() bool { return id == Production || testEnv.MatchString(string(id)) }

// Scope is one environment of one application.
type Scope struct {
	App AppID
	Env EnvID
}

// String returns the prefix of storage keys: "<application>.<environment>". It is also the Lambda tenant id, so it
// contains only characters allowed there.
func (s Scope) String() string { return strconv.FormatInt(int64(s.App), 10) + "." + string(s.Env) }

// Parse reads the format of String.
func Parse(text string) (Scope, error) {
	app, env, ok := strings.Cut(text, ".")
	id, err := strconv.ParseInt(app, 10, 64)
	if !ok || err != nil || id <= 0 || !EnvID(env).Valid() {
		return Scope{}, fmt.Errorf("tenant: %q is not a scope", text)
	}
	return Scope{App: AppID(id), Env: EnvID(env)}, nil
}

// FairnessKey returns the application of a scope in the format of String, which it does not check. Queues share their
// workers fairly between the applications of their messages.
func FairnessKey(scope string) string {
	application, _, _ := strings.Cut(scope, ".")
	return application
}

type contextKey struct{}

// NewContext returns a context that carries the scope for logs and metrics only. Services take their scope as a
// parameter.
func NewContext(ctx context.Context, s Scope) context.Context {
	return context.WithValue(ctx, contextKey{}, s)
}

// FromContext returns the scope in ctx and whether there is one.
func FromContext(ctx context.Context) (Scope, bool) {
	s, ok := ctx.Value(contextKey{}).(Scope)
	return s, ok
}
