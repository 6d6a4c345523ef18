package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
)

// evaluations serves GET /oserve/v3/trigger/:id/evaluation/ (G11).
func (g *Group) evaluations(w http.ResponseWriter, r *http.Request) error {
	number, err := manage.ParseID(r.PathValue("trigger"))
	if err != nil {
		return err
	}
	req, err := httpapi.Page(r)
	if err != nil {
		return err
	}

	found, err := g.Triggers.Evaluated(r.Context(), httpapi.ScopeOf(r), number, req)
	if err != nil {
		return err
	}
	httpapi.WriteList(w, r, req, found, func(e trigger.Evaluated) trigger.Evaluated { return e })
	return nil
}
