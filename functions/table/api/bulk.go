package api

import (
	"context"
	"maps"
	"net/url"
	"slices"

	"minicloud/shared/bulk"
	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/language/query"
	"minicloud/shared/page"
	"minicloud/shared/table"
)

type updateRows struct {
	selected
	Where string `query:"where" ref:"whereText"`
	source
	Filters url.Values     `query:"*"`
	Body    httpapi.Object `body:"Update"`
}

// updateMatching serves PUT …/record/, of all rows without a where (D50).
func (g *Group) updateMatching(ctx context.Context, in updateRows) (any, error) {
	t, q, err := g.matching(ctx, in.selected, in.Where, in.Filters)
	if err != nil {
		return nil, err
	}
	changes, err := operations(ctx, in.Body, t)
	if err != nil {
		return nil, err
	}
	c := bulk.Change{Operations: changes, Origin: in.author(ctx).Origin}
	return g.change(ctx, t, q, c, in.Filters, func(row table.Row) any {
		return map[string]any{"id": t.Wire(row.ID), "updated_at": row.UpdatedAt}
	})
}

type deleteRows struct {
	selected
	Where string `query:"where" ref:"neededWhere"`
	source
	Filters url.Values `query:"*"`
}

// deleteMatching serves DELETE …/record/ with where (D29), be it {}: a where that was lost on its way must not delete
// all rows.
func (g *Group) deleteMatching(ctx context.Context, in deleteRows) (any, error) {
	t, q, err := g.matching(ctx, in.selected, in.Where, in.Filters)
	if err != nil {
		return nil, err
	}
	if in.Where == "" {
		return nil, errs.Invalid("where is required: which rows are meant ({} means all)")
	}
	c := bulk.Change{Delete: true, Origin: in.author(ctx).Origin}
	return g.change(ctx, t, q, c, in.Filters, func(row table.Row) any { return map[string]any{"id": t.Wire(row.ID)} })
}

// change changes the rows of a page where the request has a limit, else all that
// match (D50).
func (g *Group) change(
	ctx context.Context, t table.Table, q table.Query, c bulk.Change, parameters url.Values, success func(table.Row) any,
) (any, error) {
	change := g.Bulk.Page
	if parameters.Get("limit") == "" {
		if q.Page.Offset != 0 || q.Page.After != "" {
			// An offset without a limit would be ignored and change all rows.
			return nil, errs.Invalid("offset and cursor need a limit: without one all rows that match are changed")
		}
		change, q.Page.Limit = g.Bulk.All, page.MaxLimit
	}
	done, err := change(ctx, httpapi.Scope(ctx), t, q, c)
	if err != nil {
		return nil, err
	}

	explain(ctx, done.Result)
	if done.Operation != 0 {
		return httpapi.InBackground(done.Operation), nil
	}
	_, r := httpapi.Exchange(ctx)
	meta := httpapi.NewMeta(r, done.Shown(q.Page), done.Next, done.Total)
	return bulkView{
		Results: results(ctx, done.Outcomes, success), Succeeded: done.Succeeded(), Total: meta.Total,
		placeView: &placeView{meta.Offset, meta.Limit, meta.Next},
	}, nil
}

// bulkParameters are all that a bulk write has; empty keys and expand are sent by
// clients and mean nothing (D43).
var bulkParameters = []string{
	"where", "order_by", "limit", "offset", "cursor", "return_total_count", "enable_trigger", "keys", "expand",
}

// matching reads what all writes of several rows need. A misspelt parameter must not become all rows.
func (g *Group) matching(
	ctx context.Context, in selected, where string, parameters url.Values,
) (t table.Table, q table.Query, err error) {
	if t, err = g.table(ctx, in.named); err != nil {
		return t, q, err
	}
	if err = t.Open(); err != nil {
		return t, q, err
	}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if !slices.Contains(bulkParameters, name) {
			return t, q, errs.Invalid("there is no query parameter %q here, rows are selected by where%s",
				clip.Text(name, clip.Name), query.DidYouMean(name, bulkParameters))
		}
	}
	q, err = in.query(ctx, t, where)
	return t, q, err
}
