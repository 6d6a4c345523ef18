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

// joint is one step of several operations on the same rows, written in one transaction: each operation changes the
// rows as the previous operation left them. Usually there is only one operation.
type joint struct {
	parts []*part
	rows  []table.Row // as stored, in id order
	// impossible holds the errors of rows that cannot be stored. It is used only in a joint of one operation.
	impossible map[table.RowID]error
}

// part is one operation in a joint.
type part struct {
	work *work
	last table.RowID // cursor after the step
	err  error       // why this operation made no step although others did
	turn chan bool   // false: the joint is done; true: this part leads the next joint
	rows []table.Row // as read by the operation
}

func newPart(w *work, rows []table.Row) *part {
	return &part{work: w, rows: rows, last: rows[len(rows)-1].ID, turn: make(chan bool, 1)}
}

// errApart means that the operations must make their steps separately.
var errApart = errors.New("the steps cannot be made together")

// commit makes the step and retries conflicts by the policy. Its error applies to all parts.
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

// try makes the step once. moved is the number of operations that another worker advanced; if it is not 0, nothing
// was written, and the next try leaves those operations out.
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

	// Update the state in memory only after the transaction is written.
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

// plan returns the row changes and the next state of each operation.
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
		// The next operation sees the row as this one leaves it; the row is written once.
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

// refused prepares the next try: it replaces rows that changed meanwhile by their current state, drops deleted rows,
// and records the errors of rows that cannot be stored.
func (j *joint) refused(ctx context.Context, changes []table.Change, refused map[int]error) error {
	now := map[table.RowID]table.Row{}
	var stale, unseen []table.RowID
	for i, err := range refused {
		switch id := changes[i].Old.ID; {
		case errs.Is(err, errs.KindConflict):
			stale = append(stale, id)
			// Use the current row from the error: another write could happen during a read.
			if seen, ok := errors.AsType[*table.Stale](err); ok {
				now[id] = seen.Row
			} else {
				unseen = append(unseen, id)
			}
		case retry.Retryable(err) || errs.Is(err, errs.KindInternal):
			return err // the store is busy or broken; the row itself is valid
		case len(j.parts) > 1:
			return errApart // one operation makes the row invalid, and only that operation must fail
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

// advance writes the changes and steps, with the store or with the marks of runs.
func (w *work) advance(
	ctx context.Context, changes []table.Change, steps []RunStep,
) (refused map[int]error, moved map[int]*Moved, err error) {
	if w.run != "" {
		return w.Marks.Advance(ctx, w.scope, w.table, changes, steps)
	}
	refused, err = w.store.Advance(ctx, w.scope, w.table, changes, steps[0].Old, steps[0].Next)
	return refused, nil, err
}
