package functiondb

import (
	"context"
	"strings"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// List makes one Query for the page and the records that an offset skips; one BatchGetItem for code that is wanted and
// not cached; and one Query for the total, unless the page shows all. A filter by name reads all records, with one Query
// per MB.
func (s *Functions) List(
	ctx context.Context, scope tenant.Scope, f cloudfunction.Filter, req page.Request,
) (page.Page[cloudfunction.Function], error) {
	// The cursor is a sort key sent by the client: DynamoDB rejects a start key outside the queried records.
	last, err := page.Cursor(strings.TrimPrefix(string(req.After), "id#")).ID()
	if req.After != "" && (err != nil || functionKey(last) != string(req.After)) {
		return page.Page[cloudfunction.Function]{}, page.ErrCursor()
	}
	read := s.list
	if f.Name != "" {
		read = s.search
	}

	var found page.Page[functionItem]
	err = untilWhole(ctx, func() (err error) {
		if found, err = read(ctx, scope, f, req); err != nil || f.NoCode {
			return err
		}
		items := make([]*functionItem, len(found.Objects))
		for i := range items {
			items[i] = &found.Objects[i]
		}
		return s.readCode(ctx, scope, items...)
	})
	if err != nil {
		return page.Page[cloudfunction.Function]{}, err
	}

	got := page.Page[cloudfunction.Function]{Total: found.Total, Next: found.Next}
	for _, it := range found.Objects {
		got.Objects = append(got.Objects, it.function())
	}
	if got.Total < 0 {
		got.Total, err = s.total(ctx, scope)
	}
	return got, err
}

func cursor(it functionItem) page.Cursor { return page.Cursor(functionKey(it.ID)) }

// wire returns the size of a record in a response, with its code if the filter wants it.
func wire(f cloudfunction.Filter) func(functionItem) int {
	return func(it functionItem) int {
		if f.NoCode {
			return it.function().Wire()
		}
		return it.function().Wire() + it.CodeWire
	}
}

// list reads a page of all records, and walks to an offset. Its Total is -1 if the page does not show it.
func (s *Functions) list(
	ctx context.Context, scope tenant.Scope, f cloudfunction.Filter, req page.Request,
) (page.Page[functionItem], error) {
	// Read one more than the page, to know whether the list continues after it or after the largest offset.
	in := s.records(scope, min(req.Skip(), page.MaxOffset)+req.Limit+1)
	if req.After != "" {
		in.ExclusiveStartKey = dynamo.Key(scope.String(), string(req.After))
	}
	found, err := page.Collect(req, dynamo.Each[functionItem](ctx, s.Client, in), wire(f), cursor)
	if req.After == "" && req.Offset == 0 && found.Next == "" {
		found.Total = len(found.Objects)
	}
	return found, err
}

// search reads all records and makes a page of those whose name contains the filter's text.
func (s *Functions) search(
	ctx context.Context, scope tenant.Scope, f cloudfunction.Filter, req page.Request,
) (found page.Page[functionItem], err error) {
	var all []functionItem
	for it, err := range dynamo.Each[functionItem](ctx, s.Client, s.records(scope, 0)) {
		if err != nil {
			return found, err
		}
		if page.Named(string(it.Name), f.Name) {
			all = append(all, it)
		}
	}
	return page.Of(all, req, wire(f), cursor), nil
}

// records returns a query for the records by id, newest first.
func (s *Functions) records(scope tenant.Scope, limit int) *dynamo.QueryInput {
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
