// Package functiondb keeps cloud functions, their versions, code and variables in DynamoDB.
package functiondb

import (
	"context"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// Functions is the cloudfunction.Store:
//
//	pk = <scope>               sk = id#<id>           the record, for lists and by id
//	                           sk = name#<name>       the same record, for runs
//	                           sk = count#<0–7>       number of functions, in shards
//	pk = <scope>#versions#<id> sk = <version>#record  a version before the current one
//	pk = <scope>#code#<id>     and what lies there: see code.go
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
	ID        id.ID                     `dynamodbav:"id"`
	Name      cloudfunction.Name        `dynamodbav:"name"`
	Remark    string                    `dynamodbav:"remark,omitempty"`
	Audit     cloudfunction.AuditStatus `dynamodbav:"audit"`
	Plan      sandbox.Plan              `dynamodbav:"plan"`
	Version   int                       `dynamodbav:"version"`
	Revision  int64                     `dynamodbav:"revision"`
	Variables int64                     `dynamodbav:"variables,omitempty"` // version of the variables
	CreatedAt int64                     `dynamodbav:"created_at"`          // Unix seconds
	CreatedBy string                    `dynamodbav:"created_by"`
	UpdatedAt int64                     `dynamodbav:"updated_at"` // Unix seconds
	UpdatedBy string                    `dynamodbav:"updated_by"`
	Tokens    writetoken.List           `dynamodbav:"tokens,omitempty"`

	Digest     string `dynamodbav:"digest"`
	CodeBytes  int    `dynamodbav:"code_bytes"`
	CodeWire   int    `dynamodbav:"code_wire"`
	CodeChunks int    `dynamodbav:"code_chunks"`

	code []byte // what the chunks hold together, nil where it has not been read
}

func functionKey(fn id.ID) string            { return "id#" + fn.Key() }
func nameKey(name cloudfunction.Name) string { return "name#" + string(name) }

func encodeFunction(f cloudfunction.Function) functionItem {
	return functionItem{
		ID: f.ID, Name: f.Name, Remark: f.Remark, Audit: f.Audit, Plan: f.Plan,
		Version: f.Version, Revision: f.Revision, Variables: f.VariablesVersion,
		CreatedAt: f.CreatedAt.Unix(), CreatedBy: f.CreatedBy, UpdatedAt: f.UpdatedAt.Unix(), UpdatedBy: f.UpdatedBy,
		Tokens: f.Tokens,
		Digest: f.Code.Digest, CodeBytes: f.Code.Bytes, CodeWire: f.Code.Wire,
		CodeChunks: dynamo.NumberOfChunks(f.Code.Gzip), code: f.Code.Gzip,
	}
}

func (it functionItem) function() cloudfunction.Function {
	return cloudfunction.Function{
		ID: it.ID, Name: it.Name, Code: it.asCode(), Remark: it.Remark, Audit: it.Audit, Plan: it.Plan,
		Version: it.Version, Revision: it.Revision, VariablesVersion: it.Variables,
		CreatedAt: time.Unix(it.CreatedAt, 0).UTC(), CreatedBy: it.CreatedBy,
		UpdatedAt: time.Unix(it.UpdatedAt, 0).UTC(), UpdatedBy: it.UpdatedBy,
		Tokens: it.Tokens,
	}
}

func (it functionItem) asVersion() cloudfunction.Version {
	return cloudfunction.Version{
		Number: it.Version, Name: it.Name, Code: it.asCode(), Remark: it.Remark, Plan: it.Plan,
		CreatedAt: time.Unix(it.UpdatedAt, 0).UTC(), CreatedBy: it.UpdatedBy,
	}
}

func (it functionItem) asCode() cloudfunction.Code {
	return cloudfunction.Code{Gzip: it.code, Digest: it.Digest, Bytes: it.CodeBytes, Wire: it.CodeWire}
}

// Create is one transaction: record by id, by name, count, and the code.
func (s *Functions) Create(ctx context.Context, scope tenant.Scope, f cloudfunction.Function) error {
	it := encodeFunction(f)
	parts := []types.TransactWriteItem{
		s.put(scope.String(), functionKey(f.ID), it, dynamo.NotExists, nil),
		s.put(scope.String(), nameKey(f.Name), it, dynamo.NotExists, nil),
		s.count(scope, f.ID, 1),
	}

	err := dynamo.Transact(ctx, s.Client, append(parts, s.putCode(scope, it)...)...)
	switch {
	// Both conditions may fail at once: the name comes first, because the caller can change it.
	case dynamo.ConditionFailedAt(err, 1):
		return errs.Duplicate("name %q already exists", f.Name)
	case dynamo.ConditionFailedAt(err, 0):
		return errs.Conflict("function id %d is taken", f.ID)
	case err != nil:
		return dynamo.Wrap("create function", err)
	}

	s.code.put(it.cacheKey(scope), it.code)
	return nil
}

// Read is one GetItem, none where it was prefetched, and one BatchGetItem for code this process has not read yet.
func (s *Functions) Read(
	ctx context.Context, scope tenant.Scope, name cloudfunction.Name,
) (cloudfunction.Function, error) {
	return s.read(ctx, scope, nameKey(name), string(name))
}

// ReadID is one GetItem, and one BatchGetItem for code this process has not read yet.
func (s *Functions) ReadID(ctx context.Context, scope tenant.Scope, fn id.ID) (cloudfunction.Function, error) {
	return s.read(ctx, scope, functionKey(fn), strconv.FormatInt(int64(fn), 10))
}

// Prefetch has the next Read of that function served by the call that reads who makes the request.
func (s *Functions) Prefetch(ctx context.Context, scope tenant.Scope, name string) context.Context {
	composed, err := cloudfunction.ParseName(name)
	if err != nil {
		return ctx
	}
	return dynamo.WithPrefetch(ctx, s.Table, scope.String(), nameKey(composed))
}

func (s *Functions) read(ctx context.Context, scope tenant.Scope, sk, called string) (cloudfunction.Function, error) {
	it, err := s.withCode(ctx, scope, func() (dynamo.Item, error) {
		if av, ok := dynamo.Prefetched(ctx, s.Table, scope.String(), sk); ok {
			return av, nil
		}
		return dynamo.GetItem(ctx, s.Client, s.Table, scope.String(), sk)
	})
	if errs.Is(err, errs.KindNotFound) {
		err = errs.NotFound("function %q does not exist", called)
	}
	return it.function(), err
}

// Update is one transaction: both records, the version before, and new code. A version that is kept no longer goes in
// the same transaction; one Query before tells whether another one has its code.
func (s *Functions) Update(ctx context.Context, scope tenant.Scope, old, next cloudfunction.Function) error {
	it := encodeFunction(next)
	parts := s.updates(scope, old, next)

	if next.Version > old.Version {
		expired, err := s.expired(ctx, scope, old, next)
		if err != nil {
			return err
		}
		parts = append(parts, expired...)
	}
	if next.Code.Digest != old.Code.Digest {
		parts = append(parts, s.putCode(scope, it)...)
	}

	err := dynamo.Transact(ctx, s.Client, parts...)
	switch {
	case dynamo.ConditionFailedAt(err, 0):
		return errs.Conflict("function %q is being changed by another request", old.Name)
	case dynamo.ConditionFailedAt(err, 1):
		return errs.Duplicate("name %q already exists", next.Name)
	case err != nil:
		return dynamo.Wrap("update function", err)
	}

	// This process has the code already, so its next read of the function need not fetch it.
	s.code.put(it.cacheKey(scope), it.code)
	return nil
}

// updates writes next in the place of old, which becomes a version where next is another.
func (s *Functions) updates(scope tenant.Scope, old, next cloudfunction.Function) []types.TransactWriteItem {
	it := encodeFunction(next)
	byID := s.put(scope.String(), functionKey(next.ID), it, dynamo.IsRevision, dynamo.RevisionOf(old.Revision))
	byName := s.put(scope.String(), nameKey(next.Name), it, "id = :id", dynamo.Item{":id": dynamo.Number(int64(old.ID))})
	parts := []types.TransactWriteItem{byID, byName}

	if next.Name != old.Name {
		parts[1] = s.put(scope.String(), nameKey(next.Name), it, dynamo.NotExists, nil)
		parts = append(parts, s.remove(scope.String(), nameKey(old.Name)))
	}
	if next.Version > old.Version {
		kept := encodeFunction(old)
		// The write tokens belong to the current record; a version is never changed again.
		kept.Tokens = ""
		parts = append(parts, s.put(versionsKey(scope, old.ID), versionKey(old.Version), kept, "", nil))
	}
	return parts
}

// Delete removes the versions first, the oldest ones before the others and each with its code, and the function in the
// last transaction. A crash between them leaves a function that is whole, with fewer versions, and nothing out of
// reach.
func (s *Functions) Delete(ctx context.Context, scope tenant.Scope, f cloudfunction.Function) error {
	versions, err := s.versions(ctx, scope, f)
	if err != nil {
		return err
	}

	record := encodeFunction(f)
	for n := 0; n < len(versions) && err == nil; {
		// An update meanwhile may have brought back the code of a version.
		parts := []types.TransactWriteItem{dynamo.Check(s.Table, scope.String(), functionKey(f.ID), dynamo.IsRevision, dynamo.RevisionOf(f.Revision))}
		for range min(versionsAtOnce, len(versions)-n) {
			others := append(versions[n+1:len(versions):len(versions)], record)
			parts = append(parts, s.dropVersion(scope, versions[n], others)...)
			n++
		}
		err = dynamo.Transact(ctx, s.Client, parts...)
	}
	if err == nil {
		err = dynamo.Transact(ctx, s.Client, append([]types.TransactWriteItem{
			dynamo.Delete(s.Table, scope.String(), functionKey(f.ID), dynamo.IsRevision, dynamo.RevisionOf(f.Revision)),
			s.remove(scope.String(), nameKey(f.Name)), s.remove(variablesKey(scope, f.ID)), s.count(scope, f.ID, -1),
		}, s.removeCode(scope, record)...)...)
	}

	if dynamo.ConditionFailedAt(err, 0) {
		return errs.Conflict("function %q is being changed by another request", f.Name)
	}
	return dynamo.Wrap("delete function", err)
}

func (s *Functions) put(pk, sk string, it functionItem, condition string, values dynamo.Item) types.TransactWriteItem {
	return dynamo.Put(s.Table, dynamo.Encode(pk, sk, it), condition, values)
}

func (s *Functions) remove(pk, sk string) types.TransactWriteItem {
	return dynamo.Delete(s.Table, pk, sk, "", nil)
}

func (s *Functions) count(scope tenant.Scope, fn id.ID, by int64) types.TransactWriteItem {
	shard := "count#" + strconv.Itoa(int(fn%countShards))
	return dynamo.Update(s.Table, scope.String(), shard, "ADD n :by", "", dynamo.Item{":by": dynamo.Number(by)})
}
