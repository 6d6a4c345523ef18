package functiondb

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// List is one Query for the page; one BatchGetItem for code this process has not
// read yet; one Query for the total where the page does not show all; and, only
// where an offset is given without a cursor, one that skips.
func (s *Functions) List(ctx context.Context, scope tenant.Scope, req page.Request) (page.Page[cloudfunction.Function], error) {
	var got page.Page[cloudfunction.Function]
	err := s.whole(func() error {
		got = page.Page[cloudfunction.Function]{}
		if err := s.list(ctx, scope, req, &got); err != nil {
			return err
		}
		codes := make([]*cloudfunction.Code, len(got.Objects))
		for i := range got.Objects {
			codes[i] = &got.Objects[i].Code
		}
		return s.readCode(ctx, scope, codes...)
	})
	if err != nil {
		return got, err
	}

	if got.Total = len(got.Objects); req.After != "" || req.Offset > 0 || got.Next != "" {
		got.Total, err = s.total(ctx, scope)
	}
	return got, err
}

// list reads a page of functions without their code.
func (s *Functions) list(ctx context.Context, scope tenant.Scope, req page.Request, got *page.Page[cloudfunction.Function]) error {
	after := string(req.After)
	if after == "" && req.Offset > 0 {
		var err error
		if after, err = s.skip(ctx, scope, req.Offset); err != nil || after == "" {
			return err
		}
	}
	return s.fill(ctx, scope, req.Limit, after, got)
}

// fill reads records behind the sort key after, one more than limit to know
// whether there is a next page.
func (s *Functions) fill(ctx context.Context, scope tenant.Scope, limit int, after string, got *page.Page[cloudfunction.Function]) error {
	query := s.query(scope)
	query.Limit = aws.Int32(int32(limit + 1))
	if after != "" {
		if !strings.HasPrefix(after, "id#") {
			return errs.Invalid("cursor is not one this list gave")
		}
		query.ExclusiveStartKey = dynamo.Key(scope.String(), after)
	}

	wire := 0
	for {
		out, err := s.Client.Query(ctx, query)
		if err != nil {
			return dynamo.Wrap("list functions", err)
		}
		for _, av := range out.Items {
			f, err := decodeFunction(av)
			if err != nil {
				return err
			}
			wire += f.Wire()
			if n := len(got.Objects); n == limit || n > 0 && wire > page.MaxBytes {
				got.Next = page.Cursor(functionKey(got.Objects[n-1].ID))
				return nil
			}
			got.Objects = append(got.Objects, f)
		}
		if query.ExclusiveStartKey = out.LastEvaluatedKey; query.ExclusiveStartKey == nil {
			return nil
		}
	}
}

// skip returns the sort key of the n-th record, "" when there are fewer.
func (s *Functions) skip(ctx context.Context, scope tenant.Scope, n int) (string, error) {
	query := s.query(scope)
	query.ProjectionExpression = aws.String("sk")
	for {
		query.Limit = aws.Int32(int32(min(n, 1<<30)))
		out, err := s.Client.Query(ctx, query)
		if err != nil {
			return "", dynamo.Wrap("list functions", err)
		}
		if n -= len(out.Items); n == 0 {
			return dynamo.TextOf(out.Items[len(out.Items)-1]["sk"]), nil
		}
		if query.ExclusiveStartKey = out.LastEvaluatedKey; query.ExclusiveStartKey == nil {
			return "", nil
		}
	}
}

func (s *Functions) query(scope tenant.Scope) *dynamodb.QueryInput {
	return &dynamodb.QueryInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true), ScanIndexForward: aws.Bool(false),
		KeyConditionExpression:    aws.String("pk = :pk AND begins_with(sk, :prefix)"),
		ExpressionAttributeValues: dynamo.Item{":pk": dynamo.Text(scope.String()), ":prefix": dynamo.Text("id#")},
	}
}

func (s *Functions) total(ctx context.Context, scope tenant.Scope) (int, error) {
	query := s.query(scope)
	query.ExpressionAttributeValues[":prefix"] = dynamo.Text("count#")
	out, err := s.Client.Query(ctx, query)
	if err != nil {
		return 0, dynamo.Wrap("count functions", err)
	}
	total := 0
	for _, av := range out.Items {
		total += int(dynamo.IntegerOf(av["n"]))
	}
	return total, nil
}
