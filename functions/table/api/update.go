package api

import (
	"context"
	"errors"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/httpapi/legacywrite"
	"minicloud/shared/language/value/update"
	"minicloud/shared/table"
)

// bulkView is the response of all bulk writes (D29; endpoint 18 defines its shape).
type bulkView struct {
	Results   []resultView `json:"operation_result"`
	Succeeded int          `json:"succeed"`
	Total     *int         `json:"total_count,omitempty"`
	*placeView
}

// placeView describes the page of rows that a bulk write changed.
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
	Code    int    `json:"code"`
	Message string `json:"err_msg"`
}

// Codes of rows that could not be written: duplicate if another row has the values in a unique index, and clientError for
// any other error of an end user's request.
const (
	duplicate   = 11000
	clientError = 16837
)

// code returns the code of an error; for administrators and functions other than duplicate, the status of the same write
// to this row alone.
func code(ctx context.Context, err error) int {
	if _, twice := errors.AsType[*table.NotUnique](err); twice {
		return duplicate
	}
	if subject(ctx) != nil {
		return clientError
	}
	return httpapi.Status(err)
}

func results(ctx context.Context, outcomes []table.Outcome, success func(table.Row) any) []resultView {
	w, _ := httpapi.Exchange(ctx)
	views := make([]resultView, len(outcomes))
	for i, o := range outcomes {
		httpapi.Unsettled(w, o.Err)
		if o.Err != nil {
			views[i].Error = &errorView{code(ctx, o.Err), errs.Message(o.Err)}
		} else {
			views[i].Success = success(o.Row)
		}
	}
	return views
}

// operations decodes the body of an update (D28). Functions may also set the author of a row (F15).
func operations(ctx context.Context, body httpapi.Object, t table.Table) (changes update.Operations, err error) {
	if body == nil { // the body was null
		return nil, errs.Invalid("the request body must be an object")
	}
	schema, caller, client := t.Writable(), httpapi.From(ctx), subject(ctx)
	switch {
	case caller.Run != nil:
		schema = t.WritableByFunction()
	case client != nil:
		schema = t.WritableByClient(client, caller.Application.Settings.LegacyWrites)
	}
	canonical, err := canonicalBody(t, body)
	if err != nil {
		return nil, err
	}
	w, r := httpapi.Exchange(ctx)
	err = legacywrite.Skip(w, r, canonical, func(body map[string]any) error {
		changes, err = update.FromObject(body, schema, t.WritableBy(client))
		return err
	})
	if err != nil {
		return nil, err
	}
	return changes, table.CheckPermissions(changes)
}

type updateRow struct {
	oneRow
	source
	expanded
	Body httpapi.Object `body:"Update"`
}

// update serves PUT …/record/:id/.
func (g *Group) update(ctx context.Context, in updateRow) (Row, error) {
	t, id, err := g.row(ctx, in.oneRow)
	if err != nil {
		return nil, err
	}
	if err := t.Open(); err != nil {
		return nil, err
	}
	changes, err := operations(ctx, in.Body, t)
	if err != nil {
		return nil, err
	}
	row, err := g.Tables.Update(ctx, httpapi.Scope(ctx), t, id, changes, in.author(ctx))
	if err != nil {
		return nil, err
	}
	// A writer of a row may lack the right to read it (C23), so the answer has no columns then.
	if !t.Readable(subject(ctx), row) {
		id := t.Wire(row.ID)
		return Row{"id": id, "_id": id, "created_at": row.CreatedAt(), "updated_at": row.UpdatedAt}, nil
	}
	return g.view(ctx, t, in.expanded, row)
}

// canonicalBody returns the body of a write with first names. It returns errs.Invalid if a field is given under both
// names with different values: one of them would be lost.
func canonicalBody(t table.Table, body map[string]any) (map[string]any, error) {
	named, err := t.CanonicalFields(body)
	if err != nil {
		return nil, err
	}
	for _, group := range []string{"$set", "$unset"} {
		fields, ok := body[group].(map[string]any)
		if !ok {
			continue
		}
		if named[group], err = t.CanonicalFields(fields); err != nil {
			return nil, err
		}
	}
	return named, nil
}
