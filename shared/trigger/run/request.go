package run

import (
	"time"

	"minicloud/shared/id"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
	"minicloud/shared/trigger"
)

// NewRequest is a run of what a function asks for itself. It has no trigger: in its place stands the root call, so that
// what one call asks for lies together, and what many ask for does not. The run has its name from the event.
func NewRequest(scope tenant.Scope, root id.ID, event string, a trigger.Action, link trace.Link, at time.Time) Run {
	a.ID, a.Frequency = 1, trigger.Frequency{Mode: trigger.Repeatable}
	t := trigger.Trigger{ID: trigger.ID(root), Name: "a function", Actions: []trigger.Action{a}}
	return New(t, a, trigger.Event{
		ID: event, Scope: scope, Kind: trigger.OnRequest, At: at, Subject: root.Key(), Key: event,
		Trace: link.ID, Cause: link.Cause, Payload: map[string]any{}, Action: &a,
	})
}

// Requested is the trigger that a run of a NewRequest would have, false for any other run.
func (r Run) Requested() (trigger.Trigger, bool) {
	if r.Event.Action == nil {
		return trigger.Trigger{}, false
	}
	return trigger.Trigger{ID: r.Trigger, Enabled: true, Actions: []trigger.Action{*r.Event.Action}}, true
}
