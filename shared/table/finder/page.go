package finder

import (
	"context"
	"slices"
	"strings"

	"minicloud/shared/page"
	"minicloud/shared/table"
)

// pageState is the state of a page while a plan finds its rows.
type pageState struct {
	skip    int         // matching rows to skip
	limit   int         // rows of the page; fewer than requested when they are large
	seen    int         // matches, including rows up to the cursor
	matched int         // matches behind the cursor, including skipped rows
	rows    []table.Row // of the page, and one more when there is one
	bytes   int         // of rows
	more    bool        // there are matches behind the page, even if rows has no extra row
	// ranks are the records by which rows were sorted, for rows that were read
	// again since and may have changed.
	ranks map[table.RowID]map[string]any
}

// restart drops the matches of an abandoned plan.
func (f *search) restart() {
	f.pageState, f.total = pageState{limit: f.q.Page.Limit, skip: f.q.Page.Skip()}, -1
}

// enough is how many matches make the page: one more than its limit tells
// whether there is a next one.
func (f *search) enough() int { return f.skip + f.limit + 1 }

func (f *search) result() table.Result {
	plans := make([]string, len(f.plans))
	for i, p := range f.plans {
		plans[i] = p.String()
	}

	result := table.Result{Scanned: f.scanned, Plan: strings.Join(plans, "; ")}
	result.Total, result.Objects = -1, f.rows
	if len(f.rows) > f.limit {
		result.Objects = f.rows[:f.limit]
	}
	if n := len(result.Objects); n < len(f.rows) || f.more && n > 0 {
		result.Next = f.cursor(result.Objects[n-1])
	}
	if f.q.Total {
		result.Total = max(f.total, f.seen)
	}
	return result
}

// match counts a matching row and returns its record for sorting; ok is false for
// a row that does not match or is before the cursor. After the deadline no row
// matches, checked for each row because a pattern can take long on a large one.
func (f *search) match(row table.Row) (record map[string]any, ok bool) {
	if f.failed == nil {
		f.failed = f.inTime()
	}
	record = f.table.Record(row)
	if f.failed != nil || !f.where.Match(record) {
		return nil, false
	}

	f.seen++
	if f.after != nil && f.order.Compare(record, f.after.record) <= 0 {
		return nil, false
	}
	f.matched++
	return record, true
}

// keep adds a row to the page, and ends the page there when it gets too large for
// an answer.
func (f *search) keep(row table.Row) {
	f.rows = append(f.rows, row)
	if f.bytes += f.wireSize(row); f.bytes > page.MaxBytes {
		f.limit = min(f.limit, max(len(f.rows)-1, 1))
	}
}

// wireSize returns an upper bound of the JSON of a row in a list, in bytes: columns
// without a value are null there, and views add little.
func (f *search) wireSize(r table.Row) int {
	record := f.table.Record(r)
	sum := page.Wire(record) + 100
	for _, c := range f.table.Columns {
		if _, has := record[c.Name]; !has {
			sum += len(c.Name) + len(`"":false,`)
		}
	}
	return sum
}

// take adds matching rows, given in the order of the list, to the page; it returns
// false when the page is complete.
func (f *search) take(rows []table.Row) bool {
	for _, row := range rows {
		if _, ok := f.match(row); !ok {
			continue
		}
		if f.matched > f.skip && len(f.rows) <= f.limit {
			f.keep(row)
		}
		if f.matched >= f.enough() {
			return false
		}
	}
	return true
}

// sort puts rows into the order of the list.
func (f *search) sort(rows []table.Row) {
	list := make([]ranked, len(rows))
	for i, row := range rows {
		list[i] = ranked{row: row, record: f.table.Record(row)}
	}
	f.rank(list)
	for i := range list {
		rows[i] = list[i].row
	}
}

func (f *search) rank(list []ranked) {
	slices.SortFunc(list, func(a, b ranked) int { return f.order.Compare(a.record, b.record) })
}

// ranked is a match with the record it is sorted by. A large or partly read row is
// read again if it gets on the page.
type ranked struct {
	row    table.Row
	record map[string]any
	again  bool
}

// largeRow is the size, in bytes, above which sorter drops the fields of a row.
const largeRow = 2 << 10

// sorter takes matches in any order and keeps those that can be on the page.
type sorter struct {
	find    *search
	partial bool // rows have only the fields that condition and order need
	best    []ranked
}

func (g *sorter) add(rows []table.Row) {
	f := g.find
	for _, row := range rows {
		record, ok := f.match(row)
		if !ok {
			continue
		}

		r := ranked{row: row, record: record}
		if g.partial || table.Size(row.Fields) > largeRow {
			r.row, r.record, r.again = table.Row{ID: row.ID}, f.sortedBy(record), true
		}
		// Cutting sorts, so it waits until the list has doubled.
		g.best = append(g.best, r)
		if len(g.best) > 2*f.enough()+maxStep {
			g.cut()
		}
	}
}

func (g *sorter) cut() {
	g.find.rank(g.best)
	g.best = g.best[:min(len(g.best), g.find.enough())]
}

// sortedBy returns the fields of the record that the order looks at.
func (f *search) sortedBy(record map[string]any) map[string]any {
	fields := make(map[string]any, len(f.order))
	for _, key := range f.order {
		fields[key.Column.Name] = record[key.Column.Name]
	}
	return fields
}

// againAtOnce is how many rows finish reads at once.
const againAtOnce = 20

// finish puts the page together.
func (g *sorter) finish(ctx context.Context) error {
	g.cut()
	f := g.find
	f.more, f.ranks = f.matched > f.skip+f.limit, map[table.RowID]map[string]any{}

	// Consecutive rows to be read again are read in groups, and only as many as the page still needs: rows that
	// stopped matching since are replaced by the next ones.
	rest := g.best[min(f.skip, len(g.best)):]
	for len(rest) > 0 && len(f.rows) <= f.limit {
		if !rest[0].again {
			f.keep(rest[0].row)
			rest = rest[1:]
			continue
		}

		var ids []table.RowID
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
func (g *sorter) keepAgain(ctx context.Context, ids []table.RowID) error {
	f := g.find
	rows, err := f.readAgain(ctx, ids)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if len(f.rows) <= f.limit && f.where.Match(f.table.Record(row)) {
			f.keep(row)
		}
	}
	return nil
}
