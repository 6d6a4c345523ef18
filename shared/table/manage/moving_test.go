package manage_test

import (
	"context"
	"fmt"
	"testing"

	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
)

// busy is a store that calls a function between two reads. It reads two entries at a time.
type busy struct {
	table.RowStore
	afterEntries, beforeRows func() // each is called once
}

func happen(do *func()) {
	if f := *do; f != nil {
		*do = nil
		f()
	}
}

func (b *busy) ScanIndex(
	ctx context.Context, scope tenant.Scope, t table.Table, index string, scan table.IndexScan,
) (table.IndexStep, error) {
	if !scan.CountOnly {
		defer happen(&b.afterEntries)
		scan.Limit = min(max(scan.Limit, 1), 2)
	}
	return b.RowStore.ScanIndex(ctx, scope, t, index, scan)
}

func (b *busy) ReadRows(
	ctx context.Context, scope tenant.Scope, t table.Table, ids []table.RowID,
) (map[table.RowID]table.Row, error) {
	happen(&b.beforeRows)
	return b.RowStore.ReadRows(ctx, scope, t, ids)
}

// TestListsMovedRowsOnce checks that a row is listed once if its indexed value changes between two reads of the
// index, so that both reads return an entry.
func TestListsMovedRowsOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		order   string
		row, to int
	}{{"", 0, 9}, {"note", 0, 9}, {"n", 0, 9}, {"-n", 5, 0}, {"n,-note", 0, 9}} {
		s, in, rows, b := sixRows(t)
		move := mover(t, *s, in, rows)
		b.afterEntries = func() { move(c.row, c.to) }
		seen := followed(t, s, in, `{"n": {"$gte": 0}}`, c.order, 20)
		for i, row := range rows {
			if n := seen[row.ID]; n != 1 {
				t.Errorf("order %q: row %d is there %d times", c.order, i, n)
			}
		}
	}
}

// TestCursorStaysWhenTheLastRowMoves checks a page whose last row moves just before it is read: the cursor keeps the
// row's old position, so that no row is left out.
func TestCursorStaysWhenTheLastRowMoves(t *testing.T) {
	t.Parallel()
	for _, order := range []string{"n", "-n", "m", "-m", "m,-note"} {
		s, in, rows, b := sixRows(t)
		move := mover(t, *s, in, rows)
		last, to := 1, 100
		if order[0] == '-' {
			last, to = 4, -100
		}
		b.beforeRows = func() { move(last, to) }
		seen := followed(t, s, in, "", order, 2)
		for i, row := range rows {
			if n := seen[row.ID]; i != last && n != 1 {
				t.Errorf("order %q: row %d is there %d times", order, i, n)
			}
		}
	}
}

// sixRows creates rows with n and m from 1 to 6; n is indexed.
func sixRows(t *testing.T) (*manage.Service, table.Table, []table.Row, *busy) {
	s, _, _ := start(t)
	in := create(
		t, s, "things", column("n", value.Integer, true), column("m", value.Integer, false),
		column("note", value.String, false),
	)
	var drafts []map[string]any
	for i := range 6 {
		drafts = append(drafts, map[string]any{"n": i + 1, "m": i + 1})
	}
	rows := insert(t, s, in, drafts...)
	b := &busy{RowStore: s.Rows}
	s.Rows = b
	return s, in, rows, b
}

// mover returns a function that changes n and m of a row, as another program would.
func mover(t *testing.T, s manage.Service, in table.Table, rows []table.Row) func(i, to int) {
	s.Rows = s.Rows.(*busy).RowStore
	return func(i, to int) {
		if _, err := s.Update(
			t.Context(), scope, in, rows[i].ID, operations(t, in, fmt.Sprintf(`{"n": %d, "m": %d}`, to, to)), table.Author{},
		); err != nil {
			t.Error(err)
		}
	}
}

// followed reads a list to its end and returns how often each row appeared.
func followed(t *testing.T, s *manage.Service, in table.Table, where, order string, limit int) map[table.RowID]int {
	t.Helper()
	w, err := in.Grammar().Where(where)
	if err != nil {
		t.Fatal(err)
	}
	o, err := in.Grammar().OrderBy(order)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[table.RowID]int{}
	for q := (table.Query{Where: w, Order: o, Page: page.Request{Limit: limit}}); ; {
		got, err := s.Find(t.Context(), scope, in, q)
		if err != nil {
			t.Fatalf("order %q: %v", order, err)
		}
		for _, row := range got.Objects {
			seen[row.ID]++
		}
		if q.Page.After = got.Next; got.Next == "" {
			return seen
		}
	}
}
