package table

import (
	"context"
	"errors"
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
	"minicloud/shared/writetoken"
)

// MaxTokens is how many write tokens a row bears. A row that gets more changes
// with an Idempotency-Key in a day has the others kept beside it, at the price of
// a transaction: so none is lost, however many write one row.
const MaxTokens = 16

// tokenOf is the token of a request's change of one row, "" without a key.
func tokenOf(ctx context.Context, t Table, row RowID) string {
	return writetoken.Of(ctx, "row", t.ID.String(), string(row))
}

// Bears reports whether the row was changed under that token.
func (r Row) Bears(token string) bool { return token != "" && slices.Contains(r.Tokens, token) }

// Sign leaves the token in the row, in the place of those over their time. It
// reports false where there is no room for it.
func (s *Service) Sign(r *Row, token string) bool {
	if token == "" {
		return true
	}
	kept := writetoken.Current(r.Tokens, s.Clock.Now())
	if len(kept) >= MaxTokens {
		return false
	}
	r.Tokens = append(kept, token)
	return true
}

// signed is the change that leaves the token in the row, or beside it.
func (s *Service) signed(c Change, token string) Change {
	if c.New != nil && !s.Sign(c.New, token) {
		c.Mark = token
	}
	return c
}

// source is where the ids of new rows come from.
func (s *Service) source(ctx context.Context) (ids *id.Source, next func() id.ID) {
	ids, now := writetoken.IDs(ctx, s.IDs, s.Clock.Now())
	at := now
	return ids, func() id.ID {
		n := ids.New(at)
		if at.Before(n.Time()) { // the source was ahead: go on from there
			at = n.Time()
		}
		if at = at.Add(idSpacing); at.Sub(now) > maxAhead {
			at = now
		}
		return n
	}
}

// created is what became of a new row. Its id comes from the key's claim, and of
// the 24 digits ten are random: a row that has it already is the first try's.
func (t Table) created(ctx context.Context, err error) error {
	if errs.Is(err, errs.KindDuplicate) && !t.IntegerIDs() && writetoken.FromContext(ctx) != nil {
		return nil
	}
	return err
}

// done is the answer of a change that an earlier try has made, or err.
func (s *Service) done(ctx context.Context, scope tenant.Scope, t Table, id RowID, err error) (Row, error) {
	if errors.Is(err, ErrDone) {
		return s.Read(ctx, scope, t, id)
	}
	return Row{}, err
}

// selection is a page of rows that a request with a key is about to change, or
// that it is none: Query.Complete.
type selection struct {
	Rows       []RowID     `json:"rows,omitempty"`
	Next       page.Cursor `json:"next,omitempty"`
	Total      int         `json:"total"`
	Incomplete bool        `json:"incomplete,omitempty"`
}

// selected finds the rows of a bulk write. A request with a key notes which they
// are, before it changes them: they may not match any more afterwards, and others
// would be changed in their place. A repetition gets the rows of the first try.
func (s *Service) selected(ctx context.Context, scope tenant.Scope, t Table, q Query) (Result, error) {
	found, err := s.Find(ctx, scope, t, q)
	if err != nil {
		return Result{}, err
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
		return Result{}, err
	case first.Incomplete:
		return Result{}, ErrIncomplete
	case slices.Equal(first.Rows, mine.Rows):
		found.Next, found.Total = first.Next, first.Total
		return found, nil
	}

	rows, err := s.Rows.ReadRows(ctx, scope, t, first.Rows)
	if err != nil {
		return Result{}, err
	}
	found.Objects, found.Next, found.Total = nil, first.Next, first.Total
	for _, id := range first.Rows {
		row := rows[id]
		row.ID = id // also of one that is gone: the answer says so
		found.Objects = append(found.Objects, row)
	}
	return found, nil
}
