package api

import (
	"net/http"

	"minicloud/shared/httpapi"
)

// read serves endpoint 7.
func (g *Group) read(w http.ResponseWriter, r *http.Request) error {
	f, err := g.Functions.Read(r.Context(), httpapi.ScopeOf(r), r.PathValue("name"))
	if err != nil {
		return err
	}
	return writeFunction(w, http.StatusOK, f)
}
