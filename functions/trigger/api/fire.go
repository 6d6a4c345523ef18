package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
)

type fire struct {
	byID
	DryRun bool      `query:"dry_run" ref:"dryRunFlag"`
	Body   *happened `body:"happened"`
}

type happened struct {
	Event httpapi.Nullable[httpapi.Object] `json:"event"` // The event.data. Defaults to a sample.
}

// Fired is the runs that an event started.
type Fired struct {
	EventID string          `json:"event_id"`
	Actions []startedAction `json:"actions"`
}

type startedAction struct {
	Action trigger.ActionID `json:"action"`
	LogID  string           `json:"log_id"`
}

// fire serves POST /oserve/v3/trigger/:id/fire/. It processes a simulated event; with dry_run=1 it has no effect.
func (g *Group) fire(ctx context.Context, in fire) (answer httpapi.Either[Fired, manage.DryRun], err error) {
	var payload map[string]any // nil means a sample
	if in.Body != nil && in.Body.Event.Value != nil {
		payload = *in.Body.Event.Value
	}
	if in.DryRun {
		would, err := g.Triggers.DryRun(ctx, httpapi.Scope(ctx), in.ID, payload)
		answer.Other = &would
		return answer, err
	}

	id, runs, err := g.Triggers.Fire(ctx, httpapi.Scope(ctx), in.ID, payload, origin(ctx))
	answer.One = &Fired{EventID: id, Actions: []startedAction{}}
	for _, run := range runs {
		answer.One.Actions = append(answer.One.Actions, startedAction{run.Action, run.Ref().LogID()})
	}
	return answer, err
}
