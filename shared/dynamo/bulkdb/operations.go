// Package bulkdb stores bulk operations and the marks of runs in DynamoDB, beside the indexes of the rows, because
// every program that may write rows may write there.
package bulkdb

import (
	"context"
	"fmt"
	"maps"
	"time"

	"minicloud/shared/bulk"
	"minicloud/shared/compress"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// Operations implements bulk.Store:
//
//	pk = <scope>#operation   sk = <id>   the operation, with its cursor
//
// Each step changes its rows and the cursor in one transaction.
type Operations struct {
	Client *dynamo.Client
	Rows   *rowdb.Rows
}

// keepOperations is how long operations are kept after they were accepted.
const keepOperations = 30 * 24 * time.Hour

type operationItem struct {
	Table  table.ID `dynamodbav:"rows_of"`
	Where  string   `dynamodbav:"matching"`
	Delete bool     `dynamodbav:"deletes,omitempty"`
	Body   []byte   `dynamodbav:"body"` // gzip
	Quiet  bool     `dynamodbav:"quiet,omitempty"`
	Depth  int      `dynamodbav:"depth,omitempty"`
	Total  int      `dynamodbav:"total"`
	Reason string   `dynamodbav:"reason,omitempty"`
	Token  string   `dynamodbav:"made_by,omitempty"`
	User   int64    `dynamodbav:"for_user,omitempty"`
	progressItem
}

// progressItem is the stored form of what changes while an operation runs.
type progressItem struct {
	Status     bulk.Status `dynamodbav:"operation_status"`
	Cursor     table.RowID `dynamodbav:"last_row,omitempty"`
	Succeeded  int         `dynamodbav:"succeeded"`
	Failed     int         `dynamodbav:"failed,omitempty"`
	Errors     []rowError  `dynamodbav:"row_errors,omitempty"`
	UpdatedAt  int64       `dynamodbav:"updated_at"`            // Unix seconds
	FinishedAt int64       `dynamodbav:"finished_at,omitempty"` // Unix seconds
	Revision   int64       `dynamodbav:"revision"`
	Expires    int64       `dynamodbav:"expires_at"` // Unix seconds
}

// rowError is the stored form of a bulk.RowError.
type rowError struct {
	Row       table.RowID `dynamodbav:"row_id"`
	Kind      errs.Kind   `dynamodbav:"kind"`
	Message   string      `dynamodbav:"message"`
	NotUnique bool        `dynamodbav:"not_unique,omitempty"`
}

func operationPK(scope tenant.Scope) string { return scope.String() + "#operation" }

func fromOperation(scope tenant.Scope, o bulk.Operation) dynamo.Item {
	return dynamo.Encode(operationPK(scope), o.ID.Key(), operationItem{
		Table: o.Table, Where: o.Where, Delete: o.Delete, Body: o.Body, Quiet: o.Origin.Quiet, Depth: o.Origin.Depth,
		Total: o.Total, Reason: o.Reason, Token: o.Token, User: o.User,
		progressItem: fromProgress(o, o.ID.Time().Add(keepOperations)),
	})
}

func fromProgress(o bulk.Operation, expires time.Time) progressItem {
	it := progressItem{
		Status: o.Status, Cursor: o.Cursor, Succeeded: o.Succeeded, Failed: o.Failed, UpdatedAt: o.UpdatedAt,
		FinishedAt: o.FinishedAt, Revision: o.Revision, Expires: expires.Unix(),
	}
	for _, e := range o.Errors {
		it.Errors = append(it.Errors, rowError(e))
	}
	return it
}

// operation returns the operation that has made this progress, without what it does.
func (it progressItem) operation(operation id.ID) bulk.Operation {
	o := bulk.Operation{
		ID: operation, Status: it.Status, Cursor: it.Cursor, Succeeded: it.Succeeded, Failed: it.Failed,
		UpdatedAt: it.UpdatedAt, FinishedAt: it.FinishedAt, Revision: it.Revision,
	}
	for _, e := range it.Errors {
		o.Errors = append(o.Errors, bulk.RowError(e))
	}
	return o
}

func toOperation(operation id.ID, it operationItem) (bulk.Operation, error) {
	body, err := compress.Gunzip(it.Body)
	if err != nil {
		return bulk.Operation{}, fmt.Errorf("body of operation %d: %w", operation, err)
	}

	o := it.operation(operation)
	o.Table, o.Where, o.Delete, o.Body, o.Total = it.Table, it.Where, it.Delete, body, it.Total
	o.Origin, o.Reason = table.Origin{Quiet: it.Quiet, Depth: it.Depth}, it.Reason
	o.Token, o.User = it.Token, it.User
	return o, nil
}

// operationProgress lists the attributes that change while an operation runs. The others, which may be large, are
// written once.
var operationProgress = []string{
	"operation_status", "last_row", "succeeded", "failed", "row_errors", "reason",
	"updated_at", "finished_at", "revision",
}

// Insert returns the part of a transaction that inserts an operation.
func Insert(tableName string, scope tenant.Scope, o bulk.Operation) dynamo.Part {
	o.Body = compress.Gzip(o.Body)
	return dynamo.Put(tableName, fromOperation(scope, o), dynamo.NotExists, nil)
}

// InsertOperation runs one transaction, which DynamoDB recognizes by its client token if the SDK repeats it. A repeated
// PutItem would find its own item and report a conflict.
func (s *Operations) InsertOperation(ctx context.Context, scope tenant.Scope, o bulk.Operation) error {
	err := dynamo.Transact(ctx, s.Client, Insert(s.Rows.Indexes, scope, o))
	if o.Token != "" && dynamo.TextOf(dynamo.ItemAt(err, 0)["made_by"]) == o.Token { // another try inserted it
		return nil
	}
	if dynamo.ConditionFailed(err) {
		return errs.Conflict("another request is doing the same, try again")
	}
	return dynamo.Wrap("insert operation", err)
}

// Operation makes one read.
func (s *Operations) Operation(ctx context.Context, scope tenant.Scope, operation id.ID) (bulk.Operation, error) {
	it, err := dynamo.Get[operationItem](ctx, s.Client, s.Rows.Indexes, operationPK(scope), operation.Key(),
		errs.NotFound("bulk operation %d not found", operation))
	if err != nil {
		return bulk.Operation{}, err
	}
	return toOperation(operation, it)
}

// Advance runs one transaction; its first part is the operation.
func (s *Operations) Advance(
	ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change, old, next bulk.Operation,
) (map[int]error, error) {
	overwrite, values := dynamo.Overwrite(fromOperation(scope, next), operationProgress...)
	maps.Copy(values, dynamo.RevisionOf(old.Revision))
	progress := dynamo.Update(s.Rows.Indexes, operationPK(scope), old.ID.Key(), overwrite, dynamo.IsRevision, values)

	refused, err := s.Rows.WriteWith(ctx, scope, t, []dynamo.Part{progress}, changes)
	if dynamo.ConditionFailedAt(err, 0) {
		return nil, errs.NotFound("another worker is at operation %d", old.ID)
	}
	return refused, dynamo.Wrap("advance operation", err)
}
