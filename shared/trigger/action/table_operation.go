package action

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"time"

	"minicloud/shared/bulk"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/language/query"
	"minicloud/shared/language/value"
	"minicloud/shared/retry"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
	"minicloud/shared/user"
)

// Marks stores the progress of runs that change rows. A mark is written in the same transaction as the changes, so that
// a later attempt knows what was done, wherever an earlier attempt died.
type Marks interface {
	// Mark returns the progress of a run, errs.NotFound if the run has changed nothing.
	Mark(ctx context.Context, scope tenant.Scope, run string) (bulk.Operation, error)
	bulk.Marks
}

// TableOperations executes actions of type table_operation. It writes rows as the application's administrator does, and
// the writes fire triggers: their events are one level deeper than the run's (G19).
//
//	create          the row and the mark in one transaction
//	update, delete  transactions of up to 45 rows and the mark, which has the last of the rows
type TableOperations struct {
	Tables   *manage.Service
	Marks    Marks
	Profiles user.Reader
	Clock    clock.Clock

	runs bulk.Runs // runs in progress here: their steps on the same rows are written together
}

// The length of an attempt before the next one continues. The first is short, because runs of others wait behind it;
// longer work continues in the slow queue.
const (
	firstSlice = 2 * time.Second
	slowSlice  = 15 * time.Second
)

// Do implements Doer. A run that conflicts with others waits in the slow queue and continues; this is not an attempt.
func (d *TableOperations) Do(ctx context.Context, w Work) (Result, error) {
	r, err := d.do(ctx, w)
	if retry.OnConflict(err) {
		return Result{Unfinished: true, After: conflictWait(w.Run), Slow: true, Contended: true, State: r.State}, nil
	}
	return r, err
}

// conflictWait is one to three seconds, by run id: conflicting runs return in groups, each of which is written
// together.
func conflictWait(r run.Run) time.Duration {
	h := fnv.New32a()
	_, _ = h.Write([]byte(r.ID))
	return time.Second + time.Duration(h.Sum32()%2000)*time.Millisecond
}

func (d *TableOperations) do(ctx context.Context, w Work) (Result, error) {
	settings, err := Rendered[*trigger.TableOperationSettings](ctx, d.Profiles, w)
	if err != nil {
		return Result{}, err
	}
	in, err := d.schema(ctx, w.Run.Scope, w.Trigger.TableID(settings.Table))
	if err != nil {
		return Result{}, err
	}
	if err := in.Open(); err != nil {
		return Result{}, err
	}

	o := &tableOperation{TableOperations: d, work: w, settings: settings, table: in}
	if settings.Operation == trigger.Create {
		return o.create(ctx)
	}
	return o.change(ctx)
}

// tableOperation is one attempt at a table operation.
type tableOperation struct {
	*TableOperations
	work     Work
	settings *trigger.TableOperationSettings // rendered
	table    table.Table
}

func (o *tableOperation) origin() table.Origin {
	return table.Origin{Depth: o.work.Depth(), Trace: o.work.Run.Link()}
}

func (o *tableOperation) create(ctx context.Context) (Result, error) {
	draft, err := o.draft(ctx)
	if err != nil {
		return Result{}, err
	}
	author := table.Author{UserID: o.work.Trigger.CreatedBy, Origin: o.origin()}
	row, err := o.Tables.NewRow(ctx, o.table, draft, author)
	if err != nil {
		return Result{}, err
	}

	now := o.Clock.Now()
	mark := bulk.Begun(now)
	mark.Status, mark.Cursor, mark.Succeeded, mark.Revision = bulk.StatusSuccess, row.ID, 1, 1
	mark.UpdatedAt, mark.FinishedAt = now.Unix(), now.Unix()
	refused, moved, err := o.Marks.Advance(
		ctx, o.work.Run.Scope, o.table, []table.Change{{New: &row}}, []bulk.RunStep{{Run: o.work.Run.ID, Next: mark}},
	)
	if len(moved) > 0 {
		return Result{Response: AlreadyDone}, nil
	}
	for _, why := range refused {
		err = why
	}
	return Result{Response: fmt.Sprintf(`{"created":%q}`, row.ID)}, err
}

func (o *tableOperation) change(ctx context.Context) (Result, error) {
	where, err := o.where()
	if err != nil {
		return Result{}, err
	}
	change := bulk.Change{Delete: o.settings.Operation == trigger.Delete, Origin: o.origin()}
	if !change.Delete {
		if change.Operations, err = o.operations(ctx); err != nil {
			return Result{}, err
		}
	}

	rows := &bulk.Service{Tables: o.Tables, Clock: o.Clock, Marks: o.Marks, Runs: &o.runs, Patient: o.work.Slow}
	slice := firstSlice
	if o.work.Slow {
		slice = slowSlice
	}
	until := o.Clock.Now().Add(slice)
	follow := func(from bulk.Operation) (bulk.Operation, bool, error) {
		return rows.Follow(ctx, o.work.Run.Scope, o.table, where, change, from, o.work.Run.ID, until)
	}
	// The first transaction detects whether the run began earlier. Only an attempt that knows it did, or that changed
	// nothing, reads the mark.
	at := bulk.Begun(o.Clock.Now())
	if o.work.State != nil {
		if at, err = o.mark(ctx, at); err != nil {
			return Result{}, err
		}
	}
	at, changed, err := follow(at)
	if err == nil && at.Revision == 0 {
		if at, err = o.mark(ctx, at); err == nil && at.Revision > 0 {
			at, changed, err = follow(at)
		} else {
			changed = true // there was nothing to change
		}
	}
	if err != nil {
		return Result{State: begun(at)}, err
	}
	return o.outcome(at, changed)
}

// begun returns the state of a run that has made steps: the next attempt reads its mark first.
func begun(at bulk.Operation) []byte {
	if at.Revision == 0 {
		return nil
	}
	return []byte("begun")
}

// mark returns the progress of the run, fresh if it has changed nothing.
func (o *tableOperation) mark(ctx context.Context, fresh bulk.Operation) (bulk.Operation, error) {
	mark, err := o.Marks.Mark(ctx, o.work.Run.Scope, o.work.Run.ID)
	if errs.Is(err, errs.KindNotFound) {
		return fresh, nil
	}
	return mark, err
}

// outcome returns the result of an attempt that ended at a mark; changed tells whether it changed rows.
func (o *tableOperation) outcome(at bulk.Operation, changed bool) (Result, error) {
	verb := "updated"
	if o.settings.Operation == trigger.Delete {
		verb = "deleted"
	}
	r := Result{Response: fmt.Sprintf(`{%q:%d,"failed":%d}`, verb, at.Succeeded, at.Failed)}

	switch {
	case at.Failed > 0 && (at.Status.Over() || at.Stuck()):
		first := at.Errors[0]
		kind := string(first.Kind)
		return r, Permanent(kind, "%d rows were %s, %d could not be: row %s: %s", at.Succeeded, verb, at.Failed, first.Row,
			first.Message)
	case !at.Status.Over():
		r.Unfinished, r.Slow, r.State = true, true, begun(at)
	case !changed:
		r.Response = AlreadyDone
	}
	return r, nil
}

// where parses the rendered condition.
func (o *tableOperation) where() (query.Predicate, error) {
	schema := o.table.Queryable()
	if name := unknownField(o.settings.Where, schema); name != "" {
		return nil, gone(name, o.table)
	}
	text, err := json.Marshal(o.settings.Where)
	if err != nil {
		return nil, fmt.Errorf("where: %w", err)
	}
	where, err := o.table.Grammar().Where(string(text))
	if err == nil && len(query.Terms(where)) == 0 {
		err = errs.Invalid("where has no condition: it would be every row")
	}
	return where, err
}

// gone is the failure of an action that names a deleted column (G21).
func gone(name string, in table.Table) error {
	return Permanent(NotFound, "field %q does not exist in table %q", name, in.Name)
}

// unknownField returns a field of a where condition that the table does not have, "" if all exist.
func unknownField(where map[string]any, schema value.Schema) string {
	for name, v := range where {
		if name != "$and" && name != "$or" {
			if _, _, known, _ := schema.Place(name); !known {
				return name
			}
			continue
		}

		parts, _ := v.([]any)
		for _, part := range parts {
			object, _ := part.(map[string]any)
			if name := unknownField(object, schema); name != "" {
				return name
			}
		}
	}
	return ""
}

// draft returns the content of the new row: the assignments applied to the defaults of the columns.
func (o *tableOperation) draft(ctx context.Context) (map[string]any, error) {
	operations, err := o.operations(ctx)
	if err != nil {
		return nil, err
	}
	draft := make(map[string]any, len(operations))
	for _, operation := range operations {
		if draft[operation.Column.Name], err = operation.Apply(operation.Column.Default); err != nil {
			return nil, err
		}
	}
	return draft, nil
}
