package functiondb

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

const (
	recordSuffix = "#record"
	useSuffix    = "#use"
)

func versionsKey(scope tenant.Scope, fn id.ID) string {
	return scope.String() + "#versions#" + fn.Key()
}
func versionKey(number int) string         { return fmt.Sprintf("%08d%s", number, recordSuffix) }
func useKey(codeVersion int) string        { return fmt.Sprintf("%08d%s", codeVersion, useSuffix) }
func deletedKey(scope tenant.Scope) string { return scope.String() + "#deleted" }

// Versions is one Query.
func (s *Functions) Versions(ctx context.Context, scope tenant.Scope, fn id.ID) ([]cloudfunction.Version, error) {
	var versions []cloudfunction.Version
	query := &dynamodb.QueryInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true), ScanIndexForward: aws.Bool(false),
		KeyConditionExpression: aws.String("pk = :pk"), FilterExpression: aws.String("attribute_exists(code_version)"),
		ProjectionExpression:     aws.String("id, #name, remark, audit, #plan, version, updated_at, updated_by, digest, code_bytes, code_wire, code_version"),
		ExpressionAttributeNames: map[string]string{"#name": "name", "#plan": "plan"},

		ExpressionAttributeValues: dynamo.Item{":pk": dynamo.Text(versionsKey(scope, fn))},
	}
	for {
		out, err := s.Client.Query(ctx, query)
		if err != nil {
			return nil, dynamo.Wrap("list versions", err)
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

// Version is one GetItem, and one BatchGetItem for code this process has not read yet.
func (s *Functions) Version(ctx context.Context, scope tenant.Scope, fn id.ID, number int) (cloudfunction.Version, error) {
	var v cloudfunction.Version
	err := s.whole(func() error {
		out, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{
			TableName: &s.Table, Key: dynamo.Key(versionsKey(scope, fn), versionKey(number)), ConsistentRead: aws.Bool(true),
		})
		if err != nil {
			return dynamo.Wrap("read version", err)
		}
		if len(out.Item) == 0 {
			return errs.NotFound("version %d of this function does not exist", number)
		}
		var it functionItem
		if err := attributevalue.UnmarshalMap(out.Item, &it); err != nil {
			return fmt.Errorf("decode version: %w", err)
		}
		v = it.asVersion()
		return s.readCode(ctx, scope, &v.Code)
	})
	return v, err
}

// prune drops what is not kept: records before the last MaxVersions, and the uses
// of code that no kept version has. It may be interrupted; the next update goes on.
func (s *Functions) prune(ctx context.Context, scope tenant.Scope, f cloudfunction.Function) error {
	oldest := f.Version - cloudfunction.MaxVersions
	out, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.Table, Key: dynamo.Key(versionsKey(scope, f.ID), versionKey(oldest)), ConsistentRead: aws.Bool(true),
		ProjectionExpression: aws.String("code_version"),
	})
	if err != nil {
		return dynamo.Wrap("prune versions", err)
	}
	// 0 when another update has pruned more: then that one drops the uses.
	oldestCode := int(dynamo.IntegerOf(out.Item["code_version"]))
	return s.purge(ctx, scope, f.ID, func(sk string) bool {
		if strings.HasSuffix(sk, recordSuffix) {
			return sk < versionKey(oldest)
		}
		return sk < useKey(oldestCode)
	})
}

// collect removes the versions of deleted functions and the code that only they used.
func (s *Functions) collect(ctx context.Context, scope tenant.Scope) error {
	out, err := s.Client.Query(ctx, &dynamodb.QueryInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true), Limit: aws.Int32(dynamo.MaxBatchWrite),
		KeyConditionExpression: aws.String("pk = :pk"), ExpressionAttributeValues: dynamo.Item{":pk": dynamo.Text(deletedKey(scope))},
	})
	if err != nil {
		return dynamo.Wrap("collect deleted functions", err)
	}
	for _, av := range out.Items {
		number, err := strconv.ParseInt(dynamo.TextOf(av["sk"]), 10, 64)
		if err != nil {
			return fmt.Errorf("collect deleted functions: %w", err)
		}
		fn := id.ID(number)
		if err := s.purge(ctx, scope, fn, func(string) bool { return true }); err != nil {
			return err
		}
		if err := dynamo.BatchDelete(ctx, s.Client, s.Table, deletedKey(scope), []string{fn.Key()}); err != nil {
			return dynamo.Wrap("collect deleted functions", err)
		}
	}
	return nil
}

// Purge deletes the records and drops the uses of a function that drop names by
// their sort key. Records go first: until then they need their code.
func (s *Functions) purge(ctx context.Context, scope tenant.Scope, fn id.ID, drop func(sk string) bool) error {
	pk, uses := versionsKey(scope, fn), map[string]string{}
	var records []string
	query := &dynamodb.QueryInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true), ProjectionExpression: aws.String("sk, digest"),
		KeyConditionExpression: aws.String("pk = :pk"), ExpressionAttributeValues: dynamo.Item{":pk": dynamo.Text(pk)},
	}
	for more := true; more; more = query.ExclusiveStartKey != nil {
		out, err := s.Client.Query(ctx, query)
		if err != nil {
			return dynamo.Wrap("purge versions", err)
		}
		for _, av := range out.Items {
			sk := dynamo.TextOf(av["sk"])
			switch {
			case !drop(sk):
			case strings.HasSuffix(sk, useSuffix):
				uses[sk] = dynamo.TextOf(av["digest"])
			default:
				records = append(records, sk)
			}
		}
		query.ExclusiveStartKey = out.LastEvaluatedKey
	}

	if err := dynamo.BatchDelete(ctx, s.Client, s.Table, pk, records); err != nil {
		return dynamo.Wrap("purge versions", err)
	}
	for use, digest := range uses {
		if err := s.dropUse(ctx, scope, fn, use, digest); err != nil {
			return err
		}
	}
	return nil
}
