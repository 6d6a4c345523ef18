package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// The types of errors of entries that are about a trigger itself and not about one of its actions: they have no action,
// are failed from the start and cannot be replayed.
const (
	// FailedBroken: what a condition asks for is gone (G21). It is said once for each change that breaks the trigger.
	FailedBroken = "broken"
	// FailedTimer: a minute of a timer was given up.
	FailedTimer = "timer_failed"
)

// notice is an entry of the log about the trigger itself.
func notice(t trigger.Trigger, e trigger.Event, kind, message string) run.Run {
	r := run.New(t, trigger.Action{}, e)
	r.Status, r.Error, r.FinishedAt = run.Failed, &run.Error{Type: kind, Message: message}, r.CreatedAt
	return r
}

// Marks remembers which live triggers are known to be broken.
type Marks interface {
	// MarkBroken notes why a trigger is broken, "" when it is not any more. A trigger that was changed since t was read
	// is left alone.
	MarkBroken(ctx context.Context, scope tenant.Scope, t trigger.Trigger, why string) error
}

// Inspector has triggers say in their log that they are broken when their table has changed. Nothing else has to be
// done for them: an event finds them broken, and finds them whole when the column is there again.
type Inspector struct {
	Triggers Candidates
	Marks    Marks
	Schemas  Schemas
	Runs     run.Store
}

// TableChanged looks at the triggers that wait for a table's rows, after its columns have changed or it was removed.
// at is when that was: looking again says nothing twice.
func (s *Inspector) TableChanged(ctx context.Context, scope tenant.Scope, id table.ID, at time.Time) error {
	var in *table.Table
	found, err := s.Schemas.Table(ctx, scope, id)
	switch {
	case err == nil:
		in = &found
	case !errs.Is(err, errs.KindNotFound):
		return fmt.Errorf("table %d: %w", id, err)
	}

	var failures []error
	for _, change := range []trigger.Change{trigger.Create, trigger.Update, trigger.Delete} {
		waiting, err := s.Triggers.Candidates(ctx, scope, trigger.TableKey(id, trigger.KindOf[change]))
		if err != nil {
			return fmt.Errorf("triggers of table %d: %w", id, err)
		}
		for _, t := range waiting {
			e := trigger.Event{
				ID: fmt.Sprintf("table#%d#%d", id, at.UnixMilli()), Scope: scope, Type: trigger.TypeTable, Kind: trigger.KindOf[change],
				At: at, Subject: id.String(), Table: id,
			}
			failures = append(failures, s.inspect(ctx, t, in, e))
		}
	}
	return errors.Join(failures...)
}

// inspect looks at one trigger. The entry is written before the mark: whoever dies between them writes the same one
// again.
func (s *Inspector) inspect(ctx context.Context, t trigger.Trigger, in *table.Table, e trigger.Event) error {
	why := ""
	if _, err := NewMatcher(t, in); err != nil {
		why = errs.Message(err)
	}
	if why == t.Broken {
		return nil
	}

	if why != "" {
		if _, err := s.Runs.Start(ctx, notice(t, e, FailedBroken, why), trigger.Frequency{}, e.At); err != nil {
			return fmt.Errorf("trigger %d: %w", t.ID, err)
		}
	}
	if err := s.Marks.MarkBroken(ctx, e.Scope, t, why); err != nil {
		return fmt.Errorf("trigger %d: %w", t.ID, err)
	}
	return nil
}
