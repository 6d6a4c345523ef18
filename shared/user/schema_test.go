package user_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// meanwhile is a RowStore that calls do once, during a scan of a worker.
type meanwhile struct {
	table.RowStore
	do   func()
	done atomic.Bool
}

func (m *meanwhile) ScanRows(
	ctx context.Context, in tenant.Scope, t table.Table, scan table.RowScan,
) (table.RowStep, error) {
	step, err := m.RowStore.ScanRows(ctx, in, t, scan)
	if scan.To != "" && m.done.CompareAndSwap(false, true) {
		m.do()
	}
	return step, err
}

// TestBulkUpdateFillsNewIndex builds an index during a bulk update: rows that the update has already read must get
// their entries as well.
func TestBulkUpdateFillsNewIndex(t *testing.T) {
	p := newPlatform(t)
	p.newCrowd(t, levels)
	operation := p.bulk(t, `{}`, `{"level":{"$incr_by":100000}}`)
	rows := p.Tables.Rows
	p.Tables.Rows = &meanwhile{RowStore: rows, do: func() { p.index(t, rows, "level") }}
	if err := p.Bulk.Work(t.Context(), scope, operation, p.time().Add(100*time.Second)); err != nil {
		t.Fatal(err)
	}
	p.Tables.Rows = rows
	p.finish(t)
	for where, want := range map[string]int{`{"level":{"$gte":100000}}`: few, `{"level":{"$lt":100000}}`: 0} {
		found, err := p.Profiles(t.Context(), scope, user.Query{Where: where, Page: firstPage, Total: true})
		if err != nil || found.Total != want {
			t.Errorf("%s: %d users by %q, want %d (%v)", where, found.Total, found.Plan, want, err)
		}
	}
}

// index adds an index to a custom field and builds it.
func (p *platform) index(t *testing.T, rows table.RowStore, field string) {
	worker := &tableWorker{}
	tables := &manage.Service{
		Schemas: p.Tables.Schemas, Rows: rows, Worker: worker, Clock: p.Tables.Clock, IDs: p.Tables.IDs,
	}
	columns := p.profiles(t).Columns
	for i := range columns {
		columns[i].Indexed = columns[i].Indexed || columns[i].Name == field
	}
	if _, err := tables.Modify(t.Context(), scope, table.UserProfiles, table.Definition{Columns: columns}); err != nil {
		t.Fatal(err)
	}
	for p.pass(61 * time.Second); len(worker.tasks) > 0; worker.tasks = worker.tasks[1:] {
		if err := tables.Work(t.Context(), worker.tasks[0]); err != nil {
			t.Fatal(err)
		}
	}
}

type tableWorker struct{ tasks []table.Task }

func (w *tableWorker) Submit(_ context.Context, task table.Task, _ int) error {
	w.tasks = append(w.tasks, task)
	return nil
}
