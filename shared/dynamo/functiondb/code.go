package functiondb

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// Code is stored once in an environment, whoever uses it:
//
//	pk = <scope>#code#<digest>   sk = uses            by how many versions it is used (n), and its chunks
//	                             sk = <digest>#<nn>   a chunk of it
//	pk = <scope>#versions#<id>   sk = <version>#use   one such use: the version that brought it to the function
//
// A use is counted, and dropped, in the transaction that writes, or deletes, its
// item; the last one takes the code along. So code that is used is never missing,
// however two writers meet: who adds a use finds the code there or brings it, and
// who drops the last one finds that it is the last.

const codeChunk = 300 << 10 // bytes of one chunk; an item ends at 400 KB

// errCodeGone says that code was collected between the read of its record and its
// own: the record has been changed or deleted meanwhile.
var errCodeGone = errors.New("the code is gone")

// codeAttempts is how often a write, or a read, that met another one is tried.
const codeAttempts = 10

func codeKey(scope tenant.Scope, digest string) string { return scope.String() + "#code#" + digest }
func chunkKey(digest string, n int) string             { return fmt.Sprintf("%s#%02d", digest, n) }

const usesKey = "uses"

// whole calls read until the code it wants is there.
func (s *Functions) whole(read func() error) error {
	for range codeAttempts {
		if err := read(); !errors.Is(err, errCodeGone) {
			return err
		}
	}
	return errs.Conflict("the function is being changed while it is read, try again")
}

// writeWithCode is one transaction: writes, and the use of the code of f by its
// current version. The code itself is written where nobody uses it yet.
func (s *Functions) writeWithCode(ctx context.Context, scope tenant.Scope, f cloudfunction.Function, writes []types.TransactWriteItem) error {
	use := dynamo.Key(versionsKey(scope, f.ID), useKey(f.CodeVersion))
	use["digest"] = dynamo.Text(f.Code.Digest)
	writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &s.Table, Item: use}})

	var err error
	for range codeAttempts {
		n, _, failed := s.uses(ctx, scope, f.Code.Digest)
		if failed != nil {
			return failed
		}
		code := s.newCode(scope, f.Code)
		if n > 0 {
			code = []types.TransactWriteItem{s.countUse(scope, f.Code.Digest, 1)}
		}

		_, err = s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: append(writes[:len(writes):len(writes)], code...)})
		if err == nil {
			s.code.put(codeKey(scope, f.Code.Digest), f.Code.Gzip)
		}
		// Where another writer brought the code, or dropped its last use, look again.
		if !dynamo.ConditionFailedAt(err, len(writes)) {
			return err
		}
	}
	return err
}

// uses returns how many uses code has, 0 when it is not there, and its chunks.
func (s *Functions) uses(ctx context.Context, scope tenant.Scope, digest string) (n int64, chunks int, err error) {
	out, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.Table, Key: dynamo.Key(codeKey(scope, digest), usesKey), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return 0, 0, dynamo.Wrap("read uses of code", err)
	}
	return dynamo.IntegerOf(out.Item["n"]), int(dynamo.IntegerOf(out.Item["chunks"])), nil
}

// newCode stores code that nobody uses, with its first use.
func (s *Functions) newCode(scope tenant.Scope, code cloudfunction.Code) []types.TransactWriteItem {
	chunks := (len(code.Gzip) + codeChunk - 1) / codeChunk
	uses := dynamo.Key(codeKey(scope, code.Digest), usesKey)
	uses["n"], uses["chunks"] = dynamo.Number(1), dynamo.Number(int64(chunks))
	writes := []types.TransactWriteItem{{Put: &types.Put{
		TableName: &s.Table, Item: uses, ConditionExpression: aws.String("attribute_not_exists(pk)"),
	}}}

	for n := range chunks {
		part := code.Gzip[n*codeChunk : min((n+1)*codeChunk, len(code.Gzip))]
		it := dynamo.Key(codeKey(scope, code.Digest), chunkKey(code.Digest, n))
		it["part"], it["chunks"] = &types.AttributeValueMemberB{Value: part}, dynamo.Number(int64(chunks))
		writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &s.Table, Item: it}})
	}
	return writes
}

// countUse counts a use of code that has others.
func (s *Functions) countUse(scope tenant.Scope, digest string, by int64) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &s.Table, Key: dynamo.Key(codeKey(scope, digest), usesKey),
		UpdateExpression: aws.String("ADD n :by"), ConditionExpression: aws.String("n > :others"),
		ExpressionAttributeValues: dynamo.Item{":by": dynamo.Number(by), ":others": dynamo.Number(max(0, -by))},
	}}
}

// dropUse deletes a use, and with the last one the code. Of several at the same
// time one does it.
func (s *Functions) dropUse(ctx context.Context, scope tenant.Scope, fn id.ID, use, digest string) error {
	dropped := s.remove(versionsKey(scope, fn), use)
	dropped.Delete.ConditionExpression = aws.String("attribute_exists(pk)")

	var err error
	for range codeAttempts {
		n, chunks, failed := s.uses(ctx, scope, digest)
		if failed != nil {
			return failed
		}
		writes := []types.TransactWriteItem{dropped}
		if n > 1 {
			writes = append(writes, s.countUse(scope, digest, -1))
		} else {
			writes = append(writes, s.lastUse(scope, digest, chunks)...)
		}

		_, err = s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
		if dynamo.ConditionFailedAt(err, 0) {
			return nil // another one has dropped it
		}
		if !dynamo.ConditionFailedAt(err, 1) {
			break
		}
	}
	return dynamo.Wrap("drop use of code", err)
}

// lastUse deletes code with its only use.
func (s *Functions) lastUse(scope tenant.Scope, digest string, chunks int) []types.TransactWriteItem {
	uses := s.remove(codeKey(scope, digest), usesKey)
	uses.Delete.ConditionExpression = aws.String("n = :one")
	uses.Delete.ExpressionAttributeValues = dynamo.Item{":one": dynamo.Number(1)}

	writes := []types.TransactWriteItem{uses}
	for n := range chunks {
		writes = append(writes, s.remove(codeKey(scope, digest), chunkKey(digest, n)))
	}
	return writes
}

// readCode fills in codes of which only the digest is known: from the cache, or in
// one BatchGetItem, and another one where code has several chunks. errCodeGone when
// one of them is not there.
func (s *Functions) readCode(ctx context.Context, scope tenant.Scope, codes ...*cloudfunction.Code) error {
	missing := map[string][]byte{}
	for _, code := range codes {
		if code.Gzip = s.code.get(codeKey(scope, code.Digest)); code.Gzip == nil {
			missing[code.Digest] = nil
		}
	}
	if len(missing) == 0 {
		return nil
	}

	if err := s.fetchCode(ctx, scope, missing); err != nil {
		return err
	}
	for digest, packed := range missing {
		s.code.put(codeKey(scope, digest), packed)
	}
	for _, code := range codes {
		if code.Gzip == nil {
			code.Gzip = missing[code.Digest]
		}
	}
	return nil
}

// fetchCode reads the code of every digest in wanted.
func (s *Functions) fetchCode(ctx context.Context, scope tenant.Scope, wanted map[string][]byte) error {
	var firsts, rest []dynamo.Item
	for digest := range wanted {
		firsts = append(firsts, dynamo.Key(codeKey(scope, digest), chunkKey(digest, 0)))
	}
	found, err := s.chunks(ctx, firsts)
	if err != nil {
		return err
	}

	count := make(map[string]int, len(wanted))
	for digest := range wanted {
		first, there := found[chunkKey(digest, 0)]
		if !there {
			return errCodeGone
		}
		count[digest] = int(dynamo.IntegerOf(first["chunks"]))
		for n := 1; n < count[digest]; n++ {
			rest = append(rest, dynamo.Key(codeKey(scope, digest), chunkKey(digest, n)))
		}
	}
	others, err := s.chunks(ctx, rest)
	if err != nil {
		return err
	}

	for digest, chunks := range count {
		packed := partOf(found[chunkKey(digest, 0)])
		for n := 1; n < chunks; n++ {
			next, there := others[chunkKey(digest, n)]
			if !there {
				return errCodeGone
			}
			packed = append(packed, partOf(next)...)
		}
		wanted[digest] = packed
	}
	return nil
}

// chunks reads items by their sort keys, which differ.
func (s *Functions) chunks(ctx context.Context, keys []dynamo.Item) (map[string]dynamo.Item, error) {
	found := make(map[string]dynamo.Item, len(keys))
	for len(keys) > 0 {
		n := min(dynamo.MaxBatchGet, len(keys))
		got, err := dynamo.BatchGet(ctx, s.Client, s.Table, keys[:n]...)
		if err != nil {
			return nil, dynamo.Wrap("read code", err)
		}
		for sk, it := range got {
			found[sk] = it
		}
		keys = keys[n:]
	}
	return found, nil
}

func partOf(chunk dynamo.Item) []byte {
	part, ok := chunk["part"].(*types.AttributeValueMemberB)
	if !ok {
		return nil
	}
	return part.Value
}
