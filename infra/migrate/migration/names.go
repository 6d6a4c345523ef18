package migration

import (
	"context"
	"strings"

	"golang.org/x/text/unicode/norm"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
)

// ComposedNames names functions in composed form (NFC). Until 4b75cba5, names were stored as they were sent, so a run
// found a function only under the same combination of letters and marks. Functions keep their ids, and with them their
// jobs, versions and code; cloudfunction.Service finds them under both spellings.
func ComposedNames(store *functiondb.Functions) Step {
	return func(ctx context.Context, it dynamo.Item, write bool) (Outcome, error) {
		name := dynamo.TextOf(it["name"])
		// The record by name follows the record by id; versions keep the name that they had.
		if !strings.HasPrefix(dynamo.TextOf(it["sk"]), "id#") || norm.NFC.IsNormalString(name) {
			return Current, nil
		}
		scope, err := dynamo.ScopeOf(dynamo.TextOf(it["pk"]))
		if err != nil {
			return Refused, err
		}
		if write {
			return rename(ctx, store, scope, id.ID(dynamo.IntegerOf(it["id"])))
		}

		// A dry run finds what a rename would: another function of this name, or none.
		composed := norm.NFC.String(name)
		_, err = store.Read(ctx, scope, cloudfunction.Name(composed))
		if errs.Is(err, errs.KindNotFound) {
			return Migrated, nil
		}
		if err == nil {
			return Refused, errs.Duplicate("name %q already exists", composed)
		}
		return Current, err
	}
}

// rename writes both records of the function anew, in one transaction. It meets changes of the owner, and starts over.
func rename(
	ctx context.Context, store *functiondb.Functions, scope tenant.Scope, fn id.ID,
) (outcome Outcome, err error) {
	err = retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		outcome = Current // renamed or deleted since it was read
		f, err := store.ReadID(ctx, scope, fn)
		if errs.Is(err, errs.KindNotFound) || err == nil && norm.NFC.IsNormalString(string(f.Name)) {
			return nil
		}
		if err != nil {
			return err
		}

		next := f
		next.Name = cloudfunction.Name(norm.NFC.String(string(f.Name)))
		next.Revision++
		outcome = Migrated
		return store.Update(ctx, scope, f, next)
	})
	// Two functions that look alike: only the owner can say which is to keep the name.
	if errs.Is(err, errs.KindDuplicate) {
		return Refused, err
	}
	return outcome, err
}
