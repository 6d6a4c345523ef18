package api

import (
	"net/http"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/table"
)

// create serves POST …/record/: one row from an object, or many from an array.
func (g *Group) create(w http.ResponseWriter, r *http.Request) error {
	t, err := g.tableOf(r)
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

	decoded, err := body(r)
	if err != nil {
		return err
	}

	switch decoded := decoded.(type) {
	case map[string]any:
		drafts := []map[string]any{decoded}
		skim(w, r, t, drafts)
		made := g.Tables.Insert(r.Context(), httpapi.ScopeOf(r), t, drafts, by)[0]
		if made.Err != nil {
			return made.Err
		}
		httpapi.Write(w, http.StatusCreated, selection{}.view(t, made.Row))
		return nil
	case []any:
		return g.createMany(w, r, t, decoded, by)
	}

	return errs.Invalid("the request body must be an object or an array of objects")
}

func (g *Group) createMany(w http.ResponseWriter, r *http.Request, t table.Table, items []any, by table.Author) error {
	if len(items) == 0 || len(items) > table.MaxBulk {
		return errs.Invalid("the request body must hold 1 to %d rows", table.MaxBulk)
	}

	drafts := make([]map[string]any, len(items))
	for i, item := range items {
		draft, ok := item.(map[string]any)
		if !ok {
			return errs.Invalid("row %d of the request body must be an object", i)
		}
		drafts[i] = draft
	}

	skim(w, r, t, drafts)
	made := g.Tables.Insert(r.Context(), httpapi.ScopeOf(r), t, drafts, by)
	total := len(made)
	httpapi.Write(w, http.StatusCreated, bulkView{
		Results: results(w, made, func(row table.Row) any {
			return map[string]any{"id": t.Wire(row.ID), "created_at": row.CreatedAt()}
		}),
		Succeeded: table.Bulk{Outcomes: made}.Succeeded(), Total: &total,
	})
	return nil
}

// skim leaves bad fields out of drafts where the application wants that (C19). What is left may still be refused.
func skim(w http.ResponseWriter, r *http.Request, t table.Table, drafts []map[string]any) {
	for i, draft := range drafts {
		if !httpapi.SkipsBadFields(r) {
			return
		}
		left := draft
		err := httpapi.SkipBadFields(w, r, draft, func(body map[string]any) error {
			left = body
			return t.CheckDraft(body, true)
		})
		if err == nil {
			drafts[i] = left
		}
	}
}
