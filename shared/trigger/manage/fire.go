package manage

import (
	"context"
	"fmt"
	"sync"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/run"
	"minicloud/shared/user"
)

// Fire evaluates a trigger on an event as if the event had happened, and stores its runs. The event has the given
// payload, or a sample if payload is nil. It returns errs.Invalid if the trigger is disabled or broken. The event takes
// the depth and trace of from: depth 0 for a request from outside, the depth of the calling function otherwise, so that
// a function that fires its own trigger ends at the loop limit (G19).
func (s *Service) Fire(
	ctx context.Context, scope tenant.Scope, number trigger.ID, payload map[string]any, from table.Origin,
) (eventID string, runs []run.Run, err error) {
	m, event, err := s.sample(ctx, scope, number, payload)
	if err != nil {
		return "", nil, err
	}
	event.Depth, event.Trace, event.Cause = from.Depth, from.Trace.ID, from.Trace.Cause
	if !m.Trigger.Enabled {
		return "", nil, errs.Invalid("trigger %d is disabled: enable it, or ask with dry_run=1", number)
	}
	_, runs, err = s.Engine.Try(ctx, m, event)
	return event.ID, runs, err
}

// firedByHand is the id prefix of the events of Fire and DryRun.
const firedByHand = "fire#"

// sample reads a trigger and makes an event for it. A repeated request makes the same event.
func (s *Service) sample(
	ctx context.Context, scope tenant.Scope, number trigger.ID, payload map[string]any,
) (*engine.Matcher, trigger.Event, error) {
	t, in, m, err := s.ready(ctx, scope, number)
	if err != nil {
		return nil, trigger.Event{}, err
	}
	ids, at := writetoken.IDs(ctx, s.IDs, s.Clock.Now())
	name, at := fmt.Sprint(firedByHand, ids.New(at)), at.Truncate(time.Millisecond)
	event := trigger.SampleEvent(scope, name, at, t, in, payload)
	return m, event, nil
}

// ready reads a trigger and its table, and makes a matcher. It returns errs.Invalid if the trigger is broken.
func (s *Service) ready(
	ctx context.Context, scope tenant.Scope, number trigger.ID,
) (t trigger.Trigger, in *table.Table, m *engine.Matcher, err error) {
	if t, err = s.Store.Trigger(ctx, scope, number); err != nil {
		return t, nil, nil, err
	}
	if in, err = s.tableOf(ctx, scope, t, map[table.ID]*table.Table{}); err != nil {
		return t, nil, nil, err
	}
	m, why := engine.NewMatcher(t, in)
	if why != nil {
		return t, nil, nil, errs.Invalid("trigger %d is broken: %s", number, errs.Message(why))
	}
	return t, in, m, nil
}

// PlannedAction is the expected effect of an action.
type PlannedAction struct {
	Action trigger.ActionID `json:"action"`
	// Outcome is "run", or the reason why the action would not run: conditions, disabled, frequency, debounced;
	// "batched"; or the event it would wait for.
	Outcome string `json:"would"`
	// Rendered is the settings with all templates rendered. A failed template is replaced by its error.
	Rendered any `json:"rendered"`
}

// DryRun is the expected effect of an event.
type DryRun struct {
	engine.Evaluation
	Actions []PlannedAction `json:"actions"`
}

// DryRun returns the effect that Fire would have. It stores nothing.
func (s *Service) DryRun(
	ctx context.Context, scope tenant.Scope, number trigger.ID, payload map[string]any,
) (DryRun, error) {
	m, event, err := s.sample(ctx, scope, number, payload)
	if err != nil {
		return DryRun{}, err
	}
	dry := DryRun{Evaluation: m.Evaluate(event), Actions: []PlannedAction{}}
	creator := s.creator(ctx, event)
	for _, a := range m.Trigger.Actions {
		outcome, err := s.outcome(ctx, m, a, event, dry.Held)
		if err != nil {
			return dry, err
		}
		dry.Actions = append(dry.Actions, PlannedAction{a.ID, outcome, action.Preview(m.Trigger, a, event, creator)})
	}
	return dry, nil
}

// outcome returns "run", or why an action would not run or what it would wait for.
func (s *Service) outcome(
	ctx context.Context, m *engine.Matcher, a trigger.Action, e trigger.Event, held bool,
) (string, error) {
	t := m.Trigger
	switch {
	case !t.Enabled || t.Stopped[a.ID] != "":
		return run.SkippedDisabled, nil
	case !held:
		return "conditions", nil
	}

	if a.Frequency.Mode == trigger.Once || a.Frequency.Mode == trigger.Intermittent {
		last, err := s.Runs.LastTurn(ctx, e.Scope, t.ID, a.ID)
		interval := time.Duration(a.Frequency.IntervalSeconds) * time.Second
		if !last.IsZero() && (a.Frequency.Mode == trigger.Once || e.At.Before(last.Add(interval))) {
			return run.SkippedFrequency, err
		}
		if err != nil {
			return "", err
		}
	}

	r := m.NewRun(a, e)
	if r.Flow == nil {
		return "run", nil
	}
	state, err := s.Runs.State(ctx, r)
	if err != nil {
		return "", err
	}
	return state.Enter(r, s.Clock.Now()).Outcome(), nil
}

// creator returns a function that reads the profile of the creator of the event's row, order or file. It reads the
// profile once, when a template needs it.
func (s *Service) creator(ctx context.Context, e trigger.Event) func() map[string]any {
	return sync.OnceValue(func() map[string]any {
		profile, err := action.Creator(ctx, &user.Service{Tables: s.Tables}, e, "")
		if err != nil {
			return nil // fields of the creator render empty
		}
		return profile
	})
}
