package api

import (
	"context"

	"minicloud/shared/bulk"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/table"
)

// BulkOperation is a bulk update or deletion in the background.
type BulkOperation struct {
	ID         id.ID           `json:"id"`
	Status     bulk.Status     `json:"status" enum:"waiting,executing,success,failed"`
	Progress   float64         `json:"progress" minimum:"0" maximum:"1"`
	Total      *int            `json:"total_count"` // The number of records. null until it is known.
	Succeed    int             `json:"succeed" minimum:"0"`
	Failed     int             `json:"failed" minimum:"0"`
	Errors     []BulkError     `json:"errors"`
	Message    string          `json:"error_msg,omitempty"` // The reason of the failure.
	CreatedAt  httpapi.Seconds `json:"created_at"`
	UpdatedAt  httpapi.Seconds `json:"updated_at"`
	FinishedAt *int64          `json:"finished_at"`
}

// BulkError is the reason why a record was not updated.
type BulkError struct {
	ID      any    `json:"id" schema:"RecordID"`
	Code    int    `json:"code"` // The HTTP status that a request for only this record would have returned; 11000 if another row has its values in a unique index.
	Message string `json:"err_msg"`
}

type readOperation struct {
	ID string `path:"id" schema:"ID"`
}

// operation serves GET /oserve/v1/bulk-operation/:id/.
func (g *Group) operation(ctx context.Context, in readOperation) (view BulkOperation, err error) {
	id, err := bulk.ParseID(in.ID)
	if err != nil {
		return view, err
	}
	o, err := g.Users.Bulk.Operation(ctx, httpapi.Scope(ctx), id)
	if err != nil {
		return view, err
	}

	view = BulkOperation{
		ID: o.ID, Status: o.Status, Progress: o.Progress(), Succeed: o.Succeeded, Failed: o.Failed,
		Errors: make([]BulkError, len(o.Errors)), Message: o.Reason,
		CreatedAt: httpapi.Seconds(o.CreatedAt()), UpdatedAt: httpapi.Seconds(o.UpdatedAt),
		FinishedAt: httpapi.OrNull(o.FinishedAt),
	}
	// A negative total is not counted yet; the response shows null.
	if o.Total >= 0 {
		view.Total = &o.Total
	}
	for i, e := range o.Errors {
		view.Errors[i] = viewError(wireID(o.Table, e.Row), &errs.Error{Kind: e.Kind, Message: e.Message})
		if e.NotUnique {
			view.Errors[i].Code = duplicate
		}
	}
	return view, nil
}

// duplicate is the code of a row whose values another row has in a unique index, as in bulk writes of rows (client API,
// 4.5).
const duplicate = 11000

// wireID returns a row's id in the form of the endpoints of its table.
func wireID(of table.ID, row table.RowID) any { return table.Table{ID: of}.Wire(row) }

func viewError(id any, err error) BulkError {
	return BulkError{ID: id, Code: httpapi.Status(err), Message: errs.Message(err)}
}
