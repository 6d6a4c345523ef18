package api

import (
	"context"
	"net/http"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/tenant"
)

type addEnvironment struct {
	ofApplication
	naming
}

// nameOfEnvironment returns the environment that a request names, for the audit log.
func nameOfEnvironment(r *http.Request) []string {
	var in naming
	if httpapi.Decode(r, &in) != nil || in.Name == "" {
		return nil
	}
	return []string{"environment " + in.Name}
}

// addEnvironment serves POST /console/api/application/:application/environment/.
func (g *Group) addEnvironment(ctx context.Context, in addEnvironment) (Environment, error) {
	env, err := g.Applications.AddEnvironment(ctx, in.Application, in.Name)
	return Environment{env, in.Name}, err
}

type namedEnvironment struct {
	ofEnvironment
	naming
}

// renameEnvironment serves PATCH /console/api/application/:application/environment/:env/.
func (g *Group) renameEnvironment(ctx context.Context, in namedEnvironment) (Environment, error) {
	err := g.Applications.RenameEnvironment(ctx, in.Application, in.Env, in.Name)
	return Environment{in.Env, in.Name}, err
}

// removeEnvironment serves DELETE /console/api/application/:application/environment/:env/, with the environment's
// name in the body. It refuses an environment that still has objects: they must be deleted first.
func (g *Group) removeEnvironment(ctx context.Context, in namedEnvironment) (none httpapi.None, err error) {
	scope := tenant.Scope{App: in.Application, Env: in.Env}
	if !scope.Env.Valid() {
		return none, errs.NotFound("environment not found")
	}
	kinds, err := g.Contents.Holds(ctx, scope)
	if err != nil {
		return none, err
	}
	if len(kinds) > 0 && scope.Env != tenant.Production {
		return none, errs.Invalid("the environment still has %s: delete them first", strings.Join(kinds, ", "))
	}
	return none, g.Applications.RemoveEnvironment(ctx, scope.App, scope.Env, in.Name)
}
