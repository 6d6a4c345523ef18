package bulkdb

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/bulk"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/run"
)

// KeepMarks is longer than the time in which a run can be replayed.
const KeepMarks = run.Keep + 24*time.Hour

// Marks implements action.Marks:
//
//	pk = <scope>#mark#<run>   sk = mark   progress of a run that writes rows
type Marks struct {
	Client *dynamo.Client
	Rows   *rowdb.Rows
}

type markItem struct {
	Begun id.ID `dynamodbav:"begun"` // bulk.Operation.ID
	progressItem
}

const markSK = "mark"

func markPK(scope tenant.Scope, run string) string { return scope.String() + "#mark#" + run }

func fromMark(scope tenant.Scope, run string, o bulk.Operation) dynamo.Item {
	progress := fromProgress(o, time.Unix(o.UpdatedAt, 0).Add(KeepMarks))
	return dynamo.Encode(markPK(scope, run), markSK, markItem{o.ID, progress})
}

// Mark makes one read.
func (m *Marks) Mark(ctx context.Context, scope tenant.Scope, run string) (bulk.Operation, error) {
	it, err := dynamo.Get[markItem](ctx, m.Client, m.Rows.Indexes, markPK(scope, run), markSK,
		errs.NotFound("run %s has no mark", run))
	return it.operation(it.Begun), err
}

// Advance runs one transaction; its first parts are the marks.
func (m *Marks) Advance(
	ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change, steps []bulk.RunStep,
) (refused map[int]error, moved map[int]*bulk.Moved, err error) {
	puts := make([]dynamo.Part, len(steps))
	for i, step := range steps {
		puts[i] = m.put(scope, step)
	}
	refused, err = m.Rows.WriteWith(ctx, scope, t, puts, changes)

	moved = map[int]*bulk.Moved{}
	for i, step := range steps {
		if !dynamo.ConditionFailedAt(err, i) {
			continue
		}
		now, err := dynamo.Decode[markItem](dynamo.ItemAt(err, i))
		if err != nil {
			return nil, nil, fmt.Errorf("mark of run %s: %w", step.Run, err)
		}
		moved[i] = &bulk.Moved{Now: now.operation(now.Begun)}
	}
	if len(moved) > 0 {
		return nil, moved, nil
	}
	return refused, nil, dynamo.Wrap("advance runs", err)
}

// put returns the part of a transaction that advances the mark of a run.
func (m *Marks) put(scope tenant.Scope, step bulk.RunStep) dynamo.Part {
	return dynamo.PutRevision(m.Rows.Indexes, fromMark(scope, step.Run, step.Next), step.Old.Revision)
}
