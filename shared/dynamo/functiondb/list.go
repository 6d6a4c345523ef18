package functiondb

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// List is one Query for the page; one BatchGetItem for code this process has not
// read yet, if it is wanted; one Query for the total where the page does not show
// all; and, only where an offset is given without a cursor, one that skips. A part
// of a name is looked for in all records, in one Query for each MB.
func (s *Functions) List(
	ctx context.Context, scope tenant.Scope, f cloudfunction.Filter, req page.Request,
) (page.Page[cloudfunction.Function], error) {
	// The cursor is a sort key and comes from the client: it must not lead out of the records by id.
	if req.After != "" && !strings.HasPrefix(string(req.After), "id#") {
		return page.Page[cloudfunction.Function]{}, page.ErrCursor()
	}
	read := s.list
	if f.Name != "" {
		read = s.search
	}

	var found records
	err := untilWhole(ctx, func() (err error) {
		if found, err = read(ctx, scope, f, req); err != nil || f.NoCode {
			return err
		}
		return s.readCode(ctx, scope, found.page...)
	})
	if err != nil {
		return page.Page[cloudfunction.Function]{}, err
	}

	got := page.Page[cloudfunction.Function]{Total: found.total, Next: found.next}
	for _, it := range found.page {
		got.Objects = append(got.Objects, it.function())
	}
	if got.Total < 0 {
		got.Total, err = s.total(ctx, scope)
	}
	return got, err
}

// records are a page of them without their code, and the cursor of the next page.
type records struct {
	page  []*functionItem
	next  page.Cursor
	total int // -1 = not known by what was read
	wire  int
}

// add appends a record, false where it belongs to the next page.
func (r *records) add(it *functionItem, f cloudfunction.Filter, req page.Request) bool {
	size := it.function().Wire()
	if !f.NoCode {
		size += it.CodeWire
	}
	if n := len(r.page); n == req.Limit || n > 0 && r.wire+size > page.MaxBytes {
		r.next = page.Cursor(functionKey(r.page[n-1].ID))
		return false
	}
	r.wire += size
	r.page = append(r.page, it)
	return true
}

// list reads a page of all records.
func (s *Functions) list(
	ctx context.Context, scope tenant.Scope, f cloudfunction.Filter, req page.Request,
) (found records, err error) {
	found.total = -1
	after := string(req.After)
	if after == "" && req.Offset > 0 {
		if after, err = s.skip(ctx, scope, req.Offset); err != nil || after == "" {
			return found, err
		}
	}

	// One more than the limit, to know whether there is a next page.
	in := s.records(scope, req.Limit+1)
	if after != "" {
		in.ExclusiveStartKey = dynamo.Key(scope.String(), after)
	}
	for it, err := range dynamo.Each[functionItem](ctx, s.Client, in) {
		if err != nil {
			return found, err
		}
		if !found.add(&it, f, req) {
			return found, nil
		}
	}
	if after == "" {
		found.total = len(found.page)
	}
	return found, nil
}

// search reads all records, and makes a page of those whose name has the filter's text.
func (s *Functions) search(
	ctx context.Context, scope tenant.Scope, f cloudfunction.Filter, req page.Request,
) (found records, err error) {
	full := false
	for it, err := range dynamo.Each[functionItem](ctx, s.Client, s.records(scope, 0)) {
		if err != nil {
			return found, err
		}
		if !page.Named(string(it.Name), f.Name) {
			continue
		}

		found.total++
		behind := found.total > req.Offset
		if req.After != "" { // the newest is first, its key the highest
			behind = functionKey(it.ID) < string(req.After)
		}
		if behind && !full {
			full = !found.add(&it, f, req)
		}
	}
	return found, nil
}

// skip returns the sort key of the n-th record, "" when there are fewer.
func (s *Functions) skip(ctx context.Context, scope tenant.Scope, n int) (string, error) {
	// One record more than allowed shows that the offset is too large.
	in := s.records(scope, min(n, page.MaxOffset+1))
	in.ProjectionExpression = aws.String("sk")
	passed := 0
	for it, err := range dynamo.Items(ctx, s.Client, in) {
		switch passed++; {
		case err != nil:
			return "", err
		case passed > page.MaxOffset:
			return "", page.ErrOffset()
		case passed == n:
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
