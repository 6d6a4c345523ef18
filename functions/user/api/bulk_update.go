package api

import (
	"encoding/json"
	"net/http"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/user"
)

// bulkView is the answer of endpoint 18 where users were updated.
type bulkView struct {
	Results []rowView `json:"operation_result"`
	Succeed int       `json:"succeed"`
	Total   *int      `json:"total_count,omitempty"`
	Offset  int       `json:"offset"`
	Limit   int       `json:"limit"`
	Next    *string   `json:"next"`
}

// rowView is what became of one user: one of the two.
type rowView struct {
	Success *successView `json:"success,omitempty"`
	Error   *errorView   `json:"error,omitempty"`
}

type successView struct {
	ID        int64 `json:"id"`
	UpdatedAt int64 `json:"updated_at"`
}

type errorView struct {
	ID      any    `json:"id"`
	Code    int    `json:"code"`
	Message string `json:"err_msg"`
}

// acceptedView is the answer where they will be, in the background.
type acceptedView struct {
	Status    string `json:"status"`
	Operation id.ID  `json:"operation_id"`
}

// bulkUpdate serves endpoint 18: a page of users now, or with async=1 all of them
// in the background.
func (g *Group) bulkUpdate(w http.ResponseWriter, r *http.Request) error {
	q, err := query(r)
	if err != nil {
		return err
	}

	origin, err := originOf(r)
	if err != nil {
		return err
	}

	var body json.RawMessage
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}

	background, err := background(q)
	if err != nil {
		return err
	}

	return g.updateMatching(w, r, user.BulkUpdate{Query: q, Body: body, Origin: origin, Background: background})
}

// updateMatching changes users and answers.
func (g *Group) updateMatching(w http.ResponseWriter, r *http.Request, b user.BulkUpdate) error {
	done, err := g.Users.UpdateMatching(r.Context(), httpapi.ScopeOf(r), b)
	if err != nil {
		return err
	}

	tellCost(w, done.Plan, done.Scanned)
	if done.Operation != 0 {
		httpapi.Write(w, http.StatusOK, acceptedView{Status: "ok", Operation: done.Operation})
		return nil
	}

	if b.Page.Limit == 0 {
		b.Page.Limit = page.MaxLimit
	}
	meta := httpapi.NewMeta(r, done.Shown(b.Page), done.Next, done.Total)
	view := bulkView{
		Results: make([]rowView, len(done.Outcomes)), Succeed: done.Succeeded(),
		Total: meta.Total, Offset: meta.Offset, Limit: meta.Limit, Next: meta.Next,
	}
	for i, outcome := range done.Outcomes {
		httpapi.Unsettled(w, outcome.Err)
		view.Results[i] = viewOutcome(done.Objects[i], outcome)
	}

	httpapi.Write(w, http.StatusOK, view)

	return nil
}

// background reads async, and takes it from what may name fields. All users are
// no page of them, so limit, offset and cursor contradict it.
func background(q user.Query) (bool, error) {
	background, _, err := httpapi.Flag(q.Filters, "async")
	if err != nil || !background {
		q.Filters.Del("async")
		return false, err
	}
	for _, name := range []string{"limit", "offset", "cursor"} {
		if value := q.Filters.Get(name); value != "" && (name != "offset" || q.Page.Offset != 0) {
			return false, errs.Invalid("%s cannot stand beside async=1, which changes all users that match", name)
		}
	}
	q.Filters.Del("async")
	return true, nil
}

func viewOutcome(row table.Row, outcome table.Outcome) rowView {
	number := int64(row.ID.Number())
	if outcome.Err != nil {
		view := viewError(number, outcome.Err)
		return rowView{Error: &view}
	}
	return rowView{Success: &successView{ID: number, UpdatedAt: outcome.Row.UpdatedAt}}
}
