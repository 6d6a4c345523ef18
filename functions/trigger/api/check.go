package api

import (
	"net/http"

	"minicloud/shared/httpapi"
)

// check serves POST /oserve/v3/trigger-check/: what is wrong with a trigger. It stores nothing.
func (g *Group) check(w http.ResponseWriter, r *http.Request) error {
	given, err := body(r)
	if err != nil {
		return err
	}
	report, err := g.Triggers.Check(r.Context(), httpapi.ScopeOf(r), author(r), given)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, report)
	return nil
}
