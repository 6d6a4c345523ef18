package functiondb

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
)

// Code is stored once in a function, however many of its versions have it:
//
//	pk = <scope>#code#<id>   sk = <digest>#<chunks>#<n>   part: chunk n of it, gzip
//
// Each transaction that brings code to the function writes it, and the one that drops the last version with that code
// deletes it. All these have a condition on the revision of the function's record, so they follow one another: code
// that a record or version has is never missing, and code that none has is not there.

// errCodeGone says that code was deleted between the read of its record and its
// own: the record has been changed or deleted meanwhile.
var errCodeGone = errs.Conflict("the function is being changed while it is read, try again")

// codeKey is the part of the key that two records of a function with the same code share.
func (it functionItem) codeKey() string { return fmt.Sprintf("%s#%d", it.Digest, it.CodeChunks) }

func (it functionItem) codePK(scope tenant.Scope) string {
	return scope.String() + "#code#" + it.ID.Key()
}

func (it functionItem) chunkSK(n int) string { return it.codeKey() + "#" + strconv.Itoa(n) }

func (it functionItem) cacheKey(scope tenant.Scope) string {
	return it.codePK(scope) + "#" + it.codeKey()
}

// putCode writes the code of a record, which may be there already.
func (s *Functions) putCode(scope tenant.Scope, it functionItem) []types.TransactWriteItem {
	return dynamo.Chunks(s.Table, it.codePK(scope), it.chunkSK, it.code, time.Time{})
}

func (s *Functions) removeCode(scope tenant.Scope, it functionItem) []types.TransactWriteItem {
	var parts []types.TransactWriteItem
	for n := range it.CodeChunks {
		parts = append(parts, s.remove(it.codePK(scope), it.chunkSK(n)))
	}
	return parts
}

// withCode reads a record with its code, errs.NotFound where there is none.
func (s *Functions) withCode(
	ctx context.Context, scope tenant.Scope, read func() (dynamo.Item, error),
) (functionItem, error) {
	var it functionItem
	// An update between the two reads may remove the code that the record names: then both are read again.
	err := untilWhole(ctx, func() error {
		av, err := read()
		if err != nil {
			return err
		}
		if len(av) == 0 {
			return errs.NotFound("there is no such record")
		}

		if it, err = dynamo.Decode[functionItem](av); err != nil {
			return err
		}
		return s.readCode(ctx, scope, &it)
	})
	return it, err
}

// untilWhole calls read until the code it wants is there.
func untilWhole(ctx context.Context, read func() error) error {
	isGone := func(err error) bool { return errors.Is(err, errCodeGone) }
	return retry.Calls.Do(ctx, isGone, func(int) error { return read() })
}

// readCode fills in code: from the cache, or in one BatchGetItem per 100 chunks.
func (s *Functions) readCode(ctx context.Context, scope tenant.Scope, items ...*functionItem) error {
	var missing []dynamo.Item
	for _, it := range items {
		if it.code = s.code.get(it.cacheKey(scope)); it.code != nil {
			continue
		}
		for n := range it.CodeChunks {
			missing = append(missing, dynamo.Key(it.codePK(scope), it.chunkSK(n)))
		}
	}

	// Chunks with the same sort key are of the same code, whoever's it is.
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
		s.code.put(it.cacheKey(scope), it.code)
	}
	return nil
}

// codeCache keeps code between requests, by function and digest, so nothing in it is ever stale. The zero value is
// ready.
type codeCache struct {
	mu    sync.Mutex
	bytes int
	byKey map[string][]byte
}

// maxCodeCache is in compressed bytes: thousands of small functions, or a few dozen
// large ones.
const maxCodeCache = 16 << 20

// get returns nil for what is not there. The code must not be changed.
func (c *codeCache) get(key string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.byKey[key]
}

func (c *codeCache) put(key string, code []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()

	if _, known := c.byKey[key]; known {
		return
	}
	if c.byKey == nil || c.bytes+len(code) > maxCodeCache {
		c.byKey, c.bytes = map[string][]byte{}, 0
	}
	c.byKey[key] = code
	c.bytes += len(code)
}
