package api

import (
	"net/http"

	"minicloud/shared/httpapi"
)

// delete serves endpoint 9; a body, such as {}, is not looked at (D43).
func (g *Group) delete(w http.ResponseWriter, r *http.Request) error {
	if err := g.Functions.Delete(r.Context(), httpapi.ScopeOf(r), r.PathValue("name")); err != nil {
		return err
	}
	httpapi.NoContent(w)
	return nil
}
