package manage_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/page"
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

func (o *overtaken) Patch(
	ctx context.Context, scope tenant.Scope, t table.Table, id table.RowID, patch table.Patch,
) (table.Row, error) {
	happen(&o.first)
	return o.RowStore.Patch(ctx, scope, t, id, patch)
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

// TestBulkWriteLeavesRowsThatCeaseToMatch: another write changes the row between the search and the write of a bulk
// write. The row does not match any more and stays as it is.
func TestBulkWriteLeavesRowsThatCeaseToMatch(t *testing.T) {
	t.Parallel()
	for _, indexed := range []bool{false, true} {
		s, _, _ := start(t)
		in := create(t, s, "things", column("stock", value.Integer, indexed))
		where, err := in.Grammar().Where(`{"stock": {"$gt": 0}}`)
		if err != nil {
			t.Fatal(err)
		}
		q, sell := table.Query{Where: where, Page: page.Request{Limit: 1}}, operations(t, in, `{"stock": {"$incr_by": -1}}`)
		plain := *s
		for name, write := range map[string]func() (table.Bulk, error){
			"update": func() (table.Bulk, error) { return s.UpdateMatching(t.Context(), scope, in, q, sell, table.Origin{}) },
			"delete": func() (table.Bulk, error) { return s.DeleteMatching(t.Context(), scope, in, q, table.Origin{}) },
		} {
			row := insert(t, &plain, in, map[string]any{"stock": 1})[0]
			s.Rows = &overtaken{RowStore: plain.Rows, first: func() {
				if _, err := plain.Update(t.Context(), scope, in, row.ID, sell, table.Author{}); err != nil {
					t.Error(err)
				}
			}}
			bulk, err := write()
			left, read := plain.Read(t.Context(), scope, in, row.ID)
			if err != nil || len(bulk.Outcomes) > 0 || read != nil || left.Fields["stock"] != int64(0) {
				t.Errorf("%s, indexed %v: %+v, %v; left %v, %v", name, indexed, bulk.Outcomes, err, left.Fields, read)
			}
		}
	}
}
