package api

import (
	"context"
	"encoding/json"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/httpapi/legacywrite"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
)

type createRows struct {
	named
	source
	expanded
	Body json.RawMessage `body:"RowDrafts"`
}

// create serves POST …/record/: one row from an object, or many from an array.
func (g *Group) create(ctx context.Context, in createRows) (any, error) {
	t, err := g.table(ctx, in.named)
	if err != nil {
		return nil, err
	}
	if err := t.Open(); err != nil {
		return nil, err
	}
	if err := t.PermitCreate(subject(ctx)); err != nil {
		return nil, err
	}
	decoded, err := value.Decode("the request body", in.Body) // refuses duplicate keys
	if err != nil {
		return nil, err
	}
	by := in.author(ctx)

	switch decoded := decoded.(type) {
	case map[string]any:
		drafts := []map[string]any{decoded}
		skim(ctx, t, drafts, by)
		made := g.Tables.Insert(ctx, httpapi.Scope(ctx), t, drafts, by)[0]
		if made.Err != nil {
			return nil, made.Err
		}
		return g.view(ctx, t, in.expanded, made.Row)
	case []any:
		return g.createMany(ctx, t, decoded, by)
	}

	return nil, errs.Invalid("the request body must be an object or an array of objects")
}

func (g *Group) createMany(ctx context.Context, t table.Table, items []any, by table.Author) (any, error) {
	if len(items) == 0 || len(items) > table.MaxBulk {
		return nil, errs.Invalid("the request body must hold 1 to %d rows", table.MaxBulk)
	}

	drafts := make([]map[string]any, len(items))
	for i, item := range items {
		draft, ok := item.(map[string]any)
		if !ok {
			return nil, errs.Invalid("row %d of the request body must be an object", i)
		}
		drafts[i] = draft
	}

	skim(ctx, t, drafts, by)
	made := g.Tables.Insert(ctx, httpapi.Scope(ctx), t, drafts, by)
	total := len(made)
	return bulkView{
		Results: results(ctx, made, func(row table.Row) any {
			return map[string]any{"id": t.Wire(row.ID), "created_at": row.CreatedAt()}
		}),
		Succeeded: table.Bulk{Outcomes: made}.Succeeded(), Total: &total,
	}, nil
}

// skim drops invalid fields from drafts if the application has legacy writes (C19). The rest may still be refused.
func skim(ctx context.Context, t table.Table, drafts []map[string]any, by table.Author) {
	w, r := httpapi.Exchange(ctx)
	for i, draft := range drafts {
		if !legacywrite.Allowed(r) {
			return
		}
		// Invalid fields are listed and removed by their first names. Insert returns the error of a contradiction.
		draft, err := canonicalBody(t, draft)
		if err != nil {
			continue
		}
		left := draft
		err = legacywrite.Skip(w, r, draft, func(body map[string]any) error {
			left = body
			_, err := t.ReadDraft(body, by)
			return err
		})
		if err == nil {
			drafts[i] = left
		}
	}
}
