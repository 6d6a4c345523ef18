package api

import (
	"net/http"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/table"
	"minicloud/shared/value/update"
)

// bulkView is the answer of everything that writes several rows (D29, and
// endpoint 18 for its shape).
type bulkView struct {
	Results   []resultView `json:"operation_result"`
	Succeeded int          `json:"succeed"`
	Total     *int         `json:"total_count,omitempty"`
	*placeView
}

// placeView says which rows these were.
type placeView struct {
	Offset int     `json:"offset"`
	Limit  int     `json:"limit"`
	Next   *string `json:"next"`
}

type resultView struct {
	Success any        `json:"success,omitempty"`
	Error   *errorView `json:"error,omitempty"`
}

type errorView struct {
	Code    int    `json:"code"` // the status the row alone would have got
	Message string `json:"err_msg"`
}

func results(outcomes []table.Outcome, success func(table.Row) any) []resultView {
	views := make([]resultView, len(outcomes))
	for i, o := range outcomes {
		if o.Err != nil {
			views[i].Error = &errorView{httpapi.Status(o.Err), errs.Message(o.Err)}
		} else {
			views[i].Success = success(o.Row)
		}
	}
	return views
}

func writeBulk(w http.ResponseWriter, r *http.Request, q table.Query, done table.Bulk, success func(table.Row) any) {
	explain(w, done.Result)
	meta := httpapi.NewMeta(r, done.Shown(q.Page), done.Next, done.Total)
	httpapi.Write(w, http.StatusOK, bulkView{
		Results: results(done.Outcomes, success), Succeeded: done.Succeeded(), Total: meta.Total,
		placeView: &placeView{meta.Offset, meta.Limit, meta.Next},
	})
}

// operations reads the body of an update (D28).
func operations(r *http.Request, t table.Table) (update.Operations, error) {
	decoded, err := body(r)
	if err != nil {
		return nil, err
	}
	object, ok := decoded.(map[string]any)
	if !ok {
		return nil, errs.Invalid("the request body must be an object")
	}
	return update.FromObject(object, t.Writable(), nil)
}

// update serves PUT …/record/:id/.
func (g *Group) update(w http.ResponseWriter, r *http.Request) error {
	t, id, err := g.rowOf(r)
	if err != nil {
		return err
	}
	if err := t.Open(); err != nil {
		return err
	}
	by, err := author(r)
	if err != nil {
		return err
	}
	changes, err := operations(r, t)
	if err != nil {
		return err
	}
	row, err := g.Tables.Update(r.Context(), httpapi.ScopeOf(r), t, id, changes, by.Origin)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, selection{}.view(t, row))
	return nil
}

// updateMatching serves PUT …/record/ with where.
func (g *Group) updateMatching(w http.ResponseWriter, r *http.Request) error {
	t, q, by, err := g.matching(r)
	if err != nil {
		return err
	}
	changes, err := operations(r, t)
	if err != nil {
		return err
	}
	done, err := g.Tables.UpdateMatching(r.Context(), httpapi.ScopeOf(r), t, q, changes, by.Origin)
	if err != nil {
		return err
	}
	writeBulk(w, r, q, done, func(row table.Row) any {
		return map[string]any{"id": t.Wire(row.ID), "updated_at": row.UpdatedAt}
	})
	return nil
}

// deleteMatching serves DELETE …/record/ with where.
func (g *Group) deleteMatching(w http.ResponseWriter, r *http.Request) error {
	t, q, by, err := g.matching(r)
	if err != nil {
		return err
	}
	done, err := g.Tables.DeleteMatching(r.Context(), httpapi.ScopeOf(r), t, q, by.Origin)
	if err != nil {
		return err
	}
	writeBulk(w, r, q, done, func(row table.Row) any { return map[string]any{"id": t.Wire(row.ID)} })
	return nil
}

// matching reads what all writes of several rows need. They need a where, be it
// {}: one that was lost on its way must not become all rows.
func (g *Group) matching(r *http.Request) (t table.Table, q table.Query, by table.Author, err error) {
	if t, err = g.tableOf(r); err != nil {
		return t, q, by, err
	}
	if err = t.Open(); err != nil {
		return t, q, by, err
	}
	if by, err = author(r); err != nil {
		return t, q, by, err
	}
	if r.URL.Query().Get("where") == "" {
		return t, q, by, errs.Invalid("where is required: which rows are meant ({} means all)")
	}
	q, err = query(r, t)
	return t, q, by, err
}
