package api

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/table"
	"minicloud/shared/value"
)

// author is who writes: the application's administrator, in the chain of
// functions and triggers that led here. Functions may say that it was somebody
// else (F15).
func author(r *http.Request) (table.Author, error) {
	caller := httpapi.CallerOf(r)
	a := table.Author{UserID: caller.Application.Owner.UserID}
	a.Origin.Trace = httpapi.LinkOf(r)
	a.Origin.Depth, a.ByFunction = caller.Depth, caller.Run != nil
	fires, err := httpapi.Fires(r.URL.Query())
	a.Origin.Quiet = !fires
	return a, err
}

// rowOf returns the table and the row that the path names; the row need not
// exist.
func (g *Group) rowOf(r *http.Request) (table.Table, table.RowID, error) {
	t, err := g.tableOf(r)
	if err != nil {
		return t, "", err
	}
	id, err := t.ParseRowID(r.PathValue("id"))
	return t, id, err
}

// selected reads where, order_by, limit, offset, cursor and return_total_count.
func selected(r *http.Request, t table.Table) (table.Query, error) {
	var q table.Query
	var err error
	parameters, grammar := r.URL.Query(), t.Grammar()
	grammar.Opaque = httpapi.CallerOf(r).Run != nil
	if q.Page, err = httpapi.Page(r); err != nil {
		return q, err
	}
	if q.Where, err = grammar.Where(parameters.Get("where")); err != nil {
		return q, err
	}
	if q.Order, err = grammar.OrderBy(parameters.Get("order_by")); err != nil {
		return q, err
	}
	q.Total, _, err = httpapi.Flag(parameters, "return_total_count")
	return q, err
}

// explain tells how the rows were found.
func explain(w http.ResponseWriter, found table.Result) {
	w.Header().Set("X-Service-Plan", found.Plan)
	w.Header().Set("X-Service-Scanned", strconv.Itoa(found.Scanned))
}

// selection is the keys parameter: the fields to show, or with a minus those
// not to.
type selection struct {
	only, without map[string]bool
}

func selectionOf(r *http.Request, t table.Table) (selection, error) {
	var s selection
	keys := r.URL.Query().Get("keys")
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
			*set = map[string]bool{"id": !hidden}
		}

		(*set)[name] = true
	}

	return s, nil
}

// view returns the row as callers see it: every column, null where it has no
// value, and what all rows have.
func (s selection) view(t table.Table, row table.Row) map[string]any {
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

func (g *Group) list(w http.ResponseWriter, r *http.Request) error {
	t, err := g.tableOf(r)
	if err != nil {
		return err
	}

	q, err := selected(r, t)
	if err != nil {
		return err
	}

	fields, err := selectionOf(r, t)
	if err != nil {
		return err
	}

	found, err := g.Tables.Find(r.Context(), httpapi.ScopeOf(r), t, q)
	if err != nil {
		return err
	}

	explain(w, found)
	httpapi.WriteList(w, r, q.Page, found.Page, func(row table.Row) map[string]any { return fields.view(t, row) })

	return nil
}

func (g *Group) read(w http.ResponseWriter, r *http.Request) error {
	t, id, err := g.rowOf(r)
	if err != nil {
		return err
	}
	fields, err := selectionOf(r, t)
	if err != nil {
		return err
	}
	row, err := g.Tables.Read(r.Context(), httpapi.ScopeOf(r), t, id)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, fields.view(t, row))
	return nil
}

func (g *Group) delete(w http.ResponseWriter, r *http.Request) error {
	t, id, err := g.rowOf(r)
	if err != nil {
		return err
	}

	by, err := author(r)
	if err != nil {
		return err
	}
	if err := t.Open(); err != nil {
		return err
	}
	if _, err := g.Tables.Delete(r.Context(), httpapi.ScopeOf(r), t, id, by.Origin); err != nil {
		return err
	}

	httpapi.NoContent(w)

	return nil
}

// body reads the request body as JSON in which no key is given twice.
func body(r *http.Request) (any, error) {
	var raw json.RawMessage
	if err := httpapi.Decode(r, &raw); err != nil {
		return nil, err
	}
	return value.Decode("the request body", raw)
}
