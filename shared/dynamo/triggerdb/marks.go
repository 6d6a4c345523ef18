package triggerdb

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/bulk"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/run"
)

// Marks implements action.Marks:
//
//	pk = <scope>#mark#<run>   sk = mark   progress of a run that writes rows
//
// Marks are stored beside the indexes of the rows, because every program that may write rows may write there.
type Marks struct {
	Client *dynamodb.Client
	Rows   *rowdb.Rows
}

// keepMarks is longer than the time in which a run can be replayed.
const keepMarks = run.Keep + 24*time.Hour

type markItem struct {
	Begun      int64       `dynamodbav:"begun"` // bulk.Operation.ID
	Status     bulk.Status `dynamodbav:"operation_status"`
	Cursor     table.RowID `dynamodbav:"last_row,omitempty"`
	Succeeded  int         `dynamodbav:"succeeded"`
	Failed     int         `dynamodbav:"failed,omitempty"`
	Errors     []markError `dynamodbav:"row_errors,omitempty"`
	UpdatedAt  int64       `dynamodbav:"updated_at"`            // Unix seconds
	FinishedAt int64       `dynamodbav:"finished_at,omitempty"` // Unix seconds
	Revision   int64       `dynamodbav:"revision"`
	Expires    int64       `dynamodbav:"expires_at"` // Unix seconds
}

// markError is the stored form of a bulk.RowError.
type markError struct {
	Row       table.RowID `dynamodbav:"row_id"`
	Kind      errs.Kind   `dynamodbav:"kind"`
	Message   string      `dynamodbav:"message"`
	NotUnique bool        `dynamodbav:"not_unique,omitempty"`
}

const markSK = "mark"

func markPK(scope tenant.Scope, run string) string { return scope.String() + "#mark#" + run }

func fromMark(scope tenant.Scope, run string, o bulk.Operation) dynamo.Item {
	it := markItem{
		Begun: int64(o.ID), Status: o.Status, Cursor: o.Cursor, Succeeded: o.Succeeded, Failed: o.Failed,
		UpdatedAt: o.UpdatedAt, FinishedAt: o.FinishedAt, Revision: o.Revision,
		Expires: time.Unix(o.UpdatedAt, 0).Add(keepMarks).Unix(),
	}
	for _, e := range o.Errors {
		it.Errors = append(it.Errors, markError(e))
	}
	return dynamo.Encode(markPK(scope, run), markSK, it)
}

func (it markItem) operation() bulk.Operation {
	o := bulk.Operation{
		ID: id.ID(it.Begun), Status: it.Status, Cursor: it.Cursor, Succeeded: it.Succeeded, Failed: it.Failed,
		UpdatedAt: it.UpdatedAt, FinishedAt: it.FinishedAt, Revision: it.Revision,
	}
	for _, e := range it.Errors {
		o.Errors = append(o.Errors, bulk.RowError(e))
	}
	return o
}

// Mark makes one read.
func (m *Marks) Mark(ctx context.Context, scope tenant.Scope, run string) (bulk.Operation, error) {
	it, err := dynamo.Get[markItem](ctx, m.Client, m.Rows.Indexes, markPK(scope, run), markSK,
		errs.NotFound("run %s has no mark", run))
	if err != nil {
		return bulk.Operation{}, err
	}
	return it.operation(), nil
}

// Advance runs one transaction; its first parts are the marks.
func (m *Marks) Advance(
	ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change, steps []bulk.RunStep,
) (refused map[int]error, moved map[int]*bulk.Moved, err error) {
	puts := make([]types.TransactWriteItem, len(steps))
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
		moved[i] = &bulk.Moved{Now: now.operation()}
	}
	if len(moved) > 0 {
		return nil, moved, nil
	}
	return refused, nil, dynamo.Wrap("advance runs", err)
}

// put returns the part of a transaction that advances the mark of a run.
func (m *Marks) put(scope tenant.Scope, step bulk.RunStep) types.TransactWriteItem {
	return dynamo.PutRevision(m.Rows.Indexes, fromMark(scope, step.Run, step.Next), step.Old.Revision)
}
