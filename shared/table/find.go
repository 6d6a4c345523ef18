package table

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"minicloud/shared/count"
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
	f.tree = count.Tree{Reader: s.Counts, Collection: Collection(scope, t.ID)}
	if deadline, ok := ctx.Deadline(); ok {
		f.until = deadline.Add(-min(answerTime, time.Until(deadline)/4))
	}
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
	err := f.run(ctx, t.conditions(q.Where))
	if err = cmp.Or(err, f.failed); err != nil {
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
	tree     count.Tree

	seen    int   // matches, those up to the cursor included
	matched int   // matches behind the cursor, those skipped included
	rows    []Row // of the page, and one more when there is one
	bytes   int   // of rows
	more    bool  // there are matches behind the page, whatever rows has
	// ranks are the records by which rows of the page were put there, of those
	// that were read again since and may be others now.
	ranks map[RowID]map[string]any
	total int // -1 = not known
	plan  []string

	until  time.Time // when it is too late for an answer; zero = never
	failed error     // it was
	// affords: the number of rows to be read is known to be within the budget.
	affords bool

	mu      sync.Mutex
	scanned int
	tried   int // of it, on ways that were given up before a scan began
}

// answerTime is left of the request's time for what comes after the search, and
// for the step that is under way.
const answerTime = 2 * time.Second

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
	f.scanned += n
	scanned := f.scanned - f.tried
	f.mu.Unlock()
	if scanned > f.service.budget() && !f.affords {
		return f.overBudget()
	}
	return f.inTime()
}

func (f *finder) overBudget() error {
	return f.tooMuch(fmt.Sprintf("would look at more than %d rows", f.service.budget()))
}

func (f *finder) inTime() error {
	if !f.until.IsZero() && time.Now().After(f.until) {
		return f.tooMuch("takes longer than a request may")
	}
	return nil
}

// tooMuch says how the query could be answered within its bounds.
func (f *finder) tooMuch(why string) error {
	help := "narrow it by created_at"
	if name := f.wouldHelp(); name != "" {
		help = fmt.Sprintf("an index on field %q would help", name)
	}
	return errs.Invalid("the query %s: %s", why, help)
}

// matches reports whether the record meets the condition. When it is too late
// to find out, none does: a pattern can take long on a large row.
func (f *finder) matches(record map[string]any) bool {
	if f.failed == nil {
		f.failed = f.inTime()
	}
	return f.failed == nil && f.where().Match(record)
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
	}
	if n := len(result.Objects); n < len(f.rows) || f.more && n > 0 {
		result.Next = f.cursor(result.Objects[n-1])
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
	if f.bytes += f.wireSize(row); f.bytes > page.MaxBytes {
		f.limit = min(f.limit, max(len(f.rows)-1, 1))
	}
}

// wireSize is the JSON of a row in a list, in bytes, at most. Columns without a
// value are null there; what a view adds is little.
func (f *finder) wireSize(r Row) int {
	record := f.table.Record(r)
	sum := page.Wire(record) + 100
	for _, c := range f.table.Columns {
		if _, has := record[c.Name]; !has {
			sum += len(c.Name) + len(`"":false,`)
		}
	}
	return sum
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
		if !f.matches(record) {
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

// ranked is a match with the record it is sorted by. A row that is large, or of
// which only a part was read, is read again if it is on the page.
type ranked struct {
	row    Row
	record map[string]any
	again  bool
}

// largeRow is from how many bytes on a row that may be on the page is not kept.
const largeRow = 2 << 10

// gather keeps, of matches in any order, those that can be on the page.
type gather struct {
	find    *finder
	partial bool // rows have only what was needed to find them
	best    []ranked
}

func (g *gather) add(rows []Row) {
	f := g.find
	for _, row := range rows {
		record := f.table.Record(row)
		if !f.matches(record) {
			continue
		}
		f.seen++
		if !f.behind(record) {
			continue
		}
		f.matched++
		r := ranked{row: row, record: record}
		if g.partial || Size(row.Fields) > largeRow {
			r.row, r.record, r.again = Row{ID: row.ID}, f.sortedBy(record), true
		}
		g.best = append(g.best, r)
		if len(g.best) > 2*f.enough()+maxStep {
			g.cut()
		}
	}
}

func (g *gather) cut() {
	slices.SortFunc(g.best, func(a, b ranked) int { return g.find.order.Compare(a.record, b.record) })
	g.best = g.best[:min(len(g.best), g.find.enough())]
}

// againAtOnce is how many rows finish reads at once.
const againAtOnce = 20

// finish puts the page together.
func (g *gather) finish(ctx context.Context) error {
	g.cut()
	f := g.find
	f.more, f.ranks = f.matched > f.skip+f.limit, map[RowID]map[string]any{}
	rest := g.best[min(f.skip, len(g.best)):]
	for len(rest) > 0 && len(f.rows) <= f.limit {
		if !rest[0].again {
			f.keep(rest[0].row)
			rest = rest[1:]
			continue
		}
		var ids []RowID
		for len(rest) > 0 && rest[0].again && len(ids) < min(againAtOnce, f.limit+1-len(f.rows)) {
			f.ranks[rest[0].row.ID] = rest[0].record
			ids, rest = append(ids, rest[0].row.ID), rest[1:]
		}
		if err := g.keepAgain(ctx, ids); err != nil {
			return err
		}
	}
	return nil
}

// keepAgain reads rows and keeps those that still match.
func (g *gather) keepAgain(ctx context.Context, ids []RowID) error {
	f := g.find
	rows, err := f.readAgain(ctx, ids)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if len(f.rows) <= f.limit && f.matches(f.table.Record(row)) {
			f.keep(row)
		}
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
	f.seen, f.matched, f.rows, f.bytes, f.limit, f.more = 0, 0, nil, 0, f.q.Page.Limit, false
}

func (f *finder) note(format string, args ...any) {
	f.plan = append(f.plan, fmt.Sprintf(format, args...))
}
