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
func (s *Functions) List(
	ctx context.Context, scope tenant.Scope, req page.Request,
) (page.Page[cloudfunction.Function], error) {
	var got page.Page[cloudfunction.Function]
	var items []*functionItem
	err := untilWhole(ctx, func() (err error) {
		if items, got.Next, err = s.list(ctx, scope, req); err != nil {
			return err
		}
		return s.readCode(ctx, scope, items...)
	})
	if err != nil {
		return got, err
	}

	for _, it := range items {
		got.Objects = append(got.Objects, it.function())
	}
	if got.Total = len(items); req.After != "" || req.Offset > 0 || got.Next != "" {
		got.Total, err = s.total(ctx, scope)
	}
	return got, err
}

// list reads a page of records without their code, and the cursor of the next page.
func (s *Functions) list(
	ctx context.Context, scope tenant.Scope, req page.Request,
) ([]*functionItem, page.Cursor, error) {
	after := string(req.After)
	if after == "" && req.Offset > 0 {
		var err error
		if after, err = s.skip(ctx, scope, req.Offset); err != nil || after == "" {
			return nil, "", err
		}
	}

	// One more than the limit, to know whether there is a next page.
	in := s.records(scope, req.Limit+1)
	if after != "" {
		if !strings.HasPrefix(after, "id#") {
			return nil, "", errs.Invalid("cursor is not one this list gave")
		}
		in.ExclusiveStartKey = dynamo.Key(scope.String(), after)
	}

	var items []*functionItem
	wire := 0
	for av, err := range dynamo.Items(ctx, s.Client, in) {
		if err != nil {
			return nil, "", err
		}
		it, err := dynamo.Decode[functionItem](av)
		if err != nil {
			return nil, "", err
		}

		wire += it.function().Wire()
		if n := len(items); n == req.Limit || n > 0 && wire > page.MaxBytes {
			return items, page.Cursor(functionKey(items[n-1].ID)), nil
		}
		items = append(items, &it)
	}
	return items, "", nil
}

// skip returns the sort key of the n-th record, "" when there are fewer.
func (s *Functions) skip(ctx context.Context, scope tenant.Scope, n int) (string, error) {
	in := s.records(scope, min(n, 1<<30))
	in.ProjectionExpression = aws.String("sk")
	for it, err := range dynamo.Items(ctx, s.Client, in) {
		if err != nil {
			return "", err
		}
		if n--; n == 0 {
			return dynamo.TextOf(it["sk"]), nil
		}
	}
	return "", nil
}

// records is a query of the records by id, newest first.
func (s *Functions) records(scope tenant.Scope, limit int) *dynamodb.QueryInput {
	return dynamo.Query(s.Table, scope.String(), "id#", "id#~", true, limit)
}

func (s *Functions) total(ctx context.Context, scope tenant.Scope) (int, error) {
	total := 0
	in := dynamo.Query(s.Table, scope.String(), "count#", "count#~", false, 0)
	for it, err := range dynamo.Items(ctx, s.Client, in) {
		if err != nil {
			return 0, err
		}
		total += int(dynamo.IntegerOf(it["n"]))
	}
	return total, nil
}
