package functiondb

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
)

// The code of a function is stored once per digest, even if several versions have the same code:
//
//	pk = <scope>#code#<id>   sk = <digest>#<chunks>#<n>   part: chunk n of it, gzip
//
// The transaction that adds code to a function writes it, and the transaction that drops the last version with that
// code deletes it. Each of them has a condition on the revision of the function's record, so they run one after
// another: code that a record or version refers to always exists, and unreferenced code does not.

// errCodeGone means that the code was deleted between the reads of the record and of its code, because the function was
// changed or deleted in between.
var errCodeGone = errs.Conflict("the function is being changed while it is read, try again")

// codeKey is the part of the sort key that is equal for records of a function with the same code.
func (it functionItem) codeKey() string { return fmt.Sprintf("%s#%d", it.Digest, it.CodeChunks) }

func (it functionItem) codePK(scope tenant.Scope) string {
	return scope.String() + "#code#" + it.ID.Key()
}

func (it functionItem) chunkSK(n int) string { return it.codeKey() + "#" + strconv.Itoa(n) }

func (it functionItem) cacheKey(scope tenant.Scope) string {
	return it.codePK(scope) + "#" + it.codeKey()
}

// putCode returns the writes of a record's code. They may overwrite the same code.
func (s *Functions) putCode(scope tenant.Scope, it functionItem) []dynamo.Part {
	return dynamo.Chunks(s.Table, it.codePK(scope), it.chunkSK, it.code, time.Time{})
}

func (s *Functions) removeCode(scope tenant.Scope, it functionItem) []dynamo.Part {
	var parts []dynamo.Part
	for n := range it.CodeChunks {
		parts = append(parts, s.remove(it.codePK(scope), it.chunkSK(n)))
	}
	return parts
}

// withCode reads a record with its code.
func (s *Functions) withCode(
	ctx context.Context, scope tenant.Scope, read func() (dynamo.Item, error),
) (functionItem, error) {
	var it functionItem
	// A concurrent update may delete the code that the record refers to: then read both again.
	err := untilWhole(ctx, func() error {
		av, err := read()
		if err != nil {
			return err
		}
		if it, err = dynamo.Decode[functionItem](av); err != nil {
			return err
		}
		return s.readCode(ctx, scope, &it)
	})
	return it, err
}

// untilWhole calls read until it does not return errCodeGone.
func untilWhole(ctx context.Context, read func() error) error {
	isGone := func(err error) bool { return errors.Is(err, errCodeGone) }
	return retry.Calls.Do(ctx, isGone, func(int) error { return read() })
}

// readCode sets the code of items: from the cache, or in one BatchGetItem per 100 chunks.
func (s *Functions) readCode(ctx context.Context, scope tenant.Scope, items ...*functionItem) error {
	var missing []dynamo.Item
	for _, it := range items {
		if it.code, _ = s.code.Get(it.cacheKey(scope)); it.code != nil {
			continue
		}
		for n := range it.CodeChunks {
			missing = append(missing, dynamo.Key(it.codePK(scope), it.chunkSK(n)))
		}
	}

	// Chunks with the same sort key are equal, even if they belong to different functions.
	found, err := dynamo.BatchGet(ctx, s.Client, s.Table, missing...)
	if err != nil {
		return dynamo.Wrap("read code", err)
	}

	for _, it := range items {
		if it.code != nil {
			continue
		}
		for n := range it.CodeChunks {
			part := dynamo.BytesOf(found[it.chunkSK(n)]["part"])
			if part == nil {
				return errCodeGone
			}
			it.code = append(it.code, part...)
		}
		s.cache(scope, *it)
	}
	return nil
}

// maxCodeCache is the maximum size of the cached code in compressed bytes: thousands of small functions, or a few dozen
// large ones.
const maxCodeCache = 16 << 20

// cache caches the code of an item that was written or read in full. The key has the digest, so no entry is ever stale.
func (s *Functions) cache(scope tenant.Scope, it functionItem) {
	if _, known := s.code.Get(it.cacheKey(scope)); !known {
		s.code.PutSized(it.cacheKey(scope), it.code, len(it.code), maxCodeCache)
	}
}
