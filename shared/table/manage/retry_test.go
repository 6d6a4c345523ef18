package manage_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/retry"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
)

// overtaken is a store in which another writer is faster once.
type overtaken struct {
	table.RowStore
	reads int
	first func() // runs before the first write
}

func (o *overtaken) ReadRows(
	ctx context.Context, scope tenant.Scope, t table.Table, ids []table.RowID,
) (map[table.RowID]table.Row, error) {
	o.reads++
	return o.RowStore.ReadRows(ctx, scope, t, ids)
}

func (o *overtaken) Write(ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change) []error {
	happen(&o.first)
	return o.RowStore.Write(ctx, scope, t, changes)
}

// TestRetriesFromTheStaleRow checks that a write after a conflict uses the row in the error instead of reading it,
// and returns errs.NotFound if that row was deleted.
func TestRetriesFromTheStaleRow(t *testing.T) {
	t.Parallel()
	for _, indexed := range []bool{false, true} {
		s, _, _ := start(t)
		in := create(t, s, "things", column("n", value.Integer, indexed), column("list", value.Array, false))
		row := insert(t, s, in, map[string]any{"n": 1})[0]
		plain := *s
		change := operations(t, in, `{"n": {"$incr_by": 1}, "list": {"$append_unique": ["a"]}}`)

		store := &overtaken{RowStore: s.Rows, first: func() {
			if _, err := plain.Update(t.Context(), scope, in, row.ID, change, table.Author{}); err != nil {
				t.Error(err)
			}
		}}
		s.Rows = store
		got, err := s.Update(t.Context(), scope, in, row.ID, change, table.Author{})
		if err != nil || got.Fields["n"] != int64(3) || store.reads != 1 {
			t.Errorf("indexed %v: %v after %d reads, %v", indexed, got.Fields["n"], store.reads, err)
		}

		store.first = func() {
			if _, err := plain.Delete(t.Context(), scope, in, row.ID, table.Author{}); err != nil {
				t.Error(err)
			}
		}
		if _, err := s.Update(t.Context(), scope, in, row.ID, change, table.Author{}); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("indexed %v: a row that went: %v", indexed, err)
		}
	}
}

// refusing is a store in which every write conflicts.
type refusing struct {
	table.RowStore
	writes int
}

func (r *refusing) ReadRows(
	_ context.Context, _ tenant.Scope, _ table.Table, ids []table.RowID,
) (map[table.RowID]table.Row, error) {
	return map[table.RowID]table.Row{ids[0]: {ID: ids[0]}}, nil
}

func (r *refusing) Write(context.Context, tenant.Scope, table.Table, []table.Change) []error {
	r.writes++
	return []error{errs.Conflict("another request is changing the same row, try again")}
}

// TestStopsRetrying checks that retries stop after the tries of the policy, or when the context ends.
func TestStopsRetrying(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &refusing{}
		s := &manage.Service{Rows: store, Clock: clock.System}

		_, err := s.Delete(t.Context(), scope, table.Table{ID: 5}, "000000000000000000000000", table.Author{})
		if !errs.Is(err, errs.KindConflict) || store.writes != retry.Writes.Tries {
			t.Errorf("%v after %d writes", err, store.writes)
		}

		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err = s.Delete(ctx, scope, table.Table{ID: 5}, "000000000000000000000000", table.Author{})
		if !errs.Is(err, errs.KindTimeout) {
			t.Errorf("%v after the request's time", err)
		}
	})
}
