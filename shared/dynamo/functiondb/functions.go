// Package functiondb stores cloud functions, their versions, code and variables in DynamoDB.
package functiondb

import (
	"context"
	"strconv"
	"time"

	"minicloud/shared/cache"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// Functions implements cloudfunction.Store:
//
//	pk = <scope>               sk = id#<id>           the record, for lists and by id
//	                           sk = name#<name>       the same record, for runs
//	                           sk = count#<0–7>       number of functions, in shards
//	pk = <scope>#versions#<id> sk = <version>#record  a version before the current one
//	pk = <scope>#code#<id>     chunks of code: see code.go
//
// One transaction with a condition on the revision writes both records, so each of them is always current: a run and a
// page of a list cost one read. A record holds the digest of its code, not the code, which is read unless this process
// has cached it.
type Functions struct {
	Client *dynamo.Client
	Table  string

	code cache.Map[string, []byte] // compressed, by cacheKey; not to be changed
}

const countShards = 8

// functionItem is the stored form of a function, and of a version before the current one.
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

	code []byte // the joined chunks, nil if not read
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

// Create runs one transaction of the records by id and by name, the counter, and the code.
func (s *Functions) Create(ctx context.Context, scope tenant.Scope, f cloudfunction.Function) error {
	it := encodeFunction(f)
	parts := []dynamo.Part{
		s.put(scope.String(), functionKey(f.ID), it, dynamo.NotExists, nil),
		s.put(scope.String(), nameKey(f.Name), it, dynamo.NotExists, nil),
		s.count(scope, f.ID, 1),
	}

	err := dynamo.Transact(ctx, s.Client, append(parts, s.putCode(scope, it)...)...)
	switch {
	// If both conditions fail, report the name: the caller can change it.
	case dynamo.ConditionFailedAt(err, 1):
		return errs.Duplicate("name %q already exists", f.Name)
	case dynamo.ConditionFailedAt(err, 0):
		return errs.Conflict("function id %d is taken", f.ID)
	case err != nil:
		return dynamo.Wrap("create function", err)
	}

	s.cache(scope, it)
	return nil
}

// Read makes one GetItem, or none if the record was prefetched, and one BatchGetItem for code that this process has not
// cached.
func (s *Functions) Read(
	ctx context.Context, scope tenant.Scope, name cloudfunction.Name,
) (cloudfunction.Function, error) {
	return s.read(ctx, scope, nameKey(name), string(name))
}

// ReadID makes one GetItem, and one BatchGetItem for code that this process has not cached.
func (s *Functions) ReadID(ctx context.Context, scope tenant.Scope, fn id.ID) (cloudfunction.Function, error) {
	return s.read(ctx, scope, functionKey(fn), strconv.FormatInt(int64(fn), 10))
}

// Prefetch makes the authentication read of the request also read this function, so that the next Read needs no call
// for the record.
func (s *Functions) Prefetch(ctx context.Context, scope tenant.Scope, name string) context.Context {
	composed, err := cloudfunction.ParseName(name)
	if err != nil {
		return ctx
	}
	return dynamo.WithPrefetch(ctx, map[string][]dynamo.Item{s.Table: {dynamo.Key(scope.String(), nameKey(composed))}})
}

func (s *Functions) read(ctx context.Context, scope tenant.Scope, sk, called string) (cloudfunction.Function, error) {
	missing := errs.NotFound("function %q does not exist", called)
	it, err := s.withCode(ctx, scope, func() (dynamo.Item, error) {
		return dynamo.FindPrefetched(ctx, s.Client, s.Table, scope.String(), sk, missing)
	})
	return it.function(), err
}

// Update runs one transaction of both records, the previous version, and new code. The transaction also deletes
// versions that are no longer kept. A Query before it finds out whether another version has their code.
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

	// Cache the code, so that the next read by this process does not fetch it.
	s.cache(scope, it)
	return nil
}

// updates returns the writes that replace old with next. If next has a new version number, they also store old as a
// version.
func (s *Functions) updates(scope tenant.Scope, old, next cloudfunction.Function) []dynamo.Part {
	it := encodeFunction(next)
	byID := s.put(scope.String(), functionKey(next.ID), it, dynamo.IsRevision, dynamo.RevisionOf(old.Revision))
	byName := s.put(scope.String(), nameKey(next.Name), it, "id = :id", dynamo.Item{":id": dynamo.Number(int64(old.ID))})
	parts := []dynamo.Part{byID, byName}

	if next.Name != old.Name {
		parts[1] = s.put(scope.String(), nameKey(next.Name), it, dynamo.NotExists, nil)
		parts = append(parts, s.remove(scope.String(), nameKey(old.Name)))
	}
	if next.Version > old.Version {
		kept := encodeFunction(old)
		// Write tokens belong to the current record; a version never changes.
		kept.Tokens = ""
		parts = append(parts, s.put(versionsKey(scope, old.ID), versionKey(old.Version), kept, "", nil))
	}
	return parts
}

// Delete deletes the versions first, oldest first and each with its code, and the function in the last transaction. A
// crash in between leaves a complete function with fewer versions, and no orphaned items.
func (s *Functions) Delete(ctx context.Context, scope tenant.Scope, f cloudfunction.Function) error {
	versions, err := s.versions(ctx, scope, f)
	if err != nil {
		return err
	}

	record := encodeFunction(f)
	for n := 0; n < len(versions) && err == nil; {
		// Check the revision: a concurrent update may have restored the code of a version.
		parts := []dynamo.Part{
			dynamo.Check(s.Table, scope.String(), functionKey(f.ID), dynamo.IsRevision, dynamo.RevisionOf(f.Revision)),
		}
		for range min(versionsAtOnce, len(versions)-n) {
			others := append(versions[n+1:len(versions):len(versions)], record)
			parts = append(parts, s.dropVersion(scope, versions[n], others)...)
			n++
		}
		err = dynamo.Transact(ctx, s.Client, parts...)
	}
	if err == nil {
		err = dynamo.Transact(ctx, s.Client, append([]dynamo.Part{
			dynamo.Delete(s.Table, scope.String(), functionKey(f.ID), dynamo.IsRevision, dynamo.RevisionOf(f.Revision)),
			s.remove(scope.String(), nameKey(f.Name)), s.remove(variablesKey(scope, f.ID)), s.count(scope, f.ID, -1),
		}, s.removeCode(scope, record)...)...)
	}

	if dynamo.ConditionFailedAt(err, 0) {
		return errs.Conflict("function %q is being changed by another request", f.Name)
	}
	return dynamo.Wrap("delete function", err)
}

func (s *Functions) put(pk, sk string, it functionItem, condition string, values dynamo.Item) dynamo.Part {
	return dynamo.Put(s.Table, dynamo.Encode(pk, sk, it), condition, values)
}

func (s *Functions) remove(pk, sk string) dynamo.Part {
	return dynamo.Delete(s.Table, pk, sk, "", nil)
}

func (s *Functions) count(scope tenant.Scope, fn id.ID, by int64) dynamo.Part {
	shard := "count#" + strconv.Itoa(int(fn%countShards))
	return dynamo.Update(s.Table, scope.String(), shard, "ADD n :by", "", dynamo.Item{":by": dynamo.Number(by)})
}
