package engine

import (
	"context"
	"errors"

	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// Try evaluates one trigger for a made-up event and fires it if its condition holds. Limits apply and the effects of
// the runs are real. It returns the evaluation and the runs.
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
