package trigger

import (
	"time"

	"minicloud/shared/id"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
)

// NewRequest is a run of what a function asks for itself. It has no trigger: in its place stands the root call, so that
// what one call asks for lies together, and what many ask for does not. The run has its name from the event.
func NewRequest(scope tenant.Scope, root id.ID, event string, a Action, link trace.Link, at time.Time) Run {
	a.ID, a.Frequency = 1, Frequency{Mode: Repeatable}
	t := Trigger{ID: ID(root), Name: "a function", Actions: []Action{a}}
	return NewRun(t, a, Event{
		ID: event, Scope: scope, Kind: OnRequest, At: at, Subject: root.Key(), Key: event,
		Trace: link.ID, Cause: link.Cause, Payload: map[string]any{}, Action: &a,
	})
}

// Requested is the trigger that a run of a NewRequest would have, false for any other run.
func (r Run) Requested() (Trigger, bool) {
	if r.Event.Action == nil {
		return Trigger{}, false
	}
	return Trigger{ID: r.Trigger, Enabled: true, Actions: []Action{*r.Event.Action}}, true
}
