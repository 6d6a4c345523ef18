package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/show"
)

// Row is a row in responses: its values by column name.
type Row map[string]any

// source holds the parameter that says whether a write fires triggers (D29).
type source struct {
	Fires *bool `query:"enable_trigger" ref:"enableTrigger"`
}

// author returns the author of a write: the end user, otherwise the application's owner, with the trace and depth of the
// calling function or trigger. Functions may name another author (F15), end users the times of a row if the application
// has legacy writes (C19).
func (s source) author(ctx context.Context) table.Author {
	caller := httpapi.From(ctx)
	a := table.Author{UserID: caller.Application.Owner.UserID, ByFunction: caller.Run != nil}
	if client := subject(ctx); client != nil {
		a = table.ByClient(*client, table.Origin{})
		a.ByFunction = caller.Application.Settings.LegacyWrites
	}
	a.Origin.Trace = httpapi.Link(ctx)
	a.Origin.Depth = caller.Depth
	a.Origin.Quiet = s.Fires != nil && !*s.Fires
	return a
}

// oneRow holds the path parameters of a row.
type oneRow struct {
	named
	ID string `path:"id" pattern:"^([0-9a-f]{24}|[1-9][0-9]{0,15})$"` // 24 hexadecimal digits. The id of a user is a number.
}

// row returns the table and the row id of the path; the row need not exist.
func (g *Group) row(ctx context.Context, in oneRow) (table.Table, table.RowID, error) {
	t, err := g.table(ctx, in.named)
	if err != nil {
		return t, "", err
	}
	id, err := t.ParseRowID(in.ID)
	return t, id, err
}

// selected holds the parameters that select rows of a table.
type selected struct {
	named
	Page    page.Request
	OrderBy string `query:"order_by" ref:"orderBy"`
	Total   bool   `query:"return_total_count" ref:"returnTotalCount"`
}

func (s selected) query(ctx context.Context, t table.Table, where string) (q table.Query, err error) {
	grammar := t.GrammarOf(subject(ctx))
	grammar.Opaque = httpapi.From(ctx).Run != nil
	q.Page, q.Total, q.Reader = s.Page, s.Total, reader(ctx)
	if q.Where, err = grammar.Where(where); err != nil {
		return q, err
	}
	q.Order, err = grammar.OrderBy(s.OrderBy)
	return q, err
}

// shown holds the parameters that select the fields of rows in a response.
type shown struct {
	Keys   string `query:"keys" ref:"keys"`
	Expand string `query:"expand" ref:"expand"`
}

// expanded holds the parameter that expands the row that a write returns.
type expanded struct {
	Expand string `query:"expand" ref:"expand"`
}

// view returns the row for the response of a write.
func (g *Group) view(ctx context.Context, t table.Table, in expanded, row table.Row) (Row, error) {
	fields, err := show.Parse(t, subject(ctx), "", in.Expand)
	if err != nil {
		return nil, err
	}
	return g.shows().Row(ctx, httpapi.Scope(ctx), fields, row)
}

func (g *Group) shows() show.Service { return show.Service{Tables: g.Tables} }

type listRows struct {
	selected
	shown
	Where string `query:"where" ref:"whereText"`
}

func (g *Group) list(ctx context.Context, in listRows) (answer httpapi.Envelope[Row], err error) {
	t, err := g.table(ctx, in.named)
	if err != nil {
		return answer, err
	}
	q, err := in.query(ctx, t, in.Where)
	if err != nil {
		return answer, err
	}
	fields, err := show.Parse(t, subject(ctx), in.Keys, in.Expand)
	if err != nil {
		return answer, err
	}

	found, err := g.shows().Find(ctx, httpapi.Scope(ctx), fields, q)
	if err != nil {
		return answer, err
	}
	httpapi.Explain(ctx, found.Plan, found.Scanned)
	return httpapi.ListOf(ctx, q.Page, found.Page, func(row show.Record) Row { return row }), nil
}

type readRow struct {
	oneRow
	shown
}

func (g *Group) read(ctx context.Context, in readRow) (Row, error) {
	t, id, err := g.row(ctx, in.oneRow)
	if err != nil {
		return nil, err
	}
	fields, err := show.Parse(t, subject(ctx), in.Keys, in.Expand)
	if err != nil {
		return nil, err
	}
	row, err := g.Tables.ReadAs(ctx, httpapi.Scope(ctx), t, id, subject(ctx))
	if err != nil {
		return nil, err
	}
	return g.shows().Row(ctx, httpapi.Scope(ctx), fields, row)
}

type deleteRow struct {
	oneRow
	source
}

func (g *Group) delete(ctx context.Context, in deleteRow) (none httpapi.None, err error) {
	t, id, err := g.row(ctx, in.oneRow)
	if err != nil {
		return none, err
	}
	if err := t.Open(); err != nil {
		return none, err
	}
	_, err = g.Tables.Delete(ctx, httpapi.Scope(ctx), t, id, in.author(ctx))
	return none, err
}
