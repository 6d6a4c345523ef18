package engine

import (
	"context"
	"errors"

	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// Try has one trigger look at an event that was made up for it, as if it had happened: its conditions and limits hold,
// and what it does is real. It returns what the conditions saw and the runs of its actions.
func (e *Engine) Try(ctx context.Context, m *Matcher, event trigger.Event) (Evaluation, []run.Run, error) {
	seen := m.Evaluate(event)
	note := seen.Of(event)
	var runs []run.Run
	if seen.Held {
		var pending []run.Run
		var err error
		runs, pending, err = e.startAll(ctx, m, event)
		if err = errors.Join(err, e.enqueue(ctx, event, pending)); err != nil {
			return seen, runs, err
		}
		for _, r := range runs {
			note.Actions = append(note.Actions, r.Decided())
		}
	}

	if !m.Trigger.Traces(e.Clock.Now()) {
		return seen, runs, nil
	}
	notes := &notebook{}
	notes.add(event, m.Trigger.ID, note)
	return seen, runs, notes.keep(ctx, e.Evaluations)
}
