package api

import (
	"net/http"

	"minicloud/shared/httpapi"
)

// delete serves endpoint 9; a body, such as {}, is not looked at (D43).
func (g *Group) delete(w http.ResponseWriter, r *http.Request) error {
	guard, err := unchanged(r)
	if err != nil {
		return err
	}
	if err := g.Functions.DeleteIf(r.Context(), httpapi.ScopeOf(r), r.PathValue("name"), guard); err != nil {
		return err
	}
	httpapi.NoContent(w)
	return nil
}
