package api

import (
	"context"
	"slices"

	"minicloud/shared/httpapi"
	"minicloud/shared/page"
	"minicloud/shared/table"
)

// Index is an index of a table (C28).
type Index struct {
	Name   string   `json:"name"` // f1_1_f2_1 for the fields f1 and f2.
	Fields []string `json:"fields"`
	Unique bool     `json:"unique"`          // Whether no two rows have the same values. Rows with a null among them do not count.
	Ready  bool     `json:"ready"`           // Whether the index is complete. False while existing rows are added.
	Error  *string  `json:"error,omitempty"` // Why a unique index was given up.
}

func viewIndex(t table.Table) func(table.FieldIndex) Index {
	return func(x table.FieldIndex) Index {
		return Index{
			Name: x.Name(), Fields: x.Fields, Unique: x.Unique, Ready: t.Ready(x), Error: httpapi.OrNull(x.Failed),
		}
	}
}

type listIndexes struct {
	named
	Page page.Request
}

// listIndexes serves GET /oserve/v2.6/schema/:table/index/.
func (g *Group) listIndexes(ctx context.Context, in listIndexes) (answer httpapi.Envelope[Index], err error) {
	t, err := g.Tables.Look(ctx, httpapi.Scope(ctx), in.Table)
	if err != nil {
		return answer, err
	}
	all := t.AllIndexes()
	slices.Reverse(all)
	found := page.Of(all, in.Page, nil, func(x table.FieldIndex) page.Cursor { return page.Cursor(x.Name()) })
	return httpapi.ListOf(ctx, in.Page, found, viewIndex(t)), nil
}

type newIndex struct {
	named
	Fields []string `json:"fields" required:"true" maxItems:"5"`
	Unique bool     `json:"unique"`
}

// createIndex serves POST /oserve/v2.6/schema/:table/index/.
func (g *Group) createIndex(ctx context.Context, in newIndex) (v Index, err error) {
	t, err := g.table(ctx, in.named)
	if err != nil {
		return v, err
	}
	t, x, err := g.Tables.CreateIndex(ctx, httpapi.Scope(ctx), t.ID, in.Fields, in.Unique)
	return viewIndex(t)(x), err
}

type oneIndex struct {
	named
	Name string `path:"index" minLength:"1" maxLength:"330" example:"title_1"` // The name of the index.
}

// deleteIndex serves DELETE /oserve/v2.6/schema/:table/index/:name/.
func (g *Group) deleteIndex(ctx context.Context, in oneIndex) (none httpapi.None, err error) {
	t, err := g.table(ctx, in.named)
	if err != nil {
		return none, err
	}
	_, err = g.Tables.DeleteIndex(ctx, httpapi.Scope(ctx), t.ID, in.Name)
	return none, err
}
