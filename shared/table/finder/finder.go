// Package finder executes queries on the rows of a table: exact results, at the lowest cost that the keys allow.
//
//	scanner.go   scans of keys: rows or index entries
//	merge.go     several ranges of the index of readers as one list
//	execute.go   reads the page by the plan; counters.go counts the total
//	page.go      filters, sorts and builds the page
//	cursor.go    position of the next page
//	reader.go    what an end user may see
//
// Package plan chooses the keys. A plan only narrows the search: the whole condition is checked on every row that it reads.
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
	"minicloud/shared/table/plan"
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
	Limits plan.Limits  // zero = measured
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
	s.Budget, s.Limits = cmp.Or(s.Budget, DefaultBudget), cmp.Or(s.Limits, plan.Measured)
	f := &search{Finder: s, scope: scope, table: plan.Table{Table: t}, q: q, order: q.Order}
	f.tree = count.Tree{Reader: s.Counts, Collection: table.Collection(scope, t.ID)}
	if err := f.permit(); err != nil {
		return table.Result{}, err
	}
	if len(f.order) == 0 {
		f.order = f.table.ByID(true)
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
	scope tenant.Scope
	table plan.Table
	q     table.Query
	where query.Predicate
	all   bool // where has no condition
	order query.Order
	after *position // from the cursor; the page has only rows after it
	tree  count.Tree
	plans []plan.Plan // abandoned plans, then the plan of the page

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
		n := plan.Need{Enough: f.enough(), Total: f.q.Total}
		p := f.table.Of(f.where, f.order, n, e)
		f.plans = append(f.plans, p)
		done, err := f.execute(ctx, p)
		if err != nil || done {
			return err
		}

		e.Learn(p)
		if e.Rows, err = f.tree.Total(ctx); err != nil {
			return err
		}
		f.tried = f.scanned // abandoned plans are free: otherwise adding an index could make a query exceed the budget
	}
}

// probe is the maximum number of entries counted per condition to choose between several indexes.
const probe = 256

// estimate counts the entries of each condition, up to probe. It does so only if several indexes can be used.
func (f *search) estimate(ctx context.Context) (plan.Estimates, error) {
	e := plan.Estimates{Limits: f.Limits, Entries: map[string]int{}}
	choice := f.table.Candidates(f.where)
	counts := make([]int, len(choice))
	g, ctx := errgroup.WithContext(ctx)
	for i, on := range choice {
		g.Go(func() (err error) {
			counts[i], err = f.walker(on, false).count(ctx, min(probe, f.Limits.Few))
			return err
		})
	}
	err := g.Wait()
	for i, on := range choice {
		e.Entries[on.Column.Name] = counts[i]
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

	if scanned > f.Budget && !f.affords {
		return f.overBudget()
	}
	return f.inTime()
}

// affordable returns errs.Invalid for a scan of the whole table if its total exceeds the budget. A scan within the
// budget is not stopped later, because overlapping reads may count a row twice.
func (f *search) affordable(ctx context.Context, s plan.Span) error {
	if s != (plan.Span{}) {
		return nil
	}
	total, err := f.tree.Total(ctx)
	if err == nil && total > f.Budget {
		err = f.overBudget()
	}
	f.affords = err == nil
	return err
}

func (f *search) overBudget() error {
	return f.tooMuch(fmt.Sprintf("would look at more than %d rows", f.Budget))
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
	if name := f.table.WouldHelp(f.where, f.order); name != "" {
		help = fmt.Sprintf("an index on field %q would help", name)
	}
	return errs.Invalid("the query %s: %s", why, help)
}
