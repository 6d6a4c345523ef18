package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/trigger/manage"
)

// delete serves DELETE /oserve/v3/trigger/:id/ (G9).
func (g *Group) delete(w http.ResponseWriter, r *http.Request) error {
	number, err := manage.ParseID(r.PathValue("trigger"))
	if err != nil {
		return err
	}
	guard, err := unchanged(r)
	if err != nil {
		return err
	}
	if err := g.Triggers.DeleteIf(r.Context(), httpapi.ScopeOf(r), number, guard); err != nil {
		return err
	}
	httpapi.NoContent(w)
	return nil
}
