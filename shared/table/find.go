package table

import (
	"context"
	"encoding/json"
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
	f := &finder{service: s, scope: scope, table: t, q: q, order: q.Order, limit: q.Page.Limit, total: -1}
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
	limit   int       // rows of the page; fewer than asked for where they are large
	// countAll: every match has to be seen, there is no shorter way to the total.
	countAll bool
	counters counters

	seen    int   // matches, those up to the cursor included
	matched int   // matches behind the cursor, those skipped included
	rows    []Row // of the page, and one more when there is one
	bytes   int   // of rows
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
	if len(f.rows) > f.limit {
		result.Objects = f.rows[:f.limit]
		result.Next = f.cursor(result.Objects[f.limit-1])
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
func (f *finder) enough() int { return f.skip + f.limit + 1 }

// keep puts a row on the page. When the page gets too large for an answer, it
// ends there.
func (f *finder) keep(row Row) {
	f.rows = append(f.rows, row)
	if f.bytes += f.wireSize(row); f.bytes > maxPageBytes {
		f.limit = min(f.limit, max(len(f.rows)-1, 1))
	}
}

// maxPageBytes bounds the JSON of a page: Lambda answers at most 6 MB.
const maxPageBytes = 5 << 20

// largeRow is from where on the JSON of a row is measured, not estimated: what
// is escaped takes up to six times its size.
const largeRow = 2 << 10

// wireSize is about the JSON of a row, in bytes; columns without a value are
// null there.
func (f *finder) wireSize(r Row) int {
	bare := 300
	for _, c := range f.table.Columns {
		bare += len(c.Name) + len(`"":null,`)
	}
	n := Size(r.Fields)
	if n < largeRow {
		return bare + 2*n
	}
	text, err := json.Marshal(r.Fields)
	if err != nil {
		return bare + n
	}
	return bare + len(text)
}

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
		if f.matched > f.skip && len(f.rows) <= f.limit {
			f.keep(row)
		}
		if f.matched >= f.enough() && !f.countAll {
			return false
		}
	}
	return true
}

// ranked is a match with the record it is sorted by. A large row is not kept
// but read again, if it is on the page.
type ranked struct {
	row    Row
	record map[string]any
	again  bool
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
		if !f.behind(record) {
			continue
		}
		f.matched++
		r := ranked{row: row, record: record}
		if Size(row.Fields) > largeRow {
			r.row, r.record, r.again = Row{ID: row.ID}, f.sortedBy(record), true
		}
		g.best = append(g.best, r)
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
func (g *gather) finish(ctx context.Context) error {
	g.cut()
	f := g.find
	for _, r := range g.best[min(f.skip, len(g.best)):] {
		if len(f.rows) > f.limit {
			break
		}
		if r.again {
			rows, err := f.read(ctx, []RowID{r.row.ID})
			if err != nil {
				return err
			}
			for _, row := range rows {
				f.keep(row)
			}
			continue
		}
		f.keep(r.row)
	}
	return nil
}

// sortedBy returns the fields of the record that the order looks at.
func (f *finder) sortedBy(record map[string]any) map[string]any {
	fields := make(map[string]any, len(f.order))
	for _, key := range f.order {
		fields[key.Column.Name] = record[key.Column.Name]
	}
	return fields
}

// restart forgets matches, after a way that did not lead to the end.
func (f *finder) restart() {
	f.seen, f.matched, f.rows, f.bytes, f.limit = 0, 0, nil, 0, f.q.Page.Limit
}

func (f *finder) note(format string, args ...any) {
	f.plan = append(f.plan, fmt.Sprintf(format, args...))
}
