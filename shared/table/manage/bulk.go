package manage

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/errs"
	"minicloud/shared/language/query"
	"minicloud/shared/language/value/update"
	"minicloud/shared/permission"
	"minicloud/shared/retry"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// UpdateMatching updates one page of the matching rows. Each row is updated atomically and independently; a failed
// row does not stop the others. Next is the cursor of the next page. A row that, at the moment of the write, no longer
// meets the condition or that the query's reader may not write (C24) has no outcome.
func (s *Service) UpdateMatching(
	ctx context.Context, scope tenant.Scope, t table.Table, q table.Query, operations update.Operations, origin table.Origin,
) (table.Bulk, error) {
	found, err := s.selected(ctx, scope, t, q)
	if err != nil {
		return table.Bulk{}, err
	}

	client := q.Client()
	permit := func(row table.Row) error {
		if err := passOver(t, q, row); err != nil {
			return err
		}
		return t.PermitUpdate(client, row, operations)
	}
	if t.Patchable(operations) && stays(q.Where) {
		return s.matching(ctx, scope, t, found, client, nil, func(row table.Row) (table.Row, error) {
			return s.update(ctx, scope, t, row.ID, operations, origin, permit, client)
		}), nil
	}
	change := func(old table.Row) (table.Change, error) {
		token := tokenOf(ctx, t, old.ID)
		if old.HasToken(token) {
			return table.Change{}, table.ErrDone
		}
		err := permit(old)
		if errors.Is(err, errPassedOver) && token != "" && len(old.Tokens) >= table.MaxTokens {
			// The row may have ceased to match by an earlier try, whose token it had no room for.
			done, read := s.Rows.HasToken(ctx, scope, t, token)
			if read != nil || done {
				return table.Change{}, cmp.Or(read, table.ErrDone)
			}
		}
		if err != nil {
			return table.Change{}, err
		}
		return s.updated(old, t, operations, origin, token)
	}
	return s.matching(ctx, scope, t, found, client, change, func(row table.Row) (table.Row, error) {
		return s.change(ctx, scope, t, row.ID, "", change)
	}), nil
}

// stays reports whether a row that meets the condition always meets it: its patches need no condition, so concurrent
// increments do not conflict.
func stays(where query.Predicate) bool {
	return !slices.ContainsFunc(query.Columns(where), func(column string) bool { return column != "id" })
}

// DeleteMatching deletes one page of the matching rows. A row that another request deletes meanwhile counts as
// deleted. A row that, at the moment of the write, no longer meets the condition or that the query's reader may not
// write (C24) has no outcome.
func (s *Service) DeleteMatching(
	ctx context.Context, scope tenant.Scope, t table.Table, q table.Query, origin table.Origin,
) (table.Bulk, error) {
	found, err := s.selected(ctx, scope, t, q)
	if err != nil {
		return table.Bulk{}, err
	}

	client := q.Client()
	permit := func(row table.Row) error {
		if row.Revision == 0 { // an earlier try of the request deleted the row
			return nil
		}
		return passOver(t, q, row)
	}
	return s.matching(ctx, scope, t, found, client, func(old table.Row) (table.Change, error) {
		return table.Change{Old: &old, Origin: origin}, permit(old)
	}, func(row table.Row) (table.Row, error) {
		_, err := s.delete(ctx, scope, t, row.ID, origin, permit)
		if errs.Is(err, errs.KindNotFound) {
			err = nil
		}
		return row, err
	}), nil
}

// errPassedOver is the outcome of a row that no longer matches or that a client may not write: the response omits the
// row.
var errPassedOver = errors.New("table: the row does not match, or a client may not write it")

// passOver returns errPassedOver for a row that does not meet the query's condition or that its reader may not write.
func passOver(t table.Table, q table.Query, row table.Row) error {
	// A row that was deleted since an earlier try of the request has revision 0: the write reports it.
	if row.Revision > 0 && q.Where != nil && !q.Where.Match(t.Record(row)) {
		return errPassedOver
	}
	if t.PermitWrite(q.Client(), row) != nil {
		return errPassedOver
	}
	return nil
}

// matching changes the rows of a page. If change is not nil, it first changes them together in few transactions. It
// then calls one for each row that is not changed yet or had a concurrent write.
func (s *Service) matching(
	ctx context.Context, scope tenant.Scope, t table.Table, found table.Result, client *permission.Subject,
	change func(table.Row) (table.Change, error), one func(table.Row) (table.Row, error),
) table.Bulk {
	outcomes := make([]table.Outcome, len(found.Objects))
	for i, row := range found.Objects {
		outcomes[i] = table.Outcome{Row: row, Err: errNotYet}
	}
	if change != nil {
		s.changeMany(ctx, scope, t, outcomes, change)
	}

	// Include ErrDone: the single write reads the row and returns it as the earlier try left it.
	var group errgroup.Group
	group.SetLimit(parallel)
	for i, row := range found.Objects {
		if o := &outcomes[i]; errors.Is(o.Err, errNotYet) || retry.OnConflict(o.Err) || errors.Is(o.Err, table.ErrDone) {
			group.Go(func() error {
				o.Row, o.Err = one(row)
				return nil
			})
		}
	}
	_ = group.Wait()

	outcomes = slices.DeleteFunc(outcomes, func(o table.Outcome) bool {
		// For a client, a row that was deleted meanwhile looks like one that it may no longer write.
		return errors.Is(o.Err, errPassedOver) || client != nil && errs.Is(o.Err, errs.KindNotFound)
	})
	return table.Bulk{Result: found, Outcomes: outcomes}
}

// errNotYet is the outcome of a row before the first attempt to change it.
var errNotYet = errors.New("table: not changed yet")

// changeMany changes rows in few transactions.
func (s *Service) changeMany(
	ctx context.Context, scope tenant.Scope, t table.Table, outcomes []table.Outcome, change func(table.Row) (table.Change, error),
) {
	var changes []table.Change
	var places []int
	for i, o := range outcomes {
		c, err := change(o.Row)
		if outcomes[i].Err = err; errors.Is(err, table.ErrDone) {
			outcomes[i].Err = nil
		}
		if err != nil {
			continue
		}
		if c.New != nil {
			outcomes[i].Row = *c.New
		}
		changes, places = append(changes, c), append(places, i)
	}

	for n, err := range s.Rows.Write(ctx, scope, t, changes) {
		outcomes[places[n]].Err = err
	}
}
