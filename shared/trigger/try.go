package trigger

import (
	"context"
	"errors"
)

// Try has one trigger look at an event that was made up for it, as if it had happened: its conditions and limits hold,
// and what it does is real. It returns what the conditions saw and the runs of its actions.
func (e *Engine) Try(ctx context.Context, m *Matcher, event Event) (Evaluation, []Run, error) {
	seen := m.Evaluate(event)
	note := Evaluated{
		EventID: event.ID, Kind: event.Kind, Subject: event.Subject, At: event.At.UnixMilli(),
		Held: seen.Held, Rules: seen.Rules, Actions: []Decision{},
	}
	var runs []Run
	if seen.Held {
		var asked []Run
		var err error
		runs, asked, err = e.startAll(ctx, m, event)
		if err = errors.Join(err, e.askFor(ctx, event, asked)); err != nil {
			return seen, runs, err
		}
		for _, r := range runs {
			note.Actions = append(note.Actions, r.decision())
		}
	}

	if !m.Trigger.Traces(e.Clock.Now()) {
		return seen, runs, nil
	}
	notes := &notebook{}
	notes.add(event, m.Trigger.ID, note)
	return seen, runs, notes.keep(ctx, e.Evaluations)
}
