// Package functiondb keeps cloud functions, their versions, code and variables in DynamoDB.
package functiondb

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
	"minicloud/shared/writetoken"
)

// Functions is the cloudfunction.Store:
//
//	pk = <scope>               sk = id#<id>           the record, for lists and by id
//	                           sk = name#<name>       the same record, for runs
//	                           sk = count#<0–7>       number of functions, in shards
//	pk = <scope>#versions#<id> sk = <version>#record  a version before the current one
//	                           sk = <version>#use     the digest of the code which that version brought
//	pk = <scope>#deleted       sk = <id>              a deleted function, until its versions and code are gone
//	pk = <scope>#code#<digest> and what lies there: see function_code.go
//
// Both records are written in one transaction with a condition on the revision,
// so either is the truth: a run and a page of a list cost one read. A record holds
// the digest of its code, not the code: that is read where this process has not
// read it before.
type Functions struct {
	Client *dynamodb.Client
	Table  string

	code codeCache
}

var _ cloudfunction.Store = (*Functions)(nil)

const countShards = 8

// functionItem is a record; a version before the current one has the same form.
type functionItem struct {
	PK        string `dynamodbav:"pk"`
	SK        string `dynamodbav:"sk"`
	ID        int64  `dynamodbav:"id"`
	Name      string `dynamodbav:"name"`
	Remark    string `dynamodbav:"remark,omitempty"`
	Audit     string `dynamodbav:"audit"`
	Plan      string `dynamodbav:"plan"`
	Version   int    `dynamodbav:"version"`
	Revision  int64  `dynamodbav:"revision"`
	Variables int64  `dynamodbav:"variables,omitempty"` // version of the variables
	CreatedAt int64  `dynamodbav:"created_at"`          // Unix seconds
	CreatedBy string `dynamodbav:"created_by"`
	UpdatedAt int64  `dynamodbav:"updated_at"` // Unix seconds
	UpdatedBy string `dynamodbav:"updated_by"`
	Tokens    string `dynamodbav:"tokens,omitempty"` // writetoken.List

	Digest      string `dynamodbav:"digest"`
	CodeBytes   int    `dynamodbav:"code_bytes"`
	CodeWire    int    `dynamodbav:"code_wire"`
	CodeVersion int    `dynamodbav:"code_version"`
}

func functionKey(fn id.ID) string            { return "id#" + fn.Key() }
func nameKey(name cloudfunction.Name) string { return "name#" + string(name) }
func countKey(fn id.ID) string               { return "count#" + strconv.Itoa(int(fn%countShards)) }

func encodeFunction(scope tenant.Scope, f cloudfunction.Function) functionItem {
	return functionItem{
		PK: scope.String(), SK: functionKey(f.ID),
		ID: int64(f.ID), Name: string(f.Name), Remark: f.Remark, Audit: string(f.Audit), Plan: string(f.Plan),
		Version: f.Version, Revision: f.Revision, Variables: f.VariablesVersion,
		CreatedAt: f.CreatedAt.Unix(), CreatedBy: f.CreatedBy, UpdatedAt: f.UpdatedAt.Unix(), UpdatedBy: f.UpdatedBy,
		Tokens: string(f.Tokens),
		Digest: f.Code.Digest, CodeBytes: f.Code.Bytes, CodeWire: f.Code.Wire, CodeVersion: f.CodeVersion,
	}
}

func (it functionItem) function() cloudfunction.Function {
	return cloudfunction.Function{
		ID: id.ID(it.ID), Name: cloudfunction.Name(it.Name), Code: it.code(), Remark: it.Remark,
		Audit: cloudfunction.AuditStatus(it.Audit), Plan: sandbox.Plan(it.Plan),
		Version: it.Version, CodeVersion: it.CodeVersion, Revision: it.Revision, VariablesVersion: it.Variables,
		CreatedAt: time.Unix(it.CreatedAt, 0).UTC(), CreatedBy: it.CreatedBy,
		UpdatedAt: time.Unix(it.UpdatedAt, 0).UTC(), UpdatedBy: it.UpdatedBy,
		Tokens: writetoken.List(it.Tokens),
	}
}

func (it functionItem) code() cloudfunction.Code {
	return cloudfunction.Code{Digest: it.Digest, Bytes: it.CodeBytes, Wire: it.CodeWire}
}

// Create is one transaction: record by id, by name, count, and the code with its
// use; one GetItem before it.
func (s *Functions) Create(ctx context.Context, scope tenant.Scope, f cloudfunction.Function) error {
	record := encodeFunction(scope, f)
	byID, err := s.put(record, "attribute_not_exists(pk)", nil)
	if err != nil {
		return err
	}
	record.SK = nameKey(f.Name)
	byName, err := s.put(record, "attribute_not_exists(pk)", nil)
	if err != nil {
		return err
	}

	err = s.writeWithCode(ctx, scope, f, []types.TransactWriteItem{byID, byName, s.count(scope, f.ID, 1)})
	switch {
	case dynamo.ConditionFailedAt(err, 1):
		return errs.Duplicate("name %q already exists", f.Name)
	case dynamo.ConditionFailedAt(err, 0):
		return errs.Conflict("function id %d is taken", f.ID)
	}
	return dynamo.Wrap("create function", err)
}

// Read is one GetItem, none where it was prefetched, and one BatchGetItem for code this process has not read yet.
func (s *Functions) Read(ctx context.Context, scope tenant.Scope, name cloudfunction.Name) (cloudfunction.Function, error) {
	return s.get(ctx, scope, nameKey(name), string(name))
}

// ReadID is one GetItem, and one BatchGetItem for code this process has not read yet.
func (s *Functions) ReadID(ctx context.Context, scope tenant.Scope, fn id.ID) (cloudfunction.Function, error) {
	return s.get(ctx, scope, functionKey(fn), strconv.FormatInt(int64(fn), 10))
}

// Prefetch has the next Read of that function served by the call that reads who makes the request.
func (s *Functions) Prefetch(ctx context.Context, scope tenant.Scope, name string) context.Context {
	composed, err := cloudfunction.ParseName(name)
	if err != nil {
		return ctx
	}
	return dynamo.WithPrefetch(ctx, s.Table, scope.String(), nameKey(composed))
}

func (s *Functions) get(ctx context.Context, scope tenant.Scope, sk, called string) (cloudfunction.Function, error) {
	var f cloudfunction.Function
	err := s.whole(func() error {
		av, err := s.getRecord(ctx, scope, sk)
		if err != nil {
			return dynamo.Wrap("read function", err)
		}
		if len(av) == 0 {
			return errs.NotFound("function %q does not exist", called)
		}
		if f, err = decodeFunction(av); err != nil {
			return err
		}
		return s.readCode(ctx, scope, &f.Code)
	})
	return f, err
}

// getRecord returns a record, nil when there is none.
func (s *Functions) getRecord(ctx context.Context, scope tenant.Scope, sk string) (dynamo.Item, error) {
	if av, ok := dynamo.Prefetched(ctx, s.Table, scope.String(), sk); ok {
		return av, nil
	}

	out, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.Table, Key: dynamo.Key(scope.String(), sk), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return nil, err
	}
	return out.Item, nil
}

// decodeFunction returns a function whose code is only its digest.
func decodeFunction(av dynamo.Item) (cloudfunction.Function, error) {
	var it functionItem
	if err := attributevalue.UnmarshalMap(av, &it); err != nil {
		return cloudfunction.Function{}, fmt.Errorf("decode function: %w", err)
	}
	return it.function(), nil
}

// Update is one transaction: both records, the version before, and new code with
// its use. Versions that are no longer kept go after it.
func (s *Functions) Update(ctx context.Context, scope tenant.Scope, old, next cloudfunction.Function) error {
	writes, err := s.updates(scope, old, next)
	if err != nil {
		return err
	}

	if next.CodeVersion > old.CodeVersion {
		err = s.writeWithCode(ctx, scope, next, writes)
	} else {
		_, err = s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
	}
	switch {
	case dynamo.ConditionFailedAt(err, 0):
		return errs.Conflict("function %q is being changed by another request", old.Name)
	case dynamo.ConditionFailedAt(err, 1):
		return errs.Duplicate("name %q already exists", next.Name)
	case err != nil:
		return dynamo.Wrap("update function", err)
	}

	if next.Version > cloudfunction.MaxVersions+1 && next.Version > old.Version {
		// The update is done; what pruning leaves behind, the next one takes.
		_ = s.prune(ctx, scope, next)
	}
	return nil
}

func (s *Functions) updates(scope tenant.Scope, old, next cloudfunction.Function) ([]types.TransactWriteItem, error) {
	record := encodeFunction(scope, next)
	byID, err := s.put(record, "revision = :revision", dynamo.Item{":revision": dynamo.Number(old.Revision)})
	if err != nil {
		return nil, err
	}
	record.SK = nameKey(next.Name)
	condition, values := "id = :id", dynamo.Item{":id": dynamo.Number(int64(old.ID))}
	if next.Name != old.Name {
		condition, values = "attribute_not_exists(pk)", nil
	}
	byName, err := s.put(record, condition, values)
	if err != nil {
		return nil, err
	}
	writes := []types.TransactWriteItem{byID, byName}
	if next.Name != old.Name {
		writes = append(writes, s.remove(scope.String(), nameKey(old.Name)))
	}
	if next.Version > old.Version {
		kept := encodeFunction(scope, old)
		kept.Tokens = ""
		kept.PK, kept.SK = versionsKey(scope, old.ID), versionKey(old.Version)
		put, err := s.put(kept, "", nil)
		if err != nil {
			return nil, err
		}
		writes = append(writes, put)
	}
	return writes, nil
}

// Delete is one transaction. The versions and the code that nothing else uses go
// after it, unreachable already; what is left behind, the next deletion takes.
func (s *Functions) Delete(ctx context.Context, scope tenant.Scope, f cloudfunction.Function) error {
	byID := s.remove(scope.String(), functionKey(f.ID))
	byID.Delete.ConditionExpression = aws.String("revision = :revision")
	byID.Delete.ExpressionAttributeValues = dynamo.Item{":revision": dynamo.Number(f.Revision)}
	_, err := s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		byID, s.remove(scope.String(), nameKey(f.Name)), s.remove(variablesKey(scope, f.ID)), s.count(scope, f.ID, -1),
		{Put: &types.Put{TableName: &s.Table, Item: dynamo.Key(deletedKey(scope), f.ID.Key())}},
	}})
	if dynamo.ConditionFailedAt(err, 0) {
		return errs.Conflict("function %q is being changed by another request", f.Name)
	}
	if err != nil {
		return dynamo.Wrap("delete function", err)
	}
	_ = s.collect(ctx, scope)
	return nil
}

func (s *Functions) put(it functionItem, condition string, values dynamo.Item) (types.TransactWriteItem, error) {
	av, err := attributevalue.MarshalMap(it)
	if err != nil {
		return types.TransactWriteItem{}, fmt.Errorf("encode function: %w", err)
	}
	put := &types.Put{TableName: &s.Table, Item: av, ExpressionAttributeValues: values}
	if condition != "" {
		put.ConditionExpression = &condition
	}
	return types.TransactWriteItem{Put: put}, nil
}

func (s *Functions) remove(pk, sk string) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{TableName: &s.Table, Key: dynamo.Key(pk, sk)}}
}

func (s *Functions) count(scope tenant.Scope, fn id.ID, by int64) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &s.Table, Key: dynamo.Key(scope.String(), countKey(fn)),
		UpdateExpression: aws.String("ADD n :by"), ExpressionAttributeValues: dynamo.Item{":by": dynamo.Number(by)},
	}}
}
