package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/trigger/draft"
)

// choices serves GET /oserve/v3/trigger-choice/: what a trigger can be made of.
func (g *Group) choices(w http.ResponseWriter, _ *http.Request) error {
	httpapi.Write(w, http.StatusOK, draft.AllChoices())
	return nil
}

// whoFiresWhom serves GET /oserve/v3/trigger-map/: which triggers may fire which others, and where that is a loop.
func (g *Group) whoFiresWhom(w http.ResponseWriter, r *http.Request) error {
	found, err := g.Triggers.Map(r.Context(), httpapi.ScopeOf(r))
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, found)
	return nil
}
