package bulk

import (
	"context"
	"errors"
	"maps"
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/retry"
	"minicloud/shared/table"
)

// joint is a step that several operations make at once on the same rows: each changes the rows as those before it leave
// them, as if they came one after the other. Mostly it is the step of one.
type joint struct {
	parts []*part
	rows  []table.Row // as they are stored, in the order of their ids
	// impossible says why rows cannot be stored; of a joint of one.
	impossible map[table.RowID]error
}

// part is what one operation has of a joint.
type part struct {
	work *work
	last table.RowID // where the cursor goes
	err  error       // why it did not get on, though others did
	turn chan bool   // its joint is over, or, with true, it is to lead the next one
	rows []table.Row // as it has read them
}

func newPart(w *work, rows []table.Row) *part {
	return &part{work: w, rows: rows, last: rows[len(rows)-1].ID, turn: make(chan bool, 1)}
}

// errApart says that the steps of a joint must be made one by one.
var errApart = errors.New("the steps cannot be made together")

// commit makes the step, again as long as others change the same rows and the policy lets it. An error is everybody's.
func (j *joint) commit(ctx context.Context, policy retry.Policy) error {
	j.impossible = map[table.RowID]error{}
	return policy.Do(ctx, retry.OnConflict, func(int) error {
		for {
			moved, err := j.try(ctx)
			if err != nil || moved == 0 {
				return err
			}
		}
	})
}

// try makes the step once. moved is how many turned out to be further already: they are left out, and nothing was done.
func (j *joint) try(ctx context.Context) (moved int, err error) {
	var active []*part
	for _, p := range j.parts {
		if p.err == nil {
			active = append(active, p)
		}
	}
	if len(active) == 0 {
		return 0, nil
	}

	changes, steps := j.plan(active)
	refused, further, err := active[0].work.advance(ctx, changes, steps)
	for i, m := range further {
		active[i].err = m
	}
	switch {
	case err != nil || len(further) > 0:
		return len(further), err
	case len(refused) > 0:
		return 0, j.refused(ctx, changes, refused)
	}

	for i, p := range active {
		p.work.operation = steps[i].Next
		p.work.steps++
	}
	for _, c := range changes {
		if at := j.place(c.Old.ID); c.New != nil {
			j.rows[at] = *c.New
		}
	}
	return 0, nil
}

// plan returns what becomes of the rows, and of each operation.
func (j *joint) plan(active []*part) (changes []table.Change, steps []RunStep) {
	rows := slices.Clone(j.rows)
	for _, p := range active {
		var mine []table.Row
		for _, row := range rows {
			if p.work.matches(row) {
				mine = append(mine, row)
			}
		}
		own, next := p.work.plan(mine, p.last, j.impossible)
		steps = append(steps, RunStep{Run: p.work.run, Old: p.work.operation, Next: next})
		if len(active) == 1 {
			return own, steps
		}
		for _, c := range own {
			rows[j.place(c.Old.ID)] = *c.New
		}
	}

	for i, row := range rows {
		if old := j.rows[i]; row.Revision != old.Revision {
			changes = append(changes, table.Change{Old: &old, New: &row})
		}
	}
	return changes, steps
}

func (j *joint) place(id table.RowID) int {
	return slices.IndexFunc(j.rows, func(r table.Row) bool { return r.ID == id })
}

// refused takes the rows that others have changed as they are now, and leaves out those that are gone. Why a row cannot
// be stored is remembered.
func (j *joint) refused(ctx context.Context, changes []table.Change, refused map[int]error) error {
	now := map[table.RowID]table.Row{}
	var stale, unseen []table.RowID
	for i, err := range refused {
		switch id := changes[i].Old.ID; {
		case errs.Is(err, errs.KindConflict):
			stale = append(stale, id)
			// A store that has seen the row spares a read, in which others may write it.
			if seen, ok := errors.AsType[*table.Stale](err); ok {
				now[id] = seen.Row
			} else {
				unseen = append(unseen, id)
			}
		case retry.Retryable(err):
			return err // nothing is wrong with the row: the store is busy
		case len(j.parts) > 1:
			return errApart // one of them is to blame, and the others are not
		default:
			j.impossible[id] = err
		}
	}

	if len(stale) > 0 {
		if len(unseen) > 0 {
			w := j.parts[0].work
			read, err := w.Tables.Rows.ReadRows(ctx, w.scope, w.table, unseen)
			if err != nil {
				return err
			}
			maps.Copy(now, read)
		}
		var kept []table.Row
		for _, row := range j.rows {
			if slices.Contains(stale, row.ID) {
				row = now[row.ID]
			}
			if row.ID != "" {
				kept = append(kept, row)
			}
		}
		j.rows = kept
	}
	return errs.Conflict("other requests are changing the same rows, try again")
}

// advance makes the changes and the steps, by the store or by the marks of runs.
func (w *work) advance(
	ctx context.Context, changes []table.Change, steps []RunStep,
) (refused map[int]error, moved map[int]*Moved, err error) {
	if w.run != "" {
		return w.Marks.Advance(ctx, w.scope, w.table, changes, steps)
	}
	refused, err = w.store.Advance(ctx, w.scope, w.table, changes, steps[0].Old, steps[0].Next)
	return refused, nil, err
}
