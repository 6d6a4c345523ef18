package table

import (
	"context"
	"errors"
	"sync"

	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/value/update"
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
func (s *Service) UpdateMatching(ctx context.Context, scope tenant.Scope, t Table, q Query, operations update.Operations, origin Origin) (Bulk, error) {
	found, err := s.selected(ctx, scope, t, q)
	if err != nil {
		return Bulk{}, err
	}
	alone := func(row Row) (Row, error) { return s.Update(ctx, scope, t, row.ID, operations, origin) }
	if t.Patchable(operations) {
		return s.matching(ctx, scope, t, found, nil, alone), nil
	}
	return s.matching(ctx, scope, t, found, func(old Row) (Change, error) {
		token := tokenOf(ctx, t, old.ID)
		if old.Bears(token) {
			return Change{}, ErrDone
		}
		next, err := t.Applied(old, operations)
		next.UpdatedAt, next.Origin = s.now(), origin
		return s.signed(Change{Old: &old, New: &next}, token), err
	}, alone), nil
}

// DeleteMatching deletes one page of the rows that match. A row that somebody
// else deletes meanwhile counts as deleted.
func (s *Service) DeleteMatching(ctx context.Context, scope tenant.Scope, t Table, q Query, origin Origin) (Bulk, error) {
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

// matching changes the rows of a page: many at a time where change says how,
// and those that others change at the same time alone.
func (s *Service) matching(
	ctx context.Context, scope tenant.Scope, t Table, found Result,
	change func(Row) (Change, error), alone func(Row) (Row, error),
) Bulk {
	bulk := Bulk{Result: found, Outcomes: make([]Outcome, len(found.Objects))}
	left := make([]int, 0, len(found.Objects))
	if change == nil {
		for i := range found.Objects {
			left = append(left, i)
		}
	} else {
		left = s.together(ctx, scope, t, found.Objects, bulk.Outcomes, change)
	}
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(parallel, len(left)) {
		wg.Go(func() {
			for i := range next {
				row, err := alone(found.Objects[i])
				bulk.Outcomes[i] = Outcome{row, err}
			}
		})
	}
	for _, i := range left {
		next <- i
	}
	close(next)
	wg.Wait()
	return bulk
}

// together changes rows in few transactions. It returns the places of those
// that have changed since they were read.
func (s *Service) together(ctx context.Context, scope tenant.Scope, t Table, rows []Row, outcomes []Outcome, change func(Row) (Change, error)) (left []int) {
	var changes []Change
	var places []int
	for i, row := range rows {
		c, err := change(row)
		outcomes[i] = Outcome{row, err}
		if errors.Is(err, ErrDone) {
			outcomes[i].Err = nil
			continue
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
		if errs.Is(err, errs.KindConflict) || errs.Is(err, errs.KindNotFound) || errors.Is(err, ErrDone) {
			left = append(left, places[n])
		}
		outcomes[places[n]].Err = err
	}
	return left
}
