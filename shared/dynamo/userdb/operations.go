package userdb

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

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
// Each step changes its rows and the cursor in one transaction. Operations are stored beside the indexes of the rows,
// because every program that may write rows may write there.
type Operations struct {
	Client *dynamodb.Client
	Rows   *rowdb.Rows
}

// keepOperations is how long operations are kept after they were accepted.
const keepOperations = 30 * 24 * time.Hour

type operationItem struct {
	Table      table.ID            `dynamodbav:"rows_of"`
	Status     bulk.Status         `dynamodbav:"operation_status"`
	Where      string              `dynamodbav:"matching"`
	Delete     bool                `dynamodbav:"deletes,omitempty"`
	Body       []byte              `dynamodbav:"body"` // gzip
	Quiet      bool                `dynamodbav:"quiet,omitempty"`
	Depth      int                 `dynamodbav:"depth,omitempty"`
	Total      int                 `dynamodbav:"total"`
	Cursor     table.RowID         `dynamodbav:"last_row,omitempty"`
	Succeeded  int                 `dynamodbav:"succeeded"`
	Failed     int                 `dynamodbav:"failed"`
	Errors     []operationRowError `dynamodbav:"row_errors,omitempty"`
	Reason     string              `dynamodbav:"reason,omitempty"`
	UpdatedAt  int64               `dynamodbav:"updated_at"`            // Unix seconds
	FinishedAt int64               `dynamodbav:"finished_at,omitempty"` // Unix seconds
	Revision   int64               `dynamodbav:"revision"`
	Token      string              `dynamodbav:"made_by,omitempty"`
	User       int64               `dynamodbav:"for_user,omitempty"`
	Expires    int64               `dynamodbav:"expires_at"` // Unix seconds
}

// operationRowError is the stored form of a bulk.RowError.
type operationRowError struct {
	Row       table.RowID `dynamodbav:"row_id"`
	Kind      errs.Kind   `dynamodbav:"kind"`
	Message   string      `dynamodbav:"message"`
	NotUnique bool        `dynamodbav:"not_unique,omitempty"`
}

func operationPK(scope tenant.Scope) string { return scope.String() + "#operation" }

func fromOperation(scope tenant.Scope, o bulk.Operation) dynamo.Item {
	it := operationItem{
		Table: o.Table, Status: o.Status, Where: o.Where, Delete: o.Delete, Body: o.Body,
		Quiet: o.Origin.Quiet, Depth: o.Origin.Depth, Total: o.Total, Cursor: o.Cursor,
		Succeeded: o.Succeeded, Failed: o.Failed, Reason: o.Reason,
		UpdatedAt: o.UpdatedAt, FinishedAt: o.FinishedAt, Revision: o.Revision, Token: o.Token,
		User:    o.User,
		Expires: o.ID.Time().Add(keepOperations).Unix(),
	}
	for _, e := range o.Errors {
		it.Errors = append(it.Errors, operationRowError(e))
	}
	return dynamo.Encode(operationPK(scope), o.ID.Key(), it)
}

func toOperation(operation id.ID, it operationItem) (bulk.Operation, error) {
	body, err := compress.Gunzip(it.Body)
	if err != nil {
		return bulk.Operation{}, fmt.Errorf("body of operation %d: %w", operation, err)
	}

	o := bulk.Operation{
		ID: operation, Table: it.Table, Status: it.Status, Where: it.Where, Delete: it.Delete, Body: body,
		Origin: table.Origin{Quiet: it.Quiet, Depth: it.Depth}, Total: it.Total, Cursor: it.Cursor,
		Succeeded: it.Succeeded, Failed: it.Failed, Reason: it.Reason,
		UpdatedAt: it.UpdatedAt, FinishedAt: it.FinishedAt, Revision: it.Revision, Token: it.Token,
		User: it.User,
	}
	for _, e := range it.Errors {
		o.Errors = append(o.Errors, bulk.RowError(e))
	}
	return o, nil
}

// operationProgress lists the attributes that change while an operation runs. The others, which may be large, are
// written once.
var operationProgress = []string{
	"operation_status", "last_row", "succeeded", "failed", "row_errors", "reason",
	"updated_at", "finished_at", "revision",
}

// insertOperation returns the part of a transaction that inserts an operation.
func insertOperation(tableName string, scope tenant.Scope, o bulk.Operation) types.TransactWriteItem {
	o.Body = compress.Gzip(o.Body)
	return dynamo.Put(tableName, fromOperation(scope, o), dynamo.NotExists, nil)
}

// InsertOperation runs one transaction, which DynamoDB recognizes by its client token if the SDK repeats it. A repeated
// PutItem would find its own item and report a conflict.
func (s *Operations) InsertOperation(ctx context.Context, scope tenant.Scope, o bulk.Operation) error {
	err := dynamo.Transact(ctx, s.Client, insertOperation(s.Rows.Indexes, scope, o))
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

	refused, err := s.Rows.WriteWith(ctx, scope, t, []types.TransactWriteItem{progress}, changes)
	if dynamo.ConditionFailedAt(err, 0) {
		return nil, errs.NotFound("another worker is at operation %d", old.ID)
	}
	return refused, dynamo.Wrap("advance operation", err)
}
