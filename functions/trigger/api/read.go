package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/trigger/manage"
)

// read serves GET /oserve/v3/trigger/:id/.
func (g *Group) read(w http.ResponseWriter, r *http.Request) error {
	number, err := manage.ParseID(r.PathValue("trigger"))
	if err != nil {
		return err
	}
	t, err := g.Triggers.Read(r.Context(), httpapi.ScopeOf(r), number)
	if err != nil {
		return err
	}
	httpapi.SetTag(w, tagOf(t))
	httpapi.Write(w, http.StatusOK, g.view(r, t))
	return nil
}
