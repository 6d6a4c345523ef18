package bulk

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/retry"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// RunStep is one step of a run's operation.
type RunStep struct {
	Run       string
	Old, Next Operation
}

// Marks writes the steps of runs. A mark is the stored item with the state of a run's operation.
type Marks interface {
	// Advance writes the changes and replaces Old by Next in each step, in one transaction. refused is as in Steps.
	// moved maps the index of each step whose operation differs from Old to its current state; if it is not empty,
	// nothing was written. Advance returns errs.Conflict if another request is changing one of the rows.
	Advance(
		ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change, steps []RunStep,
	) (refused map[int]error, moved map[int]*Moved, err error)
}

// Runs makes the steps of all runs in this process. Steps on the same rows run one after the other. Steps that arrive
// while another runs wait and are then merged: one write of each row and the marks of all runs in one transaction. If
// triggers listen to updates of the table, steps are not merged, because each update is an event.
//
// The zero value is ready to use.
type Runs struct {
	mu     sync.Mutex
	groups map[string]*group
}

// group is the set of steps on the same rows. One of its parts leads.
type group struct {
	waiting []*part
	rows    []table.Row // as the previous step left them
}

// soon and patient are the retry policies of steps that conflict with other programs. soon gives up quickly, because
// other work waits behind the step. patient is for work that may wait: a retry is one call for all merged runs, while
// postponing a run costs several calls per run.
var (
	soon    = retry.Policy{Tries: 5, First: time.Millisecond, Longest: 4 * time.Millisecond}
	patient = retry.Policy{Tries: 20, First: 4 * time.Millisecond, Longest: 128 * time.Millisecond}
)

// maxJointItems is the maximum number of items of a joint; a transaction holds 100.
const maxJointItems = 96

// step makes a step of w. It returns errs.Conflict if other programs keep changing the rows.
func (r *Runs) step(ctx context.Context, w *work, rows []table.Row) error {
	if w.operation.Delete {
		return w.alone(ctx, rows)
	}
	p, key := newPart(w, rows), w.key(rows)

	r.mu.Lock()
	g := r.groups[key]
	if g == nil {
		if r.groups == nil {
			r.groups = map[string]*group{}
		}
		g = &group{}
		r.groups[key] = g
		r.mu.Unlock()
		return r.lead(ctx, key, g, p)
	}
	g.waiting = append(g.waiting, p)
	r.mu.Unlock()

	select {
	case leads := <-p.turn:
		return r.after(ctx, key, g, p, leads)
	case <-ctx.Done():
	}
	r.mu.Lock()
	at := slices.Index(g.waiting, p)
	if at >= 0 {
		g.waiting = slices.Delete(g.waiting, at, at+1)
	}
	r.mu.Unlock()
	if at >= 0 {
		return errs.Timeout("the request did not end in time")
	}
	return r.after(ctx, key, g, p, <-p.turn) // too late to leave: the step is being made, or this part leads the next one
}

// after continues a part that was waiting.
func (r *Runs) after(ctx context.Context, key string, g *group, p *part, leads bool) error {
	if leads {
		return r.lead(ctx, key, g, p)
	}
	return p.end(ctx)
}

// end returns the result of the part. After errApart, it makes the step alone.
func (p *part) end(ctx context.Context) error {
	if p.err == errApart {
		return p.work.alone(ctx, p.rows)
	}
	return p.err
}

// key identifies the rows of a step. It includes the schema's revision, because steps of different schemas must not
// merge.
func (w *work) key(rows []table.Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s#%d#%d", w.scope, w.table.ID, w.table.Revision)
	for _, row := range rows {
		b.WriteString("#" + string(row.ID))
	}
	return b.String()
}

// lead makes the step of p and of the waiting parts, then lets the next waiting part lead.
func (r *Runs) lead(ctx context.Context, key string, g *group, p *part) error {
	j := r.join(g, p)
	r.commit(ctx, key, g, j)
	return p.end(ctx)
}

func (r *Runs) commit(ctx context.Context, key string, g *group, j *joint) {
	// After a panic, the deferred call must find an error: a part without an error counts as made, and its run would
	// skip these rows.
	all := errApart
	defer func() {
		for _, p := range j.parts {
			p.err = cmp.Or(p.err, all)
		}
		r.pass(key, g, j)
	}()

	all = j.commit(ctx, j.parts[0].work.policy())
	if all != nil && !retry.OnConflict(all) && len(j.parts) > 1 {
		all = errApart // a lost response, or a fault of one run: each run repeats its step alone
	}
}

// join merges p with as many waiting parts as fit one transaction, at most one per run.
func (r *Runs) join(g *group, p *part) *joint {
	r.mu.Lock()
	defer r.mu.Unlock()
	j := &joint{parts: []*part{p}}
	most, runs := p.work.together(p.rows), map[string]bool{p.work.run: true}
	var left []*part
	for _, each := range g.waiting {
		if len(j.parts) == most || runs[each.work.run] {
			left = append(left, each)
			continue
		}
		j.parts, runs[each.work.run] = append(j.parts, each), true
	}
	g.waiting = left

	// Use the newest known state of each row: older states would only conflict.
	for _, row := range p.rows {
		read := slices.Clone(g.rows)
		for _, each := range j.parts {
			read = append(read, each.rows...)
		}
		for _, other := range read {
			if other.ID == row.ID && other.Revision > row.Revision {
				row = other
			}
		}
		j.rows = append(j.rows, row)
	}
	return j
}

// together returns how many runs one transaction can merge if each changes these rows.
func (w *work) together(rows []table.Row) int {
	if w.table.Listeners.Update > 0 {
		return 1
	}
	items, all := 1, 0
	for _, c := range w.table.Columns {
		if c.Index != nil {
			items += 2 // a moved index entry: one delete, one put
		}
	}
	for _, x := range w.table.FieldIndexes {
		if x.Claims() {
			items += 2 // a moved claim
		}
	}
	for _, row := range rows {
		all += items + w.readerItems(row)
	}
	return max(1, maxJointItems-all)
}

// pass wakes the parts of a finished joint and lets the next waiting part lead.
func (r *Runs) pass(key string, g *group, j *joint) {
	r.mu.Lock()
	defer r.mu.Unlock()
	g.rows = j.rows
	for _, p := range j.parts[1:] {
		p.turn <- false
	}
	if len(g.waiting) == 0 {
		delete(r.groups, key)
		return
	}
	next := g.waiting[0]
	g.waiting = g.waiting[1:]
	next.turn <- true
}
