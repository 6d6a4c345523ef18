package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/page"
	"minicloud/shared/trigger/run"
)

// Evaluation is an evaluation with all its members (G11): an action without a reason has null.
type Evaluation struct {
	run.Evaluated
	Actions []decision `json:"actions"`
}

type decision struct {
	run.Decision
	Why *string `json:"why"` // The reason why the action did not run, or the event it waits for.
}

func viewEvaluated(e run.Evaluated) Evaluation {
	v := Evaluation{Evaluated: e, Actions: make([]decision, len(e.Actions))}
	for i, d := range e.Actions {
		v.Actions[i] = decision{d, httpapi.OrNull(d.Why)}
	}
	return v
}

// pageOf holds the parameters of a list that belongs to one trigger.
type pageOf struct {
	byID
	Page page.Request
}

type evaluations struct {
	pageOf
	Held *bool `query:"held"` // Only events for which the conditions held, or did not hold.
}

// evaluations serves GET /oserve/v3/trigger/:id/evaluation/ (G11).
func (g *Group) evaluations(ctx context.Context, in evaluations) (answer httpapi.Envelope[Evaluation], err error) {
	found, err := g.Triggers.Evaluated(ctx, httpapi.Scope(ctx), in.ID, in.Held, in.Page)
	return httpapi.ListOf(ctx, in.Page, found, viewEvaluated), err
}
