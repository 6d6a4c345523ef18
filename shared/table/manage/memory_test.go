package manage_test

import (
	"context"
	"slices"
	"strings"

	"minicloud/shared/count"
	"minicloud/shared/language/query"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// memory is a fake table.RowStore with counters, over rows that do not change. One read returns few keys, so small
// tables need many reads.
type memory struct {
	table.RowStore
	table   table.Table
	rows    []table.Row              // in ascending id order
	entries map[string][]table.Entry // by index, in key order
	read    int                      // maximum number of keys per read
}

// inMemory returns a memory with the rows of a table.
func inMemory(in table.Table, rows []table.Row, read int) *memory {
	m := &memory{table: in, rows: slices.Clone(rows), entries: map[string][]table.Entry{}, read: read}
	slices.SortFunc(m.rows, func(a, b table.Row) int { return strings.Compare(string(a.ID), string(b.ID)) })
	for _, c := range in.Columns {
		if c.Index == nil {
			continue
		}
		list := make([]table.Entry, len(m.rows))
		for i, row := range m.rows {
			list[i] = c.Entry(row)
		}
		slices.SortFunc(list, func(a, b table.Entry) int { return strings.Compare(a.Key(), b.Key()) })
		m.entries[c.Index.ID] = list
	}
	return m
}

// within returns the items of one read with keys in [from, to), and the key of the last item, or "" at the end.
func within[T any](list []T, key func(T) string, from, to string, descending bool, limit int) (some []T, last string) {
	for _, item := range list {
		if k := key(item); k >= from && (to == "" || k < to) {
			some = append(some, item)
		}
	}
	if descending {
		slices.Reverse(some)
	}
	if len(some) > limit {
		some = some[:limit]
		last = key(some[limit-1])
	}
	return some, last
}

func (m *memory) limit(asked int) int {
	if asked == 0 {
		return m.read
	}
	return min(asked, m.read)
}

func (m *memory) ScanRows(
	_ context.Context, _ tenant.Scope, t table.Table, scan table.RowScan,
) (step table.RowStep, err error) {
	id := func(r table.Row) string { return string(r.ID) }
	some, last := within(m.rows, id, string(scan.From), string(scan.To), scan.Descending, m.limit(scan.Limit))
	step.Scanned, step.Last = len(some), table.RowID(last)
	for _, row := range some {
		if m.passes(t, row, scan.Filter) {
			step.Rows = append(step.Rows, projected(row, scan))
		}
	}
	return step, nil
}

func (m *memory) passes(t table.Table, row table.Row, filter table.Filter) bool {
	for _, part := range filter {
		term, err := query.Grammar{Schema: t.Queryable()}.Term(part.Key, part.Op, part.Operand)
		if err != nil || !term.Match(t.Record(row)) {
			return false
		}
	}
	return true
}

// projected drops all fields that the scan does not request, so a search that uses such a field fails.
func projected(row table.Row, scan table.RowScan) table.Row {
	if scan.Only == nil && !scan.IDsOnly {
		return row
	}
	few := table.Row{ID: row.ID, Fields: map[string]any{}}
	for _, name := range scan.Only {
		if v, ok := row.Fields[name]; ok {
			few.Fields[name] = v
		}
	}
	return few
}

func (m *memory) ScanIndex(
	_ context.Context, _ tenant.Scope, _ table.Table, index string, scan table.IndexScan,
) (step table.IndexStep, err error) {
	step.Entries, step.Last = within(
		m.entries[index], table.Entry.Key, scan.From, scan.To, scan.Descending, m.limit(scan.Limit),
	)
	if step.Count = len(step.Entries); scan.CountOnly {
		step.Entries = nil
	}
	return step, nil
}

func (m *memory) ReadRows(
	_ context.Context, _ tenant.Scope, _ table.Table, ids []table.RowID,
) (map[table.RowID]table.Row, error) {
	found := map[table.RowID]table.Row{}
	for _, row := range m.rows {
		if slices.Contains(ids, row.ID) {
			found[row.ID] = row
		}
	}
	return found, nil
}

func (m *memory) Node(_ context.Context, _ count.Collection, node count.NodeID) ([]count.Node, error) {
	n := count.Node{NodeID: node, Children: map[int]int{}}
	for _, row := range m.rows {
		if at, child := count.NodeOf(row.ID.Number(), node.Level); at == node {
			n.Sum++
			n.Children[child]++
		}
	}
	return []count.Node{n}, nil
}
