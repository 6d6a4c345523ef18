package table

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"minicloud/shared/errs"
	"minicloud/shared/page"
	"minicloud/shared/query"
	"minicloud/shared/tenant"
)

// Find answers a query: exactly, with the same order for every caller, and by
// the cheapest way the table's keys and indexes allow. It is an errs.Invalid
// that names the index to add when more than the budget would be looked at.
func (s *Service) Find(ctx context.Context, scope tenant.Scope, t Table, q Query) (Result, error) {
	if err := q.Page.Validate(); err != nil {
		return Result{}, err
	}
	f := &finder{service: s, scope: scope, table: t, q: q, order: q.Order, total: -1}
	f.counters.find = f
	if len(f.order) == 0 {
		f.order = t.byID(true)
	}
	if q.Page.After != "" {
		var err error
		if f.after, err = f.position(ctx, q.Page.After); err != nil {
			return Result{}, err
		}
	} else {
		f.skip = q.Page.Offset
	}
	if err := f.run(ctx, t.conditions(q.Where)); err != nil {
		return Result{}, err
	}
	return f.result(), nil
}

// finder answers one query.
type finder struct {
	service *Service
	scope   tenant.Scope
	table   Table
	q       Query
	order   query.Order
	after   *position // rows up to here are left out
	skip    int       // matching rows to leave out
	// countAll: every match has to be seen, there is no shorter way to the total.
	countAll bool
	counters counters

	seen    int   // matches, those up to the cursor included
	matched int   // matches behind the cursor, those skipped included
	rows    []Row // of the page, and one more when there is one
	total   int   // -1 = not known
	plan    []string

	mu      sync.Mutex
	scanned int
}

func (f *finder) store() RowStore { return f.service.Rows }

func (f *finder) tuning() tuning {
	if f.service.tuning == (tuning{}) {
		return measured
	}
	return f.service.tuning
}

// scan counts what was looked at against the budget.
func (f *finder) scan(n int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.scanned += n
	if f.scanned > f.service.budget() {
		return f.tooMuch()
	}
	return nil
}

// tooMuch says how the query could be answered within the budget.
func (f *finder) tooMuch() error {
	help := "narrow it by created_at"
	if name := f.wouldHelp(); name != "" {
		help = fmt.Sprintf("an index on field %q would help", name)
	}
	return errs.Invalid("the query would look at more than %d rows: %s", f.service.budget(), help)
}

// wouldHelp names a column that has no index and should.
func (f *finder) wouldHelp() string {
	for _, term := range query.Conjuncts(f.where()) {
		c, own := f.table.Column(term.Column.Name)
		if !own || c.Usable() || !c.Type.Ordered() {
			continue
		}
		if _, _, ok := termSpans(c, term); ok {
			return c.Name
		}
	}
	if c, own := f.table.Column(f.order[0].Column.Name); own && !c.Usable() {
		return c.Name
	}
	return ""
}

func (f *finder) where() query.Predicate {
	if f.q.Where == nil {
		return query.And(nil)
	}
	return f.q.Where
}

func (f *finder) result() Result {
	result := Result{Scanned: f.scanned, Plan: strings.Join(f.plan, ", "), Page: page.Page[Row]{Total: -1, Objects: f.rows}}
	if len(f.rows) > f.q.Page.Limit {
		result.Objects = f.rows[:f.q.Page.Limit]
		result.Next = f.cursor(result.Objects[f.q.Page.Limit-1])
	}
	if f.q.Total {
		result.Total = f.total
		if f.total < 0 {
			result.Total = f.seen
		}
	}
	return result
}

// enough is how many matches make the page: one more than its limit tells
// whether there is a next one.
func (f *finder) enough() int { return f.skip + f.q.Page.Limit + 1 }

// behind reports whether the record comes after the cursor.
func (f *finder) behind(record map[string]any) bool {
	return f.after == nil || f.order.Compare(record, f.after.record) > 0
}

// take looks at rows in the order of the list; it returns false when the page
// is complete and nothing is left to be counted.
func (f *finder) take(rows []Row) bool {
	for _, row := range rows {
		record := f.table.Record(row)
		if !f.where().Match(record) {
			continue
		}
		f.seen++
		if !f.behind(record) {
			continue
		}
		f.matched++
		if f.matched > f.skip && len(f.rows) <= f.q.Page.Limit {
			f.rows = append(f.rows, row)
		}
		if f.matched >= f.enough() && !f.countAll {
			return false
		}
	}
	return true
}

// ranked is a match with the record it is sorted by.
type ranked struct {
	row    Row
	record map[string]any
}

// gather keeps, of matches in any order, those that can be on the page.
type gather struct {
	find *finder
	best []ranked
}

func (g *gather) add(rows []Row) {
	f := g.find
	for _, row := range rows {
		record := f.table.Record(row)
		if !f.where().Match(record) {
			continue
		}
		f.seen++
		if f.behind(record) {
			f.matched++
			g.best = append(g.best, ranked{row, record})
		}
	}
	if len(g.best) > 2*f.enough()+maxStep {
		g.cut()
	}
}

func (g *gather) cut() {
	slices.SortFunc(g.best, func(a, b ranked) int { return g.find.order.Compare(a.record, b.record) })
	g.best = g.best[:min(len(g.best), g.find.enough())]
}

// finish puts the page together.
func (g *gather) finish() {
	g.cut()
	for _, r := range g.best[min(g.find.skip, len(g.best)):] {
		g.find.rows = append(g.find.rows, r.row)
	}
}

// restart forgets matches, after a way that did not lead to the end.
func (f *finder) restart() { f.seen, f.matched, f.rows = 0, 0, nil }

func (f *finder) note(format string, args ...any) {
	f.plan = append(f.plan, fmt.Sprintf(format, args...))
}
