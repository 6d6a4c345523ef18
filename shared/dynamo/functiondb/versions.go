package functiondb

import (
	"context"
	"fmt"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// versionsAtOnce is the number of versions that one transaction deletes: each may have 1 MB of code, and a transaction
// is limited to 4 MB.
const versionsAtOnce = 3

func versionsKey(scope tenant.Scope, fn id.ID) string {
	return scope.String() + "#versions#" + fn.Key()
}
func versionKey(number int) string { return fmt.Sprintf("%08d#record", number) }

// Versions makes one Query.
func (s *Functions) Versions(ctx context.Context, scope tenant.Scope, fn id.ID) ([]cloudfunction.Version, error) {
	query := dynamo.Query(s.Table, versionsKey(scope, fn), "", "", true, 0)
	return dynamo.Collect(ctx, s.Client, query, func(av dynamo.Item) (cloudfunction.Version, error) {
		it, err := dynamo.Decode[functionItem](av)
		return it.asVersion(), err
	})
}

// Version makes one GetItem, and one BatchGetItem for code that this process has not cached.
func (s *Functions) Version(
	ctx context.Context, scope tenant.Scope, fn id.ID, number int,
) (cloudfunction.Version, error) {
	missing := errs.NotFound("version %d of this function does not exist", number)
	it, err := s.withCode(ctx, scope, func() (dynamo.Item, error) {
		return dynamo.Find(ctx, s.Client, s.Table, versionsKey(scope, fn), versionKey(number), missing)
	})
	return it.asVersion(), err
}

// versions returns the versions of f before the current one, oldest first.
func (s *Functions) versions(
	ctx context.Context, scope tenant.Scope, f cloudfunction.Function,
) ([]functionItem, error) {
	if f.Version == 1 {
		return nil, nil
	}
	return dynamo.All[functionItem](ctx, s.Client, dynamo.Query(s.Table, versionsKey(scope, f.ID), "", "", false, 0))
}

// expired returns the deletions of versions that are no longer kept once next replaces old. They are correct as long as
// old is the current record, because versions change only together with the record.
func (s *Functions) expired(
	ctx context.Context, scope tenant.Scope, old, next cloudfunction.Function,
) ([]dynamo.Part, error) {
	// Up to this version number nothing expires, so save the Query.
	if next.Version <= cloudfunction.MaxVersions+1 {
		return nil, nil
	}

	kept, err := s.versions(ctx, scope, old)
	if err != nil {
		return nil, err
	}
	kept = append(kept, encodeFunction(old), encodeFunction(next))

	var parts []dynamo.Part
	for len(kept) > cloudfunction.MaxVersions+1 {
		parts = append(parts, s.dropVersion(scope, kept[0], kept[1:])...)
		kept = kept[1:]
	}
	return parts, nil
}

// dropVersion returns the deletion of a version, and of its code if no other version has the same code.
func (s *Functions) dropVersion(scope tenant.Scope, it functionItem, others []functionItem) []dynamo.Part {
	parts := []dynamo.Part{s.remove(versionsKey(scope, it.ID), versionKey(it.Version))}
	for _, other := range others {
		if it.codeKey() == other.codeKey() {
			return parts
		}
	}
	return append(parts, s.removeCode(scope, it)...)
}
