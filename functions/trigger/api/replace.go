package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/trigger/manage"
)

// replace serves PUT /oserve/v3/trigger/:id/: the given members replace.
func (g *Group) replace(w http.ResponseWriter, r *http.Request) error {
	number, err := manage.ParseID(r.PathValue("trigger"))
	if err != nil {
		return err
	}
	given, err := body(r)
	if err != nil {
		return err
	}
	guard, err := unchanged(r)
	if err != nil {
		return err
	}
	changed, err := g.Triggers.ChangeIf(r.Context(), httpapi.ScopeOf(r), number, given, guard)
	if err != nil {
		return err
	}
	httpapi.SetTag(w, tagOf(changed.Trigger))
	httpapi.Write(w, http.StatusOK, g.written(r, changed))
	return nil
}
