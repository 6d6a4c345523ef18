package table_test

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"minicloud/shared/count"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// remembering asks its store everything once: for many queries about rows that
// do not change. The answers are the database's own, but one that has been
// given is given again.
type remembering struct {
	table.RowStore
	mu    sync.Mutex
	known map[string]any
	rows  map[table.RowID]*table.Row // nil = there is none
}

func newRemembering(s table.RowStore) *remembering {
	return &remembering{RowStore: s, known: map[string]any{}, rows: map[table.RowID]*table.Row{}}
}

// once returns the answer to the question named key.
func once[T any](m *remembering, ask func() (T, error), key ...any) (T, error) {
	name := fmt.Sprintf("%#v", key)
	m.mu.Lock()
	known, ok := m.known[name].(T)
	m.mu.Unlock()
	if ok {
		return known, nil
	}
	answer, err := ask()
	if err == nil {
		m.mu.Lock()
		m.known[name] = answer
		m.mu.Unlock()
	}
	return answer, err
}

func (m *remembering) ScanRows(
	ctx context.Context, scope tenant.Scope, t table.Table, scan table.RowScan,
) (table.RowStep, error) {
	step, err := once(
		m, func() (table.RowStep, error) { return m.RowStore.ScanRows(ctx, scope, t, scan) }, "rows", scope, t.ID, scan,
	)
	step.Rows = slices.Clone(step.Rows)
	return step, err
}

func (m *remembering) ScanIndex(
	ctx context.Context, scope tenant.Scope, t table.Table, index string, scan table.IndexScan,
) (table.IndexStep, error) {
	step, err := once(
		m, func() (table.IndexStep, error) { return m.RowStore.ScanIndex(ctx, scope, t, index, scan) }, "index", scope, t.ID,
		index, scan,
	)
	step.Entries = slices.Clone(step.Entries)
	return step, err
}

// ReadRows asks for the rows it does not know yet.
func (m *remembering) ReadRows(
	ctx context.Context, scope tenant.Scope, t table.Table, ids []table.RowID,
) (map[table.RowID]table.Row, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	unknown := slices.DeleteFunc(slices.Clone(ids), func(id table.RowID) bool { _, ok := m.rows[id]; return ok })
	if len(unknown) > 0 {
		read, err := m.RowStore.ReadRows(ctx, scope, t, unknown)
		if err != nil {
			return nil, err
		}
		for _, id := range unknown {
			m.rows[id] = nil
			if row, ok := read[id]; ok {
				m.rows[id] = &row
			}
		}
	}
	found := map[table.RowID]table.Row{}
	for _, id := range ids {
		if row := m.rows[id]; row != nil {
			found[id] = *row
		}
	}
	return found, nil
}

// rememberingCounts is the same for counters.
type rememberingCounts struct {
	count.Reader
	known map[string][]count.Node
}

func (m *rememberingCounts) Top(ctx context.Context, c count.Collection) ([]count.Node, error) {
	return m.Node(ctx, c, count.Root)
}

func (m *rememberingCounts) Node(
	ctx context.Context, c count.Collection, node count.NodeID,
) (nodes []count.Node, err error) {
	key := fmt.Sprint(c, node)
	if nodes, ok := m.known[key]; ok {
		return nodes, nil
	}
	nodes, err = m.Reader.Node(ctx, c, node)
	m.known[key] = nodes
	return nodes, err
}
