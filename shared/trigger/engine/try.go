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
	seen, notes := m.Evaluate(event), &notebook{}
	runs, pending, err := e.act(ctx, m, event, seen, notes)
	if err = errors.Join(err, e.enqueue(ctx, event, pending)); err != nil {
		return seen, runs, err
	}
	return seen, runs, notes.keep(ctx, e.Evaluations)
}
