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

func results(w http.ResponseWriter, outcomes []table.Outcome, success func(table.Row) any) []resultView {
	views := make([]resultView, len(outcomes))
	for i, o := range outcomes {
		httpapi.Unsettled(w, o.Err)
		if o.Err != nil {
			views[i].Error = &errorView{httpapi.Status(o.Err), errs.Message(o.Err)}
		} else {
			views[i].Success = success(o.Row)
		}
	}
	return views
}

// operations reads the body of an update (D28). Functions may also write who made a row (F15).
func operations(w http.ResponseWriter, r *http.Request, t table.Table) (changes update.Operations, err error) {
	decoded, err := body(r)
	if err != nil {
		return nil, err
	}
	object, ok := decoded.(map[string]any)
	if !ok {
		return nil, errs.Invalid("the request body must be an object")
	}
	schema := t.Writable()
	if httpapi.CallerOf(r).Run != nil {
		schema = t.WritableByFunction()
	}
	err = httpapi.SkipBadFields(w, r, object, func(body map[string]any) error {
		changes, err = update.FromObject(body, schema, nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	return changes, table.CheckPermissions(changes)
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

	changes, err := operations(w, r, t)
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
