package userdb

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
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

// Operations is the bulk.Store:
//
//	pk = <scope>#operation   sk = <id>   the operation, with its cursor
//
// A step's rows and the cursor change in one transaction. Operations lie beside
// the indexes of the rows, which everybody may write who may write rows.
type Operations struct {
	Client *dynamodb.Client
	Rows   *rowdb.Rows
}

var _ bulk.Store = (*Operations)(nil)

// keepOperations is how long operations are remembered after their acceptance.
const keepOperations = 30 * 24 * time.Hour

type operationItem struct {
	PK         string              `dynamodbav:"pk"`
	SK         string              `dynamodbav:"sk"`
	RowsOf     int64               `dynamodbav:"rows_of"` // table id
	Status     string              `dynamodbav:"operation_status"`
	Where      string              `dynamodbav:"matching"`
	Delete     bool                `dynamodbav:"deletes,omitempty"`
	Body       []byte              `dynamodbav:"body"` // gzip
	Quiet      bool                `dynamodbav:"quiet,omitempty"`
	Depth      int                 `dynamodbav:"depth,omitempty"`
	Total      int                 `dynamodbav:"total"`
	Cursor     string              `dynamodbav:"last_row,omitempty"`
	Succeeded  int                 `dynamodbav:"succeeded"`
	Failed     int                 `dynamodbav:"failed"`
	Errors     []operationRowError `dynamodbav:"row_errors,omitempty"`
	Reason     string              `dynamodbav:"reason,omitempty"`
	UpdatedAt  int64               `dynamodbav:"updated_at"`            // Unix seconds
	FinishedAt int64               `dynamodbav:"finished_at,omitempty"` // Unix seconds
	Revision   int64               `dynamodbav:"revision"`
	Token      string              `dynamodbav:"made_by,omitempty"`
	Expires    int64               `dynamodbav:"expires_at"` // Unix seconds
}

type operationRowError struct {
	Row     string `dynamodbav:"row_id"`
	Kind    string `dynamodbav:"kind"`
	Message string `dynamodbav:"message"`
}

func operationPK(scope tenant.Scope) string { return scope.String() + "#operation" }

func fromOperation(scope tenant.Scope, o bulk.Operation) (dynamo.Item, error) {
	it := operationItem{
		PK: operationPK(scope), SK: o.ID.Key(), RowsOf: int64(o.Table), Status: string(o.Status), Where: o.Where, Delete: o.Delete, Body: o.Body,
		Quiet: o.Origin.Quiet, Depth: o.Origin.Depth, Total: o.Total, Cursor: string(o.Cursor),
		Succeeded: o.Succeeded, Failed: o.Failed, Reason: o.Reason,
		UpdatedAt: o.UpdatedAt, FinishedAt: o.FinishedAt, Revision: o.Revision, Token: o.Token,
		Expires: o.ID.Time().Add(keepOperations).Unix(),
	}
	for _, e := range o.Errors {
		it.Errors = append(it.Errors, operationRowError{Row: string(e.Row), Kind: string(e.Kind), Message: e.Message})
	}
	av, err := attributevalue.MarshalMap(it)
	if err != nil {
		return nil, fmt.Errorf("operation item: %w", err)
	}
	return av, nil
}

func toOperation(operation id.ID, av dynamo.Item) (bulk.Operation, error) {
	var it operationItem
	if err := attributevalue.UnmarshalMap(av, &it); err != nil {
		return bulk.Operation{}, fmt.Errorf("operation item: %w", err)
	}
	body, err := compress.Gunzip(it.Body)
	if err != nil {
		return bulk.Operation{}, fmt.Errorf("operation item: %w", err)
	}
	o := bulk.Operation{
		ID: operation, Table: table.ID(it.RowsOf), Status: bulk.Status(it.Status), Where: it.Where, Delete: it.Delete, Body: body,
		Origin: table.Origin{Quiet: it.Quiet, Depth: it.Depth}, Total: it.Total, Cursor: table.RowID(it.Cursor),
		Succeeded: it.Succeeded, Failed: it.Failed, Reason: it.Reason,
		UpdatedAt: it.UpdatedAt, FinishedAt: it.FinishedAt, Revision: it.Revision, Token: it.Token,
	}
	for _, e := range it.Errors {
		o.Errors = append(o.Errors, bulk.RowError{Row: table.RowID(e.Row), Kind: errs.Kind(e.Kind), Message: e.Message})
	}
	return o, nil
}

// operationProgress are the attributes that change while an operation is worked
// on; what it is to do, which may be large, is written once.
var operationProgress = []string{
	"operation_status", "last_row", "succeeded", "failed", "row_errors", "reason", "updated_at", "finished_at", "revision",
}

// wholeOperation is the item of a new one.
func wholeOperation(scope tenant.Scope, o bulk.Operation) (dynamo.Item, error) {
	o.Body = compress.Gzip(o.Body)
	return fromOperation(scope, o)
}

// insertOperation is the operation's part of a transaction.
func insertOperation(tableName string, scope tenant.Scope, o bulk.Operation) (types.TransactWriteItem, error) {
	it, err := wholeOperation(scope, o)
	return types.TransactWriteItem{Put: &types.Put{TableName: &tableName, Item: it, ConditionExpression: aws.String("attribute_not_exists(pk)")}}, err
}

// InsertOperation is one transaction, which is known by its token when its
// answer is lost: a put would find itself and say that somebody was faster.
func (s *Operations) InsertOperation(ctx context.Context, scope tenant.Scope, o bulk.Operation) error {
	insert, err := insertOperation(s.Rows.Indexes, scope, o)
	if err != nil {
		return err
	}
	insert.Put.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	_, err = s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{insert}})
	if o.Token != "" && dynamo.TextOf(dynamo.ItemAt(err, 0)["made_by"]) == o.Token { // another try of the request
		return nil
	}
	if dynamo.ConditionFailed(err) {
		return errs.Conflict("another request is doing the same, try again")
	}
	return dynamo.Wrap("insert operation", err)
}

// Operation is one read.
func (s *Operations) Operation(ctx context.Context, scope tenant.Scope, operation id.ID) (bulk.Operation, error) {
	out, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.Rows.Indexes, Key: dynamo.Key(operationPK(scope), operation.Key()), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return bulk.Operation{}, dynamo.Wrap("read operation", err)
	}
	if len(out.Item) == 0 {
		return bulk.Operation{}, errs.NotFound("bulk operation %d not found", operation)
	}
	return toOperation(operation, out.Item)
}

// Advance is one transaction; its first part is the operation.
func (s *Operations) Advance(ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change, old, next bulk.Operation) (map[int]error, error) {
	it, err := fromOperation(scope, next)
	if err != nil {
		return nil, err
	}
	progress := rowdb.Overwrite(s.Rows.Indexes, dynamo.Key(operationPK(scope), old.ID.Key()), it, operationProgress)
	progress.ConditionExpression = aws.String(rowdb.IsRevision)
	progress.ExpressionAttributeValues[":revision"] = dynamo.Number(old.Revision)
	parts := []types.TransactWriteItem{{Update: progress}}
	refused := map[int]error{}
	rowParts := make([]int, len(changes))
	for i, planned := range s.planAll(ctx, scope, t, changes) {
		if planned.err != nil {
			refused[i] = planned.err
			continue
		}
		rowParts[i] = len(parts)
		parts = append(parts, planned.Parts...)
	}
	if len(refused) > 0 {
		return refused, nil
	}
	_, err = s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: parts})
	if dynamo.ConditionFailedAt(err, 0) {
		return nil, errs.NotFound("another worker is at operation %d", old.ID)
	}
	for i, part := range rowParts {
		if dynamo.ConditionFailedAt(err, part) {
			refused[i] = errs.Conflict("the row was changed by another request")
		}
	}
	if len(refused) > 0 {
		return refused, nil
	}
	return nil, dynamo.Wrap("advance operation", err)
}

// planOrError is a change as parts of a transaction, or why there are none.
type planOrError struct {
	rowdb.PlannedChange
	err error
}

// planAll plans the changes side by side: a deletion that fires no trigger writes
// that into the row before.
func (s *Operations) planAll(ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change) []planOrError {
	plans := make([]planOrError, len(changes))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(planners, len(changes)) {
		wg.Go(func() {
			for i := range next {
				plans[i].PlannedChange, plans[i].err = s.Rows.Plan(ctx, scope, t, changes[i])
			}
		})
	}
	for i := range changes {
		next <- i
	}
	close(next)
	wg.Wait()
	return plans
}

// planners is how many changes of a step are planned at a time.
const planners = 8
