package manage

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/language/value/update"
	"minicloud/shared/retry"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

const (
	// idSpacing keeps the ids of rows created together as far apart as if they
	// came one by one, so that no leaf of the counters gets large. maxAhead is how
	// far into the future ids may get by it.
	idSpacing = 250 * time.Microsecond
	maxAhead  = time.Second
	// parallel is how many rows of one bulk request are written at a time.
	parallel = 8
)

// Insert creates rows from decoded JSON objects: the columns' values and,
// where the defaults of the table do not fit, _read_perm and _write_perm.
// Outcome i belongs to drafts[i]; its error is an errs.Invalid naming the
// field, or says why the row could not be written. At most MaxBulk drafts.
func (s *Service) Insert(
	ctx context.Context, scope tenant.Scope, t table.Table, drafts []map[string]any, author table.Author,
) []table.Outcome {
	outcomes := make([]table.Outcome, len(drafts))
	if len(drafts) > table.MaxBulk {
		return fail(outcomes, errs.Invalid("at most %d rows can be created in one request", table.MaxBulk))
	}

	var changes []table.Change
	var places []int
	ids, next := s.source(ctx)
	// Ids of hex digits have ten random ones, so they are new, unless a write token makes every try draw the same ids.
	fresh := !t.IntegerIDs() && writetoken.FromContext(ctx) == nil
	for i, draft := range drafts {
		checked, err := t.ReadDraft(draft, author.ByFunction)
		if err == nil {
			err = s.checkCreation(checked.CreatedAt())
		}
		if err != nil {
			outcomes[i].Err = err
			continue
		}
		n := next() // drawn even if unused, so that a repetition draws the same ids for the other rows
		if second := checked.CreatedAt(); second > 0 {
			n = numberAtSecond(ids, second)
		}
		outcomes[i].Row = t.NewRow(checked, ids, n, author)
		changes, places = append(changes, table.Change{New: &outcomes[i].Row, Fresh: fresh}), append(places, i)
	}

	for i, err := range s.Rows.Write(ctx, scope, t, changes) {
		if errs.Is(err, errs.KindDuplicate) && !t.IntegerIDs() && !fresh {
			err = nil // the first try of this request created the row
		}
		outcomes[places[i]].Err = err
	}
	return outcomes
}

// NewRow returns the row that Insert would create, for a caller that writes it in a transaction of its own.
func (s *Service) NewRow(ctx context.Context, t table.Table, draft map[string]any, author table.Author) (table.Row, error) {
	checked, err := t.ReadDraft(draft, false)
	if err != nil {
		return table.Row{}, err
	}
	ids, next := s.source(ctx)
	return t.NewRow(checked, ids, next(), author), nil
}

func fail(outcomes []table.Outcome, err error) []table.Outcome {
	for i := range outcomes {
		outcomes[i].Err = err
	}
	return outcomes
}

// Read returns one row, errs.NotFound when there is none.
func (s *Service) Read(ctx context.Context, scope tenant.Scope, t table.Table, id table.RowID) (table.Row, error) {
	rows, err := s.Rows.ReadRows(ctx, scope, t, []table.RowID{id})
	if err != nil {
		return table.Row{}, err
	}
	row, ok := rows[id]
	if !ok {
		return table.Row{}, t.NoRow(id)
	}
	return row, nil
}

// Update changes one row and returns it as it is then. The operations are
// those of update.Parse over Writable. It is atomic: of concurrent updates
// each has its whole effect (D28). errs.NotFound, or errs.Invalid when a value
// would leave its range or the row its size.
func (s *Service) Update(
	ctx context.Context, scope tenant.Scope, t table.Table, id table.RowID, operations update.Operations, origin table.Origin,
) (table.Row, error) {
	token := tokenOf(ctx, t, id)
	if t.Patchable(operations) {
		patch := table.Patch{Operations: operations, UpdatedAt: s.now(), Origin: origin, Token: token}
		row, err := s.Rows.Patch(ctx, scope, t, id, patch)
		if !errors.Is(err, table.ErrMustRead) {
			return row, err
		}
	}
	return s.change(ctx, scope, t, id, token, func(old table.Row) (table.Change, error) {
		return s.updated(old, t, operations, origin, token)
	})
}

// updated returns the change that applies operations to a row and leaves the token.
func (s *Service) updated(
	old table.Row, t table.Table, operations update.Operations, origin table.Origin, token string,
) (table.Change, error) {
	next, err := t.Applied(old, operations, s.now())
	next.Origin = origin
	c := table.Change{Old: &old, New: &next}
	if !s.LeaveToken(&next, token) {
		c.Token = token
	}
	return c, err
}

// Delete removes one row and returns what it was, errs.NotFound when there is
// none.
func (s *Service) Delete(ctx context.Context, scope tenant.Scope, t table.Table, id table.RowID, origin table.Origin) (table.Row, error) {
	return s.change(ctx, scope, t, id, "", func(old table.Row) (table.Change, error) {
		return table.Change{Old: &old, Origin: origin}, nil
	})
}

// change reads the row and writes the change that plan makes of it, again after a concurrent write. It writes nothing
// when the row has the token: an earlier try of the request made the change.
func (s *Service) change(
	ctx context.Context, scope tenant.Scope, t table.Table, id table.RowID, token string, plan func(old table.Row) (table.Change, error),
) (row table.Row, err error) {
	var stale *table.Stale

	err = retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		// The refusal holds the current row. Using it saves a read, during which yet another write could come in.
		if stale != nil {
			row = stale.Row
		} else if row, err = s.Read(ctx, scope, t, id); err != nil {
			return err
		}
		if row.HasToken(token) {
			return nil
		}

		c, err := plan(row)
		if err != nil {
			return err
		}
		if c.New != nil {
			row = *c.New
		}
		err = s.Rows.Write(ctx, scope, t, []table.Change{c})[0]
		stale, _ = errors.AsType[*table.Stale](err)
		return err
	})
	switch {
	case errors.Is(err, table.ErrDone):
		return s.Read(ctx, scope, t, id)
	case err != nil:
		return table.Row{}, err
	}
	return row, nil
}

// numberAtSecond draws a random number within a second for a row with a given created_at: lists are in the order of
// ids, so the id must hold that time.
func numberAtSecond(ids *id.Source, second int64) id.ID {
	random, _ := hex.DecodeString(ids.Hex(4)) // of our own digits
	span := id.First(time.Unix(second+1, 0)) - id.First(time.Unix(second, 0))
	return id.First(time.Unix(second, 0)) + id.ID(binary.BigEndian.Uint32(random))%span
}

// checkCreation refuses a created_at in the future: such a row would stay first in every list.
func (s *Service) checkCreation(second int64) error {
	if second > s.now()+int64(maxAhead/time.Second) {
		return errs.Invalid("field %q must not be in the future", "created_at")
	}
	return nil
}
