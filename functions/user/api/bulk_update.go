package api

import (
	"context"
	"encoding/json"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/user"
)

// UserBulkResult is the result of updating users.
type UserBulkResult struct {
	Results []rowResult `json:"operation_result"`
	Succeed int         `json:"succeed" minimum:"0"`
	Total   *int        `json:"total_count,omitempty" minimum:"0"`
	Offset  int         `json:"offset" minimum:"0"`
	Limit   int         `json:"limit" minimum:"0"`
	Next    *string     `json:"next"`
}

// rowResult is the result for one user: a change or an error.
type rowResult struct {
	Success *changedUser `json:"success,omitempty"`
	Error   *BulkError   `json:"error,omitempty"`
}

type changedUser struct {
	ID        httpapi.ID      `json:"id"`
	UpdatedAt httpapi.Seconds `json:"updated_at"`
}

// bulkAnswer is the result for a page of users, or the background operation.
type bulkAnswer = httpapi.Either[UserBulkResult, httpapi.Accepted]

type bulkUpdate struct {
	selection
	source
	Body       json.RawMessage `body:"Update"`
	Background bool            `query:"async"` // 1 updates all matching users in the background.
}

// bulkUpdate serves endpoint 18: it updates a page of users at once, or with async=1 all matching users in the
// background.
func (g *Group) bulkUpdate(ctx context.Context, in bulkUpdate) (bulkAnswer, error) {
	q := in.query(ctx)
	q.Filters.Del("async") // not a field of users
	if in.Background {
		if err := wholeOnly(q); err != nil {
			return bulkAnswer{}, err
		}
	}
	return g.updateMatching(ctx, user.BulkUpdate{Query: q, Body: in.Body, Origin: in.origin(ctx), Background: in.Background})
}

// updateMatching updates users and returns the response.
func (g *Group) updateMatching(ctx context.Context, b user.BulkUpdate) (bulkAnswer, error) {
	done, err := g.Users.UpdateMatching(ctx, httpapi.Scope(ctx), b)
	if err != nil {
		return bulkAnswer{}, err
	}

	httpapi.Explain(ctx, done.Plan, done.Scanned)
	if done.Operation != 0 {
		accepted := httpapi.InBackground(done.Operation)
		return bulkAnswer{Other: &accepted}, nil
	}

	// An update of all users has no limit, but its meta shows the size of a page.
	if b.Page.Limit == 0 {
		b.Page.Limit = page.MaxLimit
	}
	w, r := httpapi.Exchange(ctx)
	meta := httpapi.NewMeta(r, done.Shown(b.Page), done.Next, done.Total)
	view := UserBulkResult{
		Results: make([]rowResult, len(done.Outcomes)), Succeed: done.Succeeded(),
		Total: meta.Total, Offset: meta.Offset, Limit: meta.Limit, Next: meta.Next,
	}
	for i, outcome := range done.Outcomes {
		httpapi.Unsettled(w, outcome.Err)
		view.Results[i] = viewOutcome(done.Objects[i], outcome)
	}
	return bulkAnswer{One: &view}, nil
}

// wholeOnly returns errs.Invalid if async=1, which changes all users, comes with a parameter for a page.
func wholeOnly(q user.Query) error {
	for _, name := range []string{"limit", "offset", "cursor"} {
		if value := q.Filters.Get(name); value != "" && (name != "offset" || q.Page.Offset != 0) {
			return errs.Invalid("%s cannot stand beside async=1, which changes all users that match", name)
		}
	}
	return nil
}

func viewOutcome(row table.Row, outcome table.Outcome) rowResult {
	number := int64(row.ID.Number())
	if outcome.Err != nil {
		view := viewError(number, outcome.Err)
		return rowResult{Error: &view}
	}
	return rowResult{Success: &changedUser{ID: httpapi.ID(number), UpdatedAt: httpapi.Seconds(outcome.Row.UpdatedAt)}}
}
