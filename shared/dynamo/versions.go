package dynamo

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

const recordSuffix = "#record"

func versionsKey(scope tenant.Scope, fn id.ID) string { return scope.String() + "#code#" + fn.Key() }
func versionKey(number int) string                    { return fmt.Sprintf("%08d%s", number, recordSuffix) }
func chunkKey(codeVersion, n int) string              { return fmt.Sprintf("%08d#%02d", codeVersion, n) }

// Versions is one Query.
func (s *Functions) Versions(ctx context.Context, scope tenant.Scope, fn id.ID) ([]cloudfunction.Version, error) {
	var versions []cloudfunction.Version
	query := &dynamodb.QueryInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true), ScanIndexForward: aws.Bool(false),
		KeyConditionExpression: aws.String("pk = :pk"), FilterExpression: aws.String("attribute_exists(digest)"),
		ProjectionExpression:     aws.String("id, #name, remark, audit, #plan, version, updated_at, updated_by, digest, code_bytes, code_wire, code_version"),
		ExpressionAttributeNames: map[string]string{"#name": "name", "#plan": "plan"},

		ExpressionAttributeValues: item{":pk": text(versionsKey(scope, fn))},
	}
	for {
		out, err := s.Client.Query(ctx, query)
		if err != nil {
			return nil, wrap("list versions", err)
		}
		for _, av := range out.Items {
			var it functionItem
			if err := attributevalue.UnmarshalMap(av, &it); err != nil {
				return nil, fmt.Errorf("decode version: %w", err)
			}
			versions = append(versions, it.asVersion())
		}
		if query.ExclusiveStartKey = out.LastEvaluatedKey; query.ExclusiveStartKey == nil {
			// Pruning follows an update and may be late by one.
			return versions[:min(len(versions), cloudfunction.MaxVersions)], nil
		}
	}
}

func (it functionItem) asVersion() cloudfunction.Version {
	return cloudfunction.Version{
		Number: it.Version, Name: cloudfunction.Name(it.Name), Code: it.code(), CodeVersion: it.CodeVersion,
		Remark: it.Remark, Plan: sandbox.Plan(it.Plan),
		CreatedAt: time.Unix(it.UpdatedAt, 0).UTC(), CreatedBy: it.UpdatedBy,
	}
}

// Version is one GetItem, and one Query for code in chunks.
func (s *Functions) Version(ctx context.Context, scope tenant.Scope, fn id.ID, number int) (cloudfunction.Version, error) {
	out, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.Table, Key: itemKey(versionsKey(scope, fn), versionKey(number)), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return cloudfunction.Version{}, wrap("read version", err)
	}
	if len(out.Item) == 0 {
		return cloudfunction.Version{}, errs.NotFound("version %d of this function does not exist", number)
	}
	var it functionItem
	if err := attributevalue.UnmarshalMap(out.Item, &it); err != nil {
		return cloudfunction.Version{}, fmt.Errorf("decode version: %w", err)
	}
	v := it.asVersion()
	if it.Chunks > 0 {
		v.Code.Gzip, err = s.readChunks(ctx, scope, fn, it)
	}
	return v, err
}

func chunkCount(code []byte) int { return (len(code) + codeChunk - 1) / codeChunk }

// putChunks stores the code of f beside its record, when it is too large for it.
func (s *Functions) putChunks(scope tenant.Scope, f cloudfunction.Function) []types.TransactWriteItem {
	if len(f.Code.Gzip) <= inlineCode {
		return nil
	}
	var writes []types.TransactWriteItem
	for n := range chunkCount(f.Code.Gzip) {
		part := f.Code.Gzip[n*codeChunk : min((n+1)*codeChunk, len(f.Code.Gzip))]
		it := itemKey(versionsKey(scope, f.ID), chunkKey(f.CodeVersion, n))
		it["part"] = &types.AttributeValueMemberB{Value: part}
		writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &s.Table, Item: it}})
	}
	return writes
}

// readChunks puts the code of a record together again.
func (s *Functions) readChunks(ctx context.Context, scope tenant.Scope, fn id.ID, it functionItem) ([]byte, error) {
	pk := versionsKey(scope, fn)
	key := pk + chunkKey(it.CodeVersion, 0)
	if code := s.chunks.get(key); code != nil {
		return code, nil
	}
	query := &dynamodb.QueryInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :pk AND sk BETWEEN :first AND :last"),
		ExpressionAttributeValues: item{
			":pk": text(pk), ":first": text(chunkKey(it.CodeVersion, 0)), ":last": text(chunkKey(it.CodeVersion, it.Chunks-1)),
		},
	}
	var code []byte
	found := 0
	for {
		out, err := s.Client.Query(ctx, query)
		if err != nil {
			return nil, wrap("read code", err)
		}
		for _, av := range out.Items {
			if part, ok := av["part"].(*types.AttributeValueMemberB); ok {
				code = append(code, part.Value...)
				found++
			}
		}
		if query.ExclusiveStartKey = out.LastEvaluatedKey; query.ExclusiveStartKey == nil {
			break
		}
	}
	if found != it.Chunks {
		// The record was replaced or deleted, and its code pruned, while we read.
		return nil, errs.Conflict("the function was changed while it was read, try again")
	}
	s.chunks.put(key, code)
	return code, nil
}

// prune drops what is not kept: records before the last MaxVersions, and code
// that no kept version brought. It may be interrupted; the next update goes on.
func (s *Functions) prune(ctx context.Context, scope tenant.Scope, f cloudfunction.Function) error {
	oldest := f.Version - cloudfunction.MaxVersions
	out, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.Table, Key: itemKey(versionsKey(scope, f.ID), versionKey(oldest)), ConsistentRead: aws.Bool(true),
		ProjectionExpression: aws.String("code_version"),
	})
	if err != nil {
		return wrap("prune versions", err)
	}
	oldestCode := int(intOf(out.Item["code_version"]))
	return s.purge(ctx, versionsKey(scope, f.ID), func(sk string) bool {
		if strings.HasSuffix(sk, recordSuffix) {
			return sk < versionKey(oldest)
		}
		return sk < chunkKey(oldestCode, 0)
	})
}

// purge deletes the items of a partition whose sort key drop names.
func (s *Functions) purge(ctx context.Context, pk string, drop func(sk string) bool) error {
	query := &dynamodb.QueryInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true), ProjectionExpression: aws.String("sk"),
		KeyConditionExpression: aws.String("pk = :pk"), ExpressionAttributeValues: item{":pk": text(pk)},
	}
	for {
		out, err := s.Client.Query(ctx, query)
		if err != nil {
			return wrap("purge versions", err)
		}
		var keys []string
		for _, av := range out.Items {
			if sk := stringOf(av["sk"]); drop(sk) {
				keys = append(keys, sk)
			}
		}
		if err := batchDelete(ctx, s.Client, s.Table, pk, keys); err != nil {
			return wrap("purge versions", err)
		}
		if query.ExclusiveStartKey = out.LastEvaluatedKey; query.ExclusiveStartKey == nil {
			return nil
		}
	}
}

// batchDelete deletes the items of those sort keys.
func batchDelete(ctx context.Context, client *dynamodb.Client, table, pk string, keys []string) error {
	for len(keys) > 0 {
		n := min(maxBatch, len(keys))
		var writes []types.WriteRequest
		for _, sk := range keys[:n] {
			writes = append(writes, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: itemKey(pk, sk)}})
		}
		if err := batchWrite(ctx, client, table, writes); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}
