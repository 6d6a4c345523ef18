package api

import (
	"net/http"

	"minicloud/shared/httpapi"
)

// create serves POST /oserve/v3/trigger/.
func (g *Group) create(w http.ResponseWriter, r *http.Request) error {
	given, err := body(r)
	if err != nil {
		return err
	}
	made, err := g.Triggers.Create(r.Context(), httpapi.ScopeOf(r), author(r), given)
	if err != nil {
		return err
	}
	httpapi.SetTag(w, tagOf(made.Trigger))
	httpapi.Write(w, http.StatusCreated, g.written(r, made))
	return nil
}
