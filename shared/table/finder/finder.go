// Package finder executes queries on the rows of a table: exact results, at the lowest cost that the keys allow.
//
//	ranges.go    key ranges allowed by a condition
//	plan.go      choice of keys for a query, without any reads
//	scanner.go   scans of keys: rows or index entries
//	merge.go     several ranges of the index of readers as one list
//	pushdown.go  filters and projections evaluated by the store
//	execute.go   reads the page by the plan; counters.go counts the total
//	page.go      filters, sorts and builds the page
//	cursor.go    position of the next page
//	reader.go    what an end user may see
//
// A plan only narrows the search: the whole condition is checked on every row that it reads.
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

// DefaultBudget is the maximum number of rows and index entries that one query may read. Entries read by an abandoned
// index plan are not counted. A query that needs more is refused with the index that would help.
const DefaultBudget = 1_000_000

// Finder executes queries on the rows of a store.
type Finder struct {
	Rows   table.RowStore
	Counts count.Reader // may lag by up to 2 s
	Budget int          // 0 = DefaultBudget
	Limits Limits       // zero = measured
}

// Find executes a query. The result is exact and its order is the same for every caller; it uses the cheapest keys
// and indexes. It returns an errs.Invalid that names the index to add if the query would read more than the budget.
func (s Finder) Find(ctx context.Context, scope tenant.Scope, t table.Table, q table.Query) (table.Result, error) {
	if err := q.Page.Validate(); err != nil {
		return table.Result{}, err
	}

	// A walk stops at MaxOffset. For a larger offset it is enough to know whether the list has a row there.
	deep := q.Page.Skip() > page.MaxOffset
	if deep {
		q.Page = page.Request{Offset: page.MaxOffset, Limit: 1}
	}
	f := &search{Finder: s, scope: scope, table: keyed{Table: t}, q: q, order: q.Order}
	f.limits = cmp.Or(s.Limits, measured)
	f.tree = count.Tree{Reader: s.Counts, Collection: table.Collection(scope, t.ID)}
	if err := f.permit(); err != nil {
		return table.Result{}, err
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
	return f.result()
}

// search is one running query.
type search struct {
	Finder
	scope  tenant.Scope
	table  keyed
	q      table.Query
	where  query.Predicate
	all    bool // where has no condition
	order  query.Order
	after  *position // from the cursor; the page has only rows after it
	limits Limits
	tree   count.Tree
	plans  []Plan // abandoned plans, then the plan of the page

	pageState
	total int // counted separately from the matches; -1 = not counted

	until  time.Time // deadline of the search; zero = none
	failed error     // set once the deadline has passed
	// affords is true if the number of rows is known to be within the budget.
	affords bool

	mu      sync.Mutex
	scanned int
	tried   int // the part of scanned that belongs to estimates and abandoned plans
}

// run makes plans until one completes the page.
func (f *search) run(ctx context.Context) error {
	e, err := f.estimate(ctx)
	if err != nil {
		return err
	}

	// An abandoned plan has shown that an estimate was wrong; the next plan uses the new estimate.
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
		f.tried = f.scanned // abandoned plans are free: otherwise adding an index could make a query exceed the budget
	}
}

// probe is the maximum number of entries counted per condition to choose between several indexes.
const probe = 256

// estimate counts the entries of each condition, up to probe. It does so only if several indexes can be used.
func (f *search) estimate(ctx context.Context) (estimates, error) {
	e := estimates{Limits: f.limits, entries: map[string]int{}}
	c := f.table.conditions(f.where)
	indexed := c.indexed
	if c.readers != nil {
		indexed = append(indexed, *c.readers)
	}
	if len(indexed) < 2 || c.none || c.listed {
		return e, nil
	}

	counts := make([]int, len(indexed))
	g, ctx := errgroup.WithContext(ctx)
	for i, on := range indexed {
		g.Go(func() (err error) {
			counts[i], err = f.walker(on, false).count(ctx, min(probe, f.limits.Few))
			return err
		})
	}
	err := g.Wait()
	for i, on := range indexed {
		e.entries[on.column.Name] = counts[i]
	}
	f.tried = f.scanned
	return e, err
}

// answerTime is the part of the request's time reserved for work after the search and for a read still in progress.
const answerTime = 2 * time.Second

// spend adds n keys read to the budget. It returns errs.Invalid if the query exceeds its budget or deadline.
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

// affordable returns errs.Invalid for a scan of the whole table if its total exceeds the budget. A scan within the
// budget is not stopped later, because overlapping reads may count a row twice.
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

// tooMuch returns the errs.Invalid of a refused query, with the change that would make it cheap enough.
func (f *search) tooMuch(why string) error {
	help := "narrow it by created_at"
	if name := f.wouldHelp(); name != "" {
		help = fmt.Sprintf("an index on field %q would help", name)
	}
	return errs.Invalid("the query %s: %s", why, help)
}

// wouldHelp returns a column whose index would make the query cheaper, or "".
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
