package api

import (
	"net/http"

	"minicloud/shared/httpapi"
)

// trace serves GET /oserve/v3/trace/:id/.
func (g *Group) trace(w http.ResponseWriter, r *http.Request) error {
	root, err := g.Triggers.Trace(r.Context(), httpapi.ScopeOf(r), r.PathValue("trace"))
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, root)
	return nil
}
