package table_test

import (
	"context"
	"testing"

	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/value"
)

// ahead is a store in which somebody else is faster, once.
type ahead struct {
	table.RowStore
	reads int
	first func() // before the first write
}

func (a *ahead) ReadRows(ctx context.Context, scope tenant.Scope, t table.Table, ids []table.RowID) (map[table.RowID]table.Row, error) {
	a.reads++
	return a.RowStore.ReadRows(ctx, scope, t, ids)
}

func (a *ahead) Write(ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change) []error {
	happen(&a.first)
	return a.RowStore.Write(ctx, scope, t, changes)
}

// TestAWriteThatWasOvertaken goes on from the row that it met, without another read;
// and where that row is gone, it says so.
func TestAWriteThatWasOvertaken(t *testing.T) {
	t.Parallel()
	for _, indexed := range []bool{false, true} {
		s, _, _ := start(t)
		in := create(t, s, "things", column("n", value.Integer, indexed), column("list", value.Array, false))
		row := insert(t, s, in, map[string]any{"n": 1})[0]
		plain := *s
		change := operations(t, in, `{"n": {"$incr_by": 1}, "list": {"$append_unique": ["a"]}}`)

		store := &ahead{RowStore: s.Rows, first: func() {
			if _, err := plain.Update(t.Context(), scope, in, row.ID, change, table.Origin{}); err != nil {
				t.Error(err)
			}
		}}
		s.Rows = store
		got, err := s.Update(t.Context(), scope, in, row.ID, change, table.Origin{})
		if err != nil || got.Fields["n"] != int64(3) || store.reads != 1 {
			t.Errorf("indexed %v: %v after %d reads, %v", indexed, got.Fields["n"], store.reads, err)
		}

		store.first = func() {
			if _, err := plain.Delete(t.Context(), scope, in, row.ID, table.Origin{}); err != nil {
				t.Error(err)
			}
		}
		if _, err := s.Update(t.Context(), scope, in, row.ID, change, table.Origin{}); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("indexed %v: a row that went: %v", indexed, err)
		}
	}
}
