package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
)

// evaluatedView is an evaluation with every member (G11): no why is null.
type evaluatedView struct {
	trigger.Evaluated
	Actions []decisionView `json:"actions"`
}

type decisionView struct {
	trigger.Decision
	Why *string `json:"why"`
}

func viewEvaluated(e trigger.Evaluated) evaluatedView {
	v := evaluatedView{Evaluated: e, Actions: make([]decisionView, len(e.Actions))}
	for i, d := range e.Actions {
		v.Actions[i] = decisionView{d, orNull(d.Why)}
	}
	return v
}

// orNull is null in JSON for an empty text.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

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
	httpapi.WriteList(w, r, req, found, viewEvaluated)
	return nil
}
