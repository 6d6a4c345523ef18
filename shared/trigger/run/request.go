package run

import (
	"time"

	"minicloud/shared/id"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
	"minicloud/shared/trigger"
)

// NewRequest returns the run of an action that a function requests directly. It has no trigger; its Trigger is the id
// of the root call, so the requests of one call share a partition and many calls do not. Its ID follows from event.
func NewRequest(scope tenant.Scope, root id.ID, event string, a trigger.Action, link trace.Link, at time.Time) Run {
	a.ID, a.Frequency = 1, trigger.Frequency{Mode: trigger.Repeatable}
	t := trigger.Trigger{ID: trigger.ID(root), Name: "a function", Actions: []trigger.Action{a}}
	return New(t, a, trigger.Event{
		ID: event, Scope: scope, Kind: trigger.OnRequest, At: at, Subject: root.Key(), Key: event,
		Trace: link.ID, Cause: link.Cause, Payload: map[string]any{}, Action: &a,
	})
}

// Requested returns a trigger for a run made by NewRequest. ok is false for any other run.
func (r Run) Requested() (trigger.Trigger, bool) {
	if r.Event.Action == nil {
		return trigger.Trigger{}, false
	}
	return trigger.Trigger{ID: r.Trigger, Enabled: true, Actions: []trigger.Action{*r.Event.Action}}, true
}
