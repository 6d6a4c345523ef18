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

// updateMatching serves PUT …/record/; without where it updates all rows (D50).
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

// deleteMatching serves DELETE …/record/. It requires where (D29), which may be {}: a where that a client lost must
// not delete all rows.
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

// change changes the rows of one page if the request has a limit, otherwise all matching rows (D50).
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

	httpapi.Explain(ctx, done.Plan, done.Scanned)
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

// bulkParameters are the parameters of a bulk write. Clients send keys and expand, which have no effect (D43).
var bulkParameters = []string{
	"where", "order_by", "limit", "offset", "cursor", "return_total_count", "enable_trigger", "keys", "expand",
}

// matching reads the parameters that all bulk writes share. A misspelt parameter must not select all rows.
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
