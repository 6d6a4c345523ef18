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
	"minicloud/shared/permission"
	"minicloud/shared/retry"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

const (
	// idSpacing spaces the ids of rows created together as if the rows were created one by one, so that no leaf of the
	// counters gets large. maxAhead limits how far these ids may be in the future.
	idSpacing = 250 * time.Microsecond
	maxAhead  = time.Second
	// parallel is the number of rows of one bulk request that are written concurrently.
	parallel = 8
)

// Insert creates at most MaxBulk rows from decoded JSON objects: column values and, to override the table's defaults,
// _read_perm and _write_perm. Outcome i belongs to drafts[i]; its error is an errs.Invalid that names the field, or
// the reason why the row could not be written. All have the error of PermitCreate if the author may not create rows.
func (s *Service) Insert(
	ctx context.Context, scope tenant.Scope, t table.Table, drafts []map[string]any, author table.Author,
) []table.Outcome {
	outcomes := make([]table.Outcome, len(drafts))
	if err := t.PermitCreate(author.Client); err != nil {
		return fail(outcomes, err)
	}
	if len(drafts) > table.MaxBulk {
		return fail(outcomes, errs.Invalid("at most %d rows can be created in one request", table.MaxBulk))
	}

	var changes []table.Change
	var places []int
	ids, next := s.source(ctx)
	// Row ids in hex have ten random digits, so they are new, unless a write token makes every try generate the same
	// ids.
	fresh := !t.IntegerIDs() && writetoken.FromContext(ctx) == nil
	for i, draft := range drafts {
		checked, err := t.ReadDraft(draft, author)
		if err == nil {
			err = s.checkCreation(checked.CreatedAt())
		}
		if err != nil {
			outcomes[i].Err = err
			continue
		}
		n := next() // generated even if unused, so that a retry generates the same ids for the other rows
		if second := checked.CreatedAt(); second > 0 {
			n = numberAtSecond(ids, second)
		}
		outcomes[i].Row = t.NewRow(checked, ids, n, author)
		changes, places = append(changes, table.Change{New: &outcomes[i].Row, Fresh: fresh}), append(places, i)
	}

	for i, err := range s.Rows.Write(ctx, scope, t, changes) {
		if errs.Is(err, errs.KindDuplicate) && !t.IntegerIDs() && !fresh {
			err = nil // an earlier try of this request created the row
		}
		outcomes[places[i]].Err = err
	}
	return outcomes
}

// NewRow returns the row that Insert would create, for callers that write it in their own transaction.
func (s *Service) NewRow(ctx context.Context, t table.Table, draft map[string]any, author table.Author) (table.Row, error) {
	checked, err := t.ReadDraft(draft, author)
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

// ReadAs is Read for a reader; nil = an administrator or a function. A row that it may not read is missing.
func (s *Service) ReadAs(
	ctx context.Context, scope tenant.Scope, t table.Table, id table.RowID, reader *permission.Subject,
) (table.Row, error) {
	row, err := s.Read(ctx, scope, t, id)
	if err == nil && !t.Readable(reader, row) {
		return table.Row{}, t.NoRow(id)
	}
	return row, err
}

// Read returns a row, or errs.NotFound.
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

// Update changes one row and returns the changed row. The operations are the result of update.Parse with Writable.
// The update is atomic: concurrent updates of a row all take full effect (D28). It returns errs.NotFound if the row
// does not exist, errs.Invalid if a value would be out of range or the row too large, and the error of
// table.PermitUpdate if the author, at the moment of the write, may not make it.
func (s *Service) Update(
	ctx context.Context, scope tenant.Scope, t table.Table, id table.RowID, operations update.Operations, by table.Author,
) (table.Row, error) {
	if err := table.PermitLogin(by.Client); err != nil {
		return table.Row{}, err
	}
	return s.update(ctx, scope, t, id, operations, by.Origin, func(row table.Row) error {
		return t.PermitUpdate(by.Client, row, operations)
	}, by.Client)
}

func (s *Service) update(
	ctx context.Context, scope tenant.Scope, t table.Table, id table.RowID, operations update.Operations,
	origin table.Origin, permit func(table.Row) error, client *permission.Subject,
) (table.Row, error) {
	token := tokenOf(ctx, t, id)
	if t.Patchable(operations) {
		patch := table.Patch{Operations: operations, UpdatedAt: s.now(), Origin: origin, Token: token}
		row, err := s.patch(ctx, scope, t, id, patch, permit, client)
		if !errors.Is(err, table.ErrMustRead) {
			return row, err
		}
	}
	return s.change(ctx, scope, t, id, token, func(old table.Row) (table.Change, error) {
		if err := permit(old); err != nil {
			return table.Change{}, err
		}
		return s.updated(old, t, operations, origin, token)
	})
}

// patch applies a patch without reading the row, or, for a client, on the condition that the permissions on which it was
// permitted still hold: increments of several clients do not conflict.
func (s *Service) patch(
	ctx context.Context, scope tenant.Scope, t table.Table, id table.RowID, patch table.Patch,
	permit func(table.Row) error, client *permission.Subject,
) (table.Row, error) {
	if client == nil {
		return s.Rows.Patch(ctx, scope, t, id, patch)
	}
	row, err := s.Read(ctx, scope, t, id)
	if err != nil || row.HasToken(patch.Token) {
		return row, err
	}
	if err := permit(row); err != nil {
		return table.Row{}, err
	}
	patch.Permitted = &row
	return s.Rows.Patch(ctx, scope, t, id, patch)
}

// updated returns the change that applies the operations to a row and adds the token.
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

// Delete deletes a row and returns the deleted row. It returns errs.NotFound if the row does not exist, and the error of
// table.PermitWrite if the author, at the moment of the write, may not delete it.
func (s *Service) Delete(
	ctx context.Context, scope tenant.Scope, t table.Table, id table.RowID, by table.Author,
) (table.Row, error) {
	if err := table.PermitLogin(by.Client); err != nil {
		return table.Row{}, err
	}
	return s.delete(ctx, scope, t, id, by.Origin, func(row table.Row) error { return t.PermitWrite(by.Client, row) })
}

func (s *Service) delete(
	ctx context.Context, scope tenant.Scope, t table.Table, id table.RowID, origin table.Origin,
	permit func(table.Row) error,
) (table.Row, error) {
	return s.change(ctx, scope, t, id, "", func(old table.Row) (table.Change, error) {
		return table.Change{Old: &old, Origin: origin}, permit(old)
	})
}

// change reads the row and writes the change that plan returns for it. It retries after a concurrent write. If the
// row has the token, an earlier try of the request made the change, so it writes nothing.
func (s *Service) change(
	ctx context.Context, scope tenant.Scope, t table.Table, id table.RowID, token string, plan func(old table.Row) (table.Change, error),
) (row table.Row, err error) {
	var stale *table.Stale

	err = retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		// Use the current row from the error: another write could happen during a read.
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

// numberAtSecond returns a random id number within a second, for a row with a given created_at: lists are ordered by
// id, so the id must contain that time.
func numberAtSecond(ids *id.Source, second int64) id.ID {
	random, _ := hex.DecodeString(ids.Hex(4)) // digits we generated: cannot fail
	span := id.First(time.Unix(second+1, 0)) - id.First(time.Unix(second, 0))
	return id.First(time.Unix(second, 0)) + id.ID(binary.BigEndian.Uint32(random))%span
}

// checkCreation returns errs.Invalid for a created_at in the future: such a row would stay first in every list.
func (s *Service) checkCreation(second int64) error {
	if second > s.now()+int64(maxAhead/time.Second) {
		return errs.Invalid("field %q must not be in the future", "created_at")
	}
	return nil
}
