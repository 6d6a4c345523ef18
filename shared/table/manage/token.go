package manage

import (
	"context"
	"slices"

	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// tokenOf returns the write token for a change of one row, or "" without an Idempotency-Key.
func tokenOf(ctx context.Context, t table.Table, row table.RowID) string {
	return writetoken.Of(ctx, "row", t.ID.String(), string(row))
}

// LeaveToken adds the token to the row and drops expired tokens. It returns false if the row has no room for the
// token.
func (s *Service) LeaveToken(r *table.Row, token string) bool {
	if token == "" {
		return true
	}

	kept := writetoken.Current(r.Tokens, s.Clock.Now())
	if len(kept) >= table.MaxTokens {
		return false
	}
	r.Tokens = append(kept, token)
	return true
}

// source returns the id source for new rows, and a function that returns the number of the next row.
func (s *Service) source(ctx context.Context) (ids *id.Source, next func() id.ID) {
	ids, now := writetoken.IDs(ctx, s.IDs, s.Clock.Now())
	at := now
	return ids, func() id.ID {
		n := ids.New(at)
		if at.Before(n.Time()) { // the source was ahead: continue from its time
			at = n.Time()
		}
		if at = at.Add(idSpacing); at.Sub(now) > maxAhead {
			at = now
		}
		return n
	}
}

// selection is the page of rows that a request with an Idempotency-Key will change. Incomplete records that the
// request was refused because of Query.Complete.
type selection struct {
	Rows       []table.RowID `json:"rows,omitempty"`
	Next       page.Cursor   `json:"next,omitempty"`
	Total      int           `json:"total"`
	Incomplete bool          `json:"incomplete,omitempty"`
}

// selected finds the rows of a bulk write. A request with an Idempotency-Key stores their ids before it changes them,
// and a retry changes the stored rows: after the first try they may no longer match, and the retry would change other
// rows instead.
func (s *Service) selected(ctx context.Context, scope tenant.Scope, t table.Table, q table.Query) (table.Result, error) {
	found, err := s.Find(ctx, scope, t, q)
	if err != nil {
		return table.Result{}, err
	}
	mine := selection{Next: found.Next, Total: found.Total, Incomplete: q.Complete && found.Next != ""}
	for _, row := range found.Objects {
		mine.Rows = append(mine.Rows, row.ID)
	}
	if mine.Incomplete {
		mine.Rows, mine.Next = nil, ""
	}
	first, err := writetoken.Noted(ctx, "rows", mine)
	switch {
	case err != nil:
		return table.Result{}, err
	case first.Incomplete:
		return table.Result{}, table.ErrIncomplete
	case slices.Equal(first.Rows, mine.Rows):
		found.Next, found.Total = first.Next, first.Total
		return found, nil
	}

	rows, err := s.Rows.ReadRows(ctx, scope, t, first.Rows)
	if err != nil {
		return table.Result{}, err
	}
	found.Objects, found.Next, found.Total = nil, first.Next, first.Total
	for _, id := range first.Rows {
		row := rows[id]
		row.ID = id // a deleted row has only its id: the response reports it as not found
		found.Objects = append(found.Objects, row)
	}
	return found, nil
}
