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

// Row is a row in responses: its values by column name.
type Row map[string]any

// source holds the parameter that says whether a write fires triggers (D29).
type source struct {
	Fires *bool `query:"enable_trigger" ref:"enableTrigger"`
}

// author returns the author of a write: the application's owner, with the trace and depth of the calling function or
// trigger. Functions may name another author (F15).
func (s source) author(ctx context.Context) table.Author {
	caller := httpapi.From(ctx)
	a := table.Author{UserID: caller.Application.Owner.UserID}
	a.Origin.Trace = httpapi.Link(ctx)
	a.Origin.Depth, a.ByFunction = caller.Depth, caller.Run != nil
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
	grammar := t.Grammar()
	grammar.Opaque = httpapi.From(ctx).Run != nil
	q.Page, q.Total = s.Page, s.Total
	if q.Where, err = grammar.Where(where); err != nil {
		return q, err
	}
	q.Order, err = grammar.OrderBy(s.OrderBy)
	return q, err
}

// explain sets the headers with the query plan and the number of scanned rows.
func explain(ctx context.Context, found table.Result) {
	w, _ := httpapi.Exchange(ctx)
	w.Header().Set("X-Service-Plan", found.Plan)
	w.Header().Set("X-Service-Scanned", strconv.Itoa(found.Scanned))
}

// selection is the parsed keys parameter: the fields to show, or with a minus the fields to hide. A field with two
// names is shown or hidden under both.
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
		name = t.Canonical(name)
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

	if s.only != nil && s.without != nil { // mixed signs have no effect
		return selection{}, nil
	}
	return s, nil
}

// view returns the row for a response: every column, null if it has no value, and the built-in fields.
func (s selection) view(t table.Table, row table.Row) Row {
	record := t.Answer(row)
	for _, c := range t.Columns {
		if _, ok := record[c.Name]; !ok {
			record[c.Name] = nil
		}
	}
	for name := range record {
		if first := t.Canonical(name); s.only != nil && !s.only[first] || s.without[first] {
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
	_, err = g.Tables.Delete(ctx, httpapi.Scope(ctx), t, id, in.author(ctx))
	return none, err
}
