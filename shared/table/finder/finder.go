// Package finder answers queries about the rows of a table, exactly and as cheaply as its keys allow.
//
//	ranges.go    the key ranges that a where allows
//	plan.go      which keys a query goes by; pure, nothing is read
//	scanner.go   going along keys: rows, or the entries of an index
//	pushdown.go  what the store filters and leaves out
//	execute.go   reading the page by the plan; counters.go its total
//	page.go      filtering, sorting, the page
//	cursor.go    where the next page begins
//
// A plan only narrows the search: the whole where is applied to every row that it leads to.
package finder

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/count"
	"minicloud/shared/errs"
	"minicloud/shared/language/query"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// DefaultBudget is how many rows and index entries one query may look at. Entries of
// an abandoned index plan do not count. A query that needs more is refused with the
// index that would help.
const DefaultBudget = 1_000_000

// Finder answers queries about the rows of a store.
type Finder struct {
	Rows   table.RowStore
	Counts count.Reader // up to 2 s behind the rows
	Budget int          // 0 = DefaultBudget
	Limits Limits       // zero = as measured
}

// Find answers a query: exactly, with the same order for every caller, and by
// the cheapest way the table's keys and indexes allow. It is an errs.Invalid
// that names the index to add when more than the budget would be looked at.
func (s Finder) Find(ctx context.Context, scope tenant.Scope, t table.Table, q table.Query) (table.Result, error) {
	if err := q.Page.Validate(); err != nil {
		return table.Result{}, err
	}

	// A walk ends at MaxOffset: whether the list goes on there is all that a larger offset needs.
	deep := q.Page.Skip() > page.MaxOffset
	if deep {
		q.Page = page.Request{Offset: page.MaxOffset, Limit: 1}
	}
	f := &search{Finder: s, scope: scope, table: keyed{t}, q: q, where: q.Where, order: q.Order}
	f.limits = cmp.Or(s.Limits, measured)
	f.tree = count.Tree{Reader: s.Counts, Collection: table.Collection(scope, t.ID)}
	if f.where == nil {
		f.where = query.And(nil)
	}
	if len(f.order) == 0 {
		f.order = f.table.byID(true)
	}
	if deadline, ok := ctx.Deadline(); ok {
		f.until = deadline.Add(-min(answerTime, time.Until(deadline)/4))
	}
	if q.Page.After != "" {
		var err error
		if f.after, err = f.position(ctx, q.Page.After); err != nil {
			return table.Result{}, err
		}
	}

	if err := cmp.Or(f.run(ctx), f.failed); err != nil {
		return table.Result{}, err
	}
	if deep && len(f.rows) > 0 {
		return table.Result{}, page.ErrOffset()
	}
	return f.result(), nil
}

// search is one query that is being answered.
type search struct {
	Finder
	scope  tenant.Scope
	table  keyed
	q      table.Query
	where  query.Predicate
	order  query.Order
	after  *position // of the cursor; the page has only rows behind it
	limits Limits
	tree   count.Tree
	plans  []Plan // the last one is that of the page, the others have been given up

	pageState
	total int // counted beside the matches; -1 = not

	until  time.Time // deadline of the search; zero = none
	failed error     // the deadline was missed
	// affords reports that the number of rows is known to be within the budget.
	affords bool

	mu      sync.Mutex
	scanned int
	tried   int // the part of scanned that estimates and abandoned plans looked at
}

// run makes plans until one leads to the page.
func (f *search) run(ctx context.Context) error {
	e, err := f.estimate(ctx)
	if err != nil {
		return err
	}

	// A plan that gives up has found that an estimate was wrong: the next one is made with what was learnt.
	for {
		f.restart()
		n := need{enough: f.enough(), total: f.q.Total}
		p := f.table.plan(f.where, f.order, n, e)
		f.plans = append(f.plans, p)
		done, err := f.execute(ctx, p)
		if err != nil || done {
			return err
		}

		e.learn(p)
		if e.rows, err = f.tree.Total(ctx); err != nil {
			return err
		}
		f.tried = f.scanned // an abandoned plan is free, else adding an index could make a query exceed the budget
	}
}

// probe is how many entries of each condition are counted where there are several.
const probe = 256

// estimate counts the entries of each condition, up to probe. Only a choice between indexes needs that.
func (f *search) estimate(ctx context.Context) (estimates, error) {
	e := estimates{Limits: f.limits, entries: map[string]int{}}
	c := f.table.conditions(f.where)
	if len(c.indexed) < 2 || c.none || c.listed {
		return e, nil
	}

	counts := make([]int, len(c.indexed))
	g, ctx := errgroup.WithContext(ctx)
	for i, on := range c.indexed {
		g.Go(func() (err error) {
			counts[i], err = f.countEntries(ctx, on, min(probe, f.limits.Few))
			return err
		})
	}
	err := g.Wait()
	for i, on := range c.indexed {
		e.entries[on.column.Name] = counts[i]
	}
	f.tried = f.scanned
	return e, err
}

// answerTime is the part of the request's time that is reserved for the work after
// the search, and for a step still running.
const answerTime = 2 * time.Second

// spend counts what was looked at against the budget.
func (f *search) spend(n int) error {
	f.mu.Lock()
	f.scanned += n
	scanned := f.scanned - f.tried
	f.mu.Unlock()

	if scanned > f.budget() && !f.affords {
		return f.overBudget()
	}
	return f.inTime()
}

// affordable refuses a scan of the whole table when its total exceeds the budget.
// A scan within the budget is not interrupted later, since overlapping reads may
// count a row twice.
func (f *search) affordable(ctx context.Context, s span) error {
	if s != (span{}) {
		return nil
	}
	total, err := f.tree.Total(ctx)
	if err == nil && total > f.budget() {
		err = f.overBudget()
	}
	f.affords = err == nil
	return err
}

func (f *search) budget() int { return cmp.Or(f.Budget, DefaultBudget) }

func (f *search) overBudget() error {
	return f.tooMuch(fmt.Sprintf("would look at more than %d rows", f.budget()))
}

func (f *search) inTime() error {
	if !f.until.IsZero() && time.Now().After(f.until) {
		return f.tooMuch("takes longer than a request may")
	}
	return nil
}

// tooMuch returns the error of a refused query, with the change that would make it cheap enough.
func (f *search) tooMuch(why string) error {
	help := "narrow it by created_at"
	if name := f.wouldHelp(); name != "" {
		help = fmt.Sprintf("an index on field %q would help", name)
	}
	return errs.Invalid("the query %s: %s", why, help)
}

// wouldHelp returns a column whose index would make the query cheaper, "" when there is none.
func (f *search) wouldHelp() string {
	for _, term := range query.Conjuncts(f.where) {
		c, own := f.table.Column(term.Column.Name)
		if !own || c.Usable() || !c.Type.Ordered() {
			continue
		}
		if _, _, ok := f.table.spans(&c, term); ok {
			return c.Name
		}
	}
	if c, own := f.table.Column(f.order[0].Column.Name); own && !c.Usable() {
		return c.Name
	}
	return ""
}
