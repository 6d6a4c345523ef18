package api

import (
	"net/http"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/tenant"
)

// removeEnvironment serves DELETE /console/api/application/:application/environment/:env/, with its name in the body.
// One that holds something is kept: what is in it is deleted first, where one sees what it is.
func (g *Group) removeEnvironment(w http.ResponseWriter, r *http.Request) error {
	var body nameBody
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	scope := tenant.Scope{App: httpapi.ScopeOf(r).App, Env: tenant.EnvID(r.PathValue("env"))}
	if !scope.Env.Valid() {
		return errs.NotFound("environment not found")
	}

	kinds, err := g.Contents.Holds(r.Context(), scope)
	if err != nil {
		return err
	}
	if len(kinds) > 0 && scope.Env != tenant.Production {
		return errs.Invalid("the environment still has %s: delete them first", strings.Join(kinds, ", "))
	}
	if err := g.Applications.RemoveEnvironment(r.Context(), scope.App, scope.Env, body.Name); err != nil {
		return err
	}
	httpapi.NoContent(w)
	return nil
}
