package bulk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/query"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/finder"
	"minicloud/shared/tenant"
)

// Moved is the errs.NotFound of a step whose operation another worker has already advanced; Now is the current state.
type Moved struct{ Now Operation }

// Error implements error.
func (m *Moved) Error() string {
	return fmt.Sprintf("the operation is at its step %d already", m.Now.Revision)
}

// Unwrap returns errs.NotFound.
func (m *Moved) Unwrap() error { return errs.NotFound("another worker is at the operation") }

// Follow changes all matching rows that existed when o began, oldest first, and returns the state it reached. The
// operation is unfinished if the deadline has passed or the operation is Stuck. o is the result of Begun or of an
// earlier call; an outdated o continues from the stored state. Rows that failed before are tried again first. changed
// reports whether this call made a step.
//
// Each step is one transaction, as in Work. Unlike Work, Follow finds rows by the indexes of their table, stores
// nothing if no row matches, and may merge steps of several runs on the same rows into one transaction. It returns
// errs.Conflict, after some milliseconds, if other programs keep changing the rows; that step was not made.
func (s *Service) Follow(
	ctx context.Context, scope tenant.Scope, t table.Table, where query.Predicate, c Change, o Operation, run string,
	until time.Time,
) (at Operation, changed bool, err error) {
	w := &work{
		Service: s, scope: scope, table: t, where: where, operations: c.Operations, operation: o, run: run,
		until: until, opened: s.Clock.Now(),
	}
	w.operation.Delete, w.operation.Origin = c.Delete, c.Origin
	ctx, cancel := context.WithTimeout(ctx, schemaLimit)
	defer cancel()

	defer func() { changed = w.steps > 0 }()
	looked, late := false, false // late is set only after a step, so every call makes progress
	for {
		switch now := s.Clock.Now(); {
		case !looked && len(w.operation.Errors) > 0:
			looked, err = true, w.again(ctx)
		case w.operation.Status.Over(), w.operation.Stuck(), late:
			return w.operation, changed, nil
		default:
			err = w.follow(ctx)
			late = err == nil && (!now.Before(until) || now.Sub(w.opened) > schemaAge)
		}

		if moved, ok := errors.AsType[*Moved](err); ok {
			w.operation, looked, err = moved.Now, false, nil
			w.operation.Delete, w.operation.Origin = c.Delete, c.Origin
		}
		if err != nil {
			return w.operation, changed, err
		}
	}
}

// Begun returns an operation on the rows that exist at the given time.
func Begun(at time.Time) Operation { return Operation{ID: id.First(at), Status: StatusExecuting} }

// Stuck reports whether so many rows failed that the errors of another step have no room.
func (o Operation) Stuck() bool { return len(o.Errors) > MaxErrors-stepRows }

// follow changes the next matching rows.
func (w *work) follow(ctx context.Context) error {
	q := table.Query{Where: w.where, Page: page.Request{Limit: w.most()}}
	q.Order, q.Page.After = finder.OldestFirst(w.table, w.operation.Cursor)
	found, err := w.Tables.Find(ctx, w.scope, w.table, q)
	if err != nil {
		return err
	}

	// Stop at this id: otherwise an operation whose triggers create matching rows would never end.
	end := w.table.FirstRowID(id.First(w.operation.ID.Time().Add(ahead)))
	rows := slices.DeleteFunc(slices.Clone(found.Objects), func(r table.Row) bool { return r.ID >= end })
	all := found.Next == "" || len(rows) < len(found.Objects)
	parts := w.parts(rows)
	if len(parts) == 0 && all {
		w.operation.Status = StatusSuccess
	}

	for i, part := range parts {
		w.last = all && i == len(parts)-1
		if err := w.step(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// again retries the failed rows.
func (w *work) again(ctx context.Context) error {
	var ids []table.RowID
	for _, e := range w.operation.Errors {
		ids = append(ids, e.Row)
	}
	found, err := w.Tables.Rows.ReadRows(ctx, w.scope, w.table, ids)
	if err != nil {
		return err
	}

	var rows []table.Row
	for _, row := range found {
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b table.Row) int { return strings.Compare(string(a.ID), string(b.ID)) })
	// Each step counts the failures of its rows again, and keeps the errors of the rows of later steps: after a death, the
	// next attempt retries them. Rows that were deleted or no longer match are no longer counted.
	parts := w.parts(rows)
	w.forget(func(id table.RowID) bool { return !slices.ContainsFunc(parts, has(id)) })
	w.last = w.operation.Status.Over()
	for _, part := range parts {
		w.forget(func(id table.RowID) bool { return has(id)(part) })
		if err := w.step(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// has returns whether rows include one with this id.
func has(id table.RowID) func([]table.Row) bool {
	return func(rows []table.Row) bool {
		return slices.ContainsFunc(rows, func(r table.Row) bool { return r.ID == id })
	}
}

// forget removes the errors of some rows.
func (w *work) forget(of func(table.RowID) bool) {
	before := len(w.operation.Errors)
	w.operation.Errors = slices.DeleteFunc(slices.Clone(w.operation.Errors), func(e RowError) bool { return of(e.Row) })
	w.operation.Failed -= before - len(w.operation.Errors)
}
