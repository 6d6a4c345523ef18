package finder

import (
	"context"
	"slices"
	"strings"

	"minicloud/shared/page"
	"minicloud/shared/table"
)

// pageState is the state of a page while a plan reads its rows.
type pageState struct {
	skip    int         // matching rows to skip
	limit   int         // rows of the page; lower than requested if the rows are large
	seen    int         // matches, including rows up to the cursor
	matched int         // matches after the cursor, including skipped rows
	rows    []table.Row // rows of the page, plus one if there is a next page
	bytes   int         // size of rows
	more    bool        // there are matches after the page, even if rows has no extra row
	// ranks holds the records by which rows were sorted, for rows that were read again and may have changed since.
	ranks map[table.RowID]map[string]any
}

// restart discards the matches of an abandoned plan.
func (f *search) restart() {
	f.pageState, f.total = pageState{limit: f.q.Page.Limit, skip: f.q.Page.Skip()}, -1
}

// enough returns the number of matches needed for the page: one more than its limit shows whether there is a next
// page.
func (f *search) enough() int { return f.skip + f.limit + 1 }

func (f *search) result() (result table.Result, err error) {
	plans := make([]string, len(f.plans))
	for i, p := range f.plans {
		plans[i] = p.String()
	}

	result = table.Result{Scanned: f.scanned, Plan: strings.Join(plans, "; ")}
	result.Total, result.Objects = -1, f.rows
	if len(f.rows) > f.limit {
		result.Objects = f.rows[:f.limit]
	}
	if n := len(result.Objects); n < len(f.rows) || f.more && n > 0 {
		result.Next, err = f.cursor(result.Objects[n-1])
	}
	if f.q.Total {
		result.Total = max(f.total, f.seen)
	}
	return result, err
}

// match counts a matching row and returns its record, nil if the query needs none. ok is false if the row does not match
// or is not after the cursor. After the deadline no row matches; match checks the deadline for each row, because a pattern can
// take long on a large row.
func (f *search) match(row table.Row) (record map[string]any, ok bool) {
	if f.failed == nil {
		f.failed = f.inTime()
	}
	if !f.all || f.after != nil {
		record = f.table.Record(row)
	}
	if f.failed != nil || !f.matches(row, record) {
		return nil, false
	}

	f.seen++
	if f.after != nil && f.order.Compare(record, f.after.record) <= 0 {
		return nil, false
	}
	f.matched++
	return record, true
}

// keep adds a row to the page. If the page gets too large for a response, it ends before this row, but has at least
// one row.
func (f *search) keep(row table.Row) {
	f.rows = append(f.rows, row)
	if f.bytes += f.wireSize(row); f.bytes > page.MaxBytes {
		f.limit = min(f.limit, max(len(f.rows)-1, 1))
	}
}

// builtInBytes is more than the built-in columns of a row take in a response, with their second names and without the
// entries of permissions.
const builtInBytes = 400

// wireSize returns an upper bound of a row's JSON size in a list, in bytes. It makes no record, because every row of every
// page is measured.
func (f *search) wireSize(r table.Row) int {
	sum := page.Wire(r.Fields) + builtInBytes
	for _, c := range f.table.Columns { // a column without a value becomes null
		if _, has := r.Fields[c.Name]; !has {
			sum += len(c.Name) + len(`"":null,`)
		}
	}
	for _, entry := range slices.Concat(r.Perm.Read, r.Perm.Write) {
		sum += 2 * (page.Wire(entry) + len(",")) // under both names
	}
	return sum
}

// take adds the matching rows to the page; rows must be in list order. It returns false if the page is complete.
func (f *search) take(rows []table.Row) bool {
	f.rows = slices.Grow(f.rows, min(len(rows), f.limit+1))
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

// sort sorts rows into list order.
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

// ranked is a match with the record used for sorting. If again is set, the row is large or was read partially; it is
// read again if it is on the page.
type ranked struct {
	row    table.Row
	record map[string]any
	again  bool
}

// largeRow is the size in bytes above which sorter drops the fields of a row.
const largeRow = 2 << 10

// sorter collects matches in any order and keeps those that may be on the page.
type sorter struct {
	find    *search
	partial bool // rows have only the fields that the condition and the order need
	best    []ranked
}

func (g *sorter) add(rows []table.Row) {
	f := g.find
	for _, row := range rows {
		record, ok := f.match(row)
		if !ok {
			continue
		}
		if record == nil {
			record = f.table.Record(row)
		}

		r := ranked{row: row, record: record}
		if g.partial || table.Size(row.Fields) > largeRow {
			r.row, r.record, r.again = table.Row{ID: row.ID}, f.sortedBy(record), true
		}
		// Cutting sorts the list, so it waits until the list has doubled.
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

// sortedBy returns the fields of the record that the order uses.
func (f *search) sortedBy(record map[string]any) map[string]any {
	fields := make(map[string]any, len(f.order))
	for _, key := range f.order {
		fields[key.Column.Name] = record[key.Column.Name]
	}
	return fields
}

// againAtOnce is the maximum number of rows that finish reads at once.
const againAtOnce = 20

// finish builds the page from the best matches.
func (g *sorter) finish(ctx context.Context) error {
	g.cut()
	f := g.find
	f.more, f.ranks = f.matched > f.skip+f.limit, map[table.RowID]map[string]any{}

	// Consecutive rows are read again in groups, and only as many as the page still needs: the next rows replace rows
	// that no longer match.
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

// keepAgain reads the rows and keeps those that still match.
func (g *sorter) keepAgain(ctx context.Context, ids []table.RowID) error {
	f := g.find
	rows, err := f.readAgain(ctx, ids)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if len(f.rows) <= f.limit && f.matches(row, f.table.Record(row)) {
			f.keep(row)
		}
	}
	return nil
}
