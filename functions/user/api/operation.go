package api

import (
	"net/http"

	"minicloud/shared/bulk"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/table"
)

// operationView shows a bulk update or deletion in the background.
type operationView struct {
	ID         id.ID       `json:"id"`
	Status     bulk.Status `json:"status"`
	Progress   float64     `json:"progress"` // 0 to 1
	Total      *int        `json:"total_count"`
	Succeed    int         `json:"succeed"`
	Failed     int         `json:"failed"`
	Errors     []errorView `json:"errors"`
	Message    string      `json:"error_msg,omitempty"`
	CreatedAt  int64       `json:"created_at"`
	UpdatedAt  int64       `json:"updated_at"`
	FinishedAt *int64      `json:"finished_at"`
}

// operation serves GET /oserve/v1/bulk-operation/:id/.
func (g *Group) operation(w http.ResponseWriter, r *http.Request) error {
	id, err := bulk.ParseID(r.PathValue("id"))
	if err != nil {
		return err
	}

	o, err := g.Users.Bulk.Operation(r.Context(), httpapi.ScopeOf(r), id)
	if err != nil {
		return err
	}

	view := operationView{
		ID: o.ID, Status: o.Status, Progress: o.Progress(), Succeed: o.Succeeded, Failed: o.Failed,
		Errors: make([]errorView, len(o.Errors)), Message: o.Reason, CreatedAt: o.CreatedAt(), UpdatedAt: o.UpdatedAt,
	}
	if o.Total >= 0 {
		view.Total = &o.Total
	}
	if o.FinishedAt != 0 {
		view.FinishedAt = &o.FinishedAt
	}

	for i, e := range o.Errors {
		view.Errors[i] = viewError(wireID(o.Table, e.Row), &errs.Error{Kind: e.Kind, Message: e.Message})
	}

	httpapi.Write(w, http.StatusOK, view)

	return nil
}

// wireID is a row's id as its own endpoints write it.
func wireID(of table.ID, row table.RowID) any { return table.Table{ID: of}.Wire(row) }

func viewError(id any, err error) errorView {
	return errorView{ID: id, Code: httpapi.Status(err), Message: errs.Message(err)}
}
