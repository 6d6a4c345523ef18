package api

import (
	"context"
	"strconv"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/page"
	"minicloud/shared/table"
)

// Row is a row as callers see it: its columns by name.
type Row map[string]any

// source says whether a write fires triggers (D29).
type source struct {
	Fires *bool `query:"enable_trigger" ref:"enableTrigger"`
}

// author is who writes: the application's administrator, in the chain of
// functions and triggers that led here. Functions may say that it was somebody
// else (F15).
func (s source) author(ctx context.Context) table.Author {
	caller := httpapi.From(ctx)
	a := table.Author{UserID: caller.Application.Owner.UserID}
	a.Origin.Trace = httpapi.Link(ctx)
	a.Origin.Depth, a.ByFunction = caller.Depth, caller.Run != nil
	a.Origin.Quiet = s.Fires != nil && !*s.Fires
	return a
}

// oneRow is the path of a row.
type oneRow struct {
	named
	ID string `path:"id" pattern:"^([0-9a-f]{24}|[1-9][0-9]{0,15})$"` // 24 hexadecimal digits. The id of a user is a number.
}

// row returns the table and the row that the path names; the row need not
// exist.
func (g *Group) row(ctx context.Context, in oneRow) (table.Table, table.RowID, error) {
	t, err := g.table(ctx, in.named)
	if err != nil {
		return t, "", err
	}
	id, err := t.ParseRowID(in.ID)
	return t, id, err
}

// selected says which rows of a table are meant.
type selected struct {
	named
	Page    page.Request
	OrderBy string `query:"order_by" ref:"orderBy"`
	Total   bool   `query:"return_total_count" ref:"returnTotalCount"`
}

func (s selected) query(ctx context.Context, t table.Table, where string) (q table.Query, err error) {
	grammar := t.Grammar()
	grammar.Opaque = httpapi.From(ctx).Run != nil
	q.Page, q.Total = s.Page, s.Total
	if q.Where, err = grammar.Where(where); err != nil {
		return q, err
	}
	q.Order, err = grammar.OrderBy(s.OrderBy)
	return q, err
}

// explain tells how the rows were found.
func explain(ctx context.Context, found table.Result) {
	w, _ := httpapi.Exchange(ctx)
	w.Header().Set("X-Service-Plan", found.Plan)
	w.Header().Set("X-Service-Scanned", strconv.Itoa(found.Scanned))
}

// selection is the keys parameter: the fields to show, or with a minus those
// not to.
type selection struct {
	only, without map[string]bool
}

func selectionOf(keys string, t table.Table) (selection, error) {
	var s selection
	if keys == "" {
		return s, nil
	}

	schema := t.Queryable()
	for name := range strings.SplitSeq(keys, ",") {
		name, hidden := strings.CutPrefix(strings.TrimSpace(name), "-")
		if _, ok := schema.Column(name); !ok {
			return s, errs.Invalid("keys: field %q does not exist", name)
		}

		set := &s.only
		if hidden {
			set = &s.without
		}
		if *set == nil {
			// A list of fields to show includes the id; a list of fields to hide does not.
			*set = map[string]bool{"id": !hidden}
		}

		(*set)[name] = true
	}

	return s, nil
}

// view returns the row as callers see it: every column, null where it has no
// value, and what all rows have.
func (s selection) view(t table.Table, row table.Row) Row {
	record := t.Record(row)
	for _, c := range t.Columns {
		if _, ok := record[c.Name]; !ok {
			record[c.Name] = nil
		}
	}
	for name := range record {
		if s.only != nil && !s.only[name] || s.without[name] {
			delete(record, name)
		}
	}
	return record
}

type listRows struct {
	selected
	Where string `query:"where" ref:"whereText"`
	Keys  string `query:"keys" ref:"keys"`
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
	fields, err := selectionOf(in.Keys, t)
	if err != nil {
		return answer, err
	}

	found, err := g.Tables.Find(ctx, httpapi.Scope(ctx), t, q)
	if err != nil {
		return answer, err
	}
	explain(ctx, found)
	return httpapi.ListOf(ctx, q.Page, found.Page, func(row table.Row) Row { return fields.view(t, row) }), nil
}

type readRow struct {
	oneRow
	Keys string `query:"keys" ref:"keys"`
}

func (g *Group) read(ctx context.Context, in readRow) (Row, error) {
	t, id, err := g.row(ctx, in.oneRow)
	if err != nil {
		return nil, err
	}
	fields, err := selectionOf(in.Keys, t)
	if err != nil {
		return nil, err
	}
	row, err := g.Tables.Read(ctx, httpapi.Scope(ctx), t, id)
	if err != nil {
		return nil, err
	}
	return fields.view(t, row), nil
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
	_, err = g.Tables.Delete(ctx, httpapi.Scope(ctx), t, id, in.author(ctx).Origin)
	return none, err
}
