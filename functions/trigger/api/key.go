package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/trigger/manage"
)

// rotateKey serves POST /oserve/v3/trigger/:id/action/:action_id/key/ (G24). Until active_at, Unix seconds, the old
// key signs the body.
func (g *Group) rotateKey(w http.ResponseWriter, r *http.Request) error {
	number, err := manage.ParseID(r.PathValue("trigger"))
	if err != nil {
		return err
	}

	action, err := manage.ParseActionID(r.PathValue("action"))
	if err != nil {
		return err
	}

	key, at, err := g.Triggers.RotateKey(r.Context(), httpapi.ScopeOf(r), number, action)
	if err != nil {
		return err
	}

	httpapi.Write(w, http.StatusOK, struct {
		Key      string `json:"key"`
		ActiveAt int64  `json:"active_at"`
	}{key, at.Unix()})

	return nil
}
