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

// The error types of log entries about a trigger itself. Such an entry has no action, is failed from the start and
// cannot be replayed.
const (
	// FailedBroken means that a table or column of the condition was removed (G21). It is logged once for each change
	// that breaks the trigger.
	FailedBroken = "broken"
	// FailedTimer means that a minute of a timer was given up after several failures.
	FailedTimer = "timer_failed"
)

// notice returns a log entry about the trigger itself.
func notice(t trigger.Trigger, e trigger.Event, kind, message string) run.Run {
	r := run.New(t, trigger.Action{}, e)
	r.Status, r.Error, r.FinishedAt = run.Failed, &run.Error{Type: kind, Message: message}, r.CreatedAt
	return r
}

// Marks stores which enabled triggers are broken.
type Marks interface {
	// MarkBroken stores why a trigger is broken; an empty reason clears the mark. It does nothing if the trigger has
	// changed since t was read.
	MarkBroken(ctx context.Context, scope tenant.Scope, t trigger.Trigger, why string) error
}

// Inspector logs which triggers a table change has broken. The mark is not needed for matching: the engine checks each
// trigger against the current table, so a trigger works again as soon as its column is back.
type Inspector struct {
	Triggers Candidates
	Marks    Marks
	Schemas  Schemas
	Runs     run.Store
}

// TableChanged checks the triggers of a table whose columns have changed or which was removed. at is the time of the
// change; a repeated call with the same time logs nothing twice.
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

// inspect checks one trigger. It writes the log entry before the mark, so that a retry after a crash writes the same
// entry again instead of none.
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
