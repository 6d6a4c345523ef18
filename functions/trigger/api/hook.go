package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
)

// callView is a call with every member (G25): no reason is null.
type callView struct {
	trigger.ReceivedCall
	Reason *string `json:"reason"`
}

// calls serves GET /oserve/v3/trigger/:id/hook/: the last calls of an incoming webhook (G17, G25).
func (g *Group) calls(w http.ResponseWriter, r *http.Request) error {
	number, err := manage.ParseID(r.PathValue("trigger"))
	if err != nil {
		return err
	}
	req, err := httpapi.Page(r)
	if err != nil {
		return err
	}

	found, err := g.Triggers.Calls(r.Context(), httpapi.ScopeOf(r), number, req)
	if err != nil {
		return err
	}
	httpapi.WriteList(w, r, req, found, func(c trigger.ReceivedCall) callView {
		return callView{c, orNull(c.Reason)}
	})
	return nil
}

// resetHook serves POST /oserve/v3/trigger/:id/hook/: a new address, the old one is 404 at once.
func (g *Group) resetHook(w http.ResponseWriter, r *http.Request) error {
	number, err := manage.ParseID(r.PathValue("trigger"))
	if err != nil {
		return err
	}
	t, err := g.Triggers.ResetHook(r.Context(), httpapi.ScopeOf(r), number)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, map[string]string{"hook_url": t.View(g.Clock.Now(), base(r)).HookURL})
	return nil
}
