package api

import (
	"maps"
	"net/http"
	"slices"

	"minicloud/shared/bulk"
	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/query"
	"minicloud/shared/table"
)

// acceptedView is the answer where rows will be changed in the background.
type acceptedView struct {
	Status    string `json:"status"`
	Operation id.ID  `json:"operation_id"`
}

// updateMatching serves PUT …/record/, of all rows without a where (D50).
func (g *Group) updateMatching(w http.ResponseWriter, r *http.Request) error {
	t, q, by, err := g.matching(r)
	if err != nil {
		return err
	}
	changes, err := operations(w, r, t)
	if err != nil {
		return err
	}
	return g.change(w, r, t, q, bulk.Change{Operations: changes, Origin: by.Origin}, func(row table.Row) any {
		return map[string]any{"id": t.Wire(row.ID), "updated_at": row.UpdatedAt}
	})
}

// deleteMatching serves DELETE …/record/ with where (D29), be it {}: a where that was lost on its way must not delete all
// rows.
func (g *Group) deleteMatching(w http.ResponseWriter, r *http.Request) error {
	t, q, by, err := g.matching(r)
	if err != nil {
		return err
	}
	if r.URL.Query().Get("where") == "" {
		return errs.Invalid("where is required: which rows are meant ({} means all)")
	}
	return g.change(w, r, t, q, bulk.Change{Delete: true, Origin: by.Origin}, func(row table.Row) any {
		return map[string]any{"id": t.Wire(row.ID)}
	})
}

// change changes the rows of a page where the request has a limit, else all that
// match (D50).
func (g *Group) change(
	w http.ResponseWriter, r *http.Request, t table.Table, q table.Query, c bulk.Change, success func(table.Row) any,
) error {
	change := g.Bulk.Page
	if r.URL.Query().Get("limit") == "" {
		if q.Page.Offset != 0 || q.Page.After != "" {
			return errs.Invalid("offset and cursor need a limit: without one all rows that match are changed")
		}
		change, q.Page.Limit = g.Bulk.All, page.MaxLimit
	}
	done, err := change(r.Context(), httpapi.ScopeOf(r), t, q, c)
	if err != nil {
		return err
	}

	explain(w, done.Result)
	if done.Operation != 0 {
		httpapi.Write(w, http.StatusOK, acceptedView{Status: "ok", Operation: done.Operation})
		return nil
	}
	meta := httpapi.NewMeta(r, done.Shown(q.Page), done.Next, done.Total)
	httpapi.Write(w, http.StatusOK, bulkView{
		Results: results(w, done.Outcomes, success), Succeeded: done.Succeeded(), Total: meta.Total,
		placeView: &placeView{meta.Offset, meta.Limit, meta.Next},
	})
	return nil
}

// bulkParameters are all that a bulk write has; empty keys and expand are sent by
// clients and mean nothing (D43).
var bulkParameters = []string{
	"where", "order_by", "limit", "offset", "cursor", "return_total_count", "enable_trigger", "keys", "expand",
}

// matching reads what all writes of several rows need. A misspelt parameter must not become all rows.
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

	parameters := r.URL.Query()
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if !slices.Contains(bulkParameters, name) {
			return t, q, by, errs.Invalid("there is no query parameter %q here, rows are selected by where%s",
				clip.Text(name, clip.Name), query.DidYouMean(name, bulkParameters))
		}
	}
	q, err = selected(r, t)
	return t, q, by, err
}
