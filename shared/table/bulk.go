package table

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/errs"
	"minicloud/shared/language/value/update"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
)

// Bulk is what a bulk update or deletion did with one page of matching rows.
type Bulk struct {
	Result
	Outcomes []Outcome // of the rows of the page, in their order
}

// Succeeded returns how many rows were changed.
func (b Bulk) Succeeded() int {
	n := 0
	for _, o := range b.Outcomes {
		if o.Err == nil {
			n++
		}
	}
	return n
}

// UpdateMatching updates one page of the rows that match. Each row is updated
// atomically and on its own; a row that fails does not stop the others. Next
// leads to the page after it.
func (s *Service) UpdateMatching(
	ctx context.Context, scope tenant.Scope, t Table, q Query, operations update.Operations, origin Origin,
) (Bulk, error) {
	found, err := s.selected(ctx, scope, t, q)
	if err != nil {
		return Bulk{}, err
	}

	one := func(row Row) (Row, error) { return s.Update(ctx, scope, t, row.ID, operations, origin) }
	if t.Patchable(operations) {
		return s.matching(ctx, scope, t, found, nil, one), nil
	}
	return s.matching(ctx, scope, t, found, func(old Row) (Change, error) {
		token := tokenOf(ctx, t, old.ID)
		if old.HasToken(token) {
			return Change{}, ErrDone
		}
		return s.updated(old, t, operations, origin, token)
	}, one), nil
}

// DeleteMatching deletes one page of the rows that match. A row that another
// request deletes meanwhile counts as deleted.
func (s *Service) DeleteMatching(
	ctx context.Context, scope tenant.Scope, t Table, q Query, origin Origin,
) (Bulk, error) {
	found, err := s.selected(ctx, scope, t, q)
	if err != nil {
		return Bulk{}, err
	}

	return s.matching(ctx, scope, t, found, func(old Row) (Change, error) {
		return Change{Old: &old, Origin: origin}, nil
	}, func(row Row) (Row, error) {
		_, err := s.Delete(ctx, scope, t, row.ID, origin)
		if errs.Is(err, errs.KindNotFound) {
			err = nil
		}
		return row, err
	}), nil
}

// matching changes the rows of a page: together in few transactions when change is
// given, then one by one the rows that met a concurrent write.
func (s *Service) matching(
	ctx context.Context, scope tenant.Scope, t Table, found Result,
	change func(Row) (Change, error), one func(Row) (Row, error),
) Bulk {
	bulk := Bulk{Result: found, Outcomes: make([]Outcome, len(found.Objects))}
	for i, row := range found.Objects {
		bulk.Outcomes[i] = Outcome{row, errNotYet}
	}
	if change != nil {
		s.changeMany(ctx, scope, t, bulk.Outcomes, change)
	}

	// ErrDone counts, too: the single write reads the row and returns it as the earlier try left it.
	var group errgroup.Group
	group.SetLimit(parallel)
	for i, row := range found.Objects {
		if o := &bulk.Outcomes[i]; errors.Is(o.Err, errNotYet) || retry.OnConflict(o.Err) || errors.Is(o.Err, ErrDone) {
			group.Go(func() error {
				o.Row, o.Err = one(row)
				return nil
			})
		}
	}
	_ = group.Wait()

	return bulk
}

// errNotYet is the outcome of a row before the first attempt to change it.
var errNotYet = errors.New("table: not changed yet")

// changeMany changes rows in few transactions.
func (s *Service) changeMany(
	ctx context.Context, scope tenant.Scope, t Table, outcomes []Outcome, change func(Row) (Change, error),
) {
	var changes []Change
	var places []int
	for i, o := range outcomes {
		c, err := change(o.Row)
		if outcomes[i].Err = err; errors.Is(err, ErrDone) {
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
