package api_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"minicloud/functions/table/api"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/id"
	"minicloud/shared/permission"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// TestAhead counts the calls of lists whose scan was begun before their table was known, and reads their results: a scan
// that does not fit is never used.
func TestAhead(t *testing.T) {
	rowScope := tenant.Scope{App: 7, Env: tenant.Production}
	recorder := dynamotest.Record(dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable"))
	rows := &rowdb.Rows{Client: recorder.Client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	ahead := &api.Ahead{RowStore: rows}
	notes := table.Table{ID: 5, Name: "notes", Revision: 1}.WithReaders()
	notes.Readers.Kinds = table.ForNamed
	var ids id.Source
	insert := func(user int64) {
		t.Helper()
		row := &table.Row{ID: notes.FirstRowID(ids.New(time.Now())), Revision: 1, Fields: map[string]any{},
			Perm: table.RowPerm{Read: []string{permission.OfUser(user)}}}
		if err := rows.Write(t.Context(), rowScope, notes, []table.Change{{New: row}})[0]; err != nil {
			t.Fatal(err)
		}
	}
	for user := range int64(4) {
		for range user {
			insert(user)
		}
	}
	own := func(user int64) table.IndexScan {
		entry := permission.OfUser(user)
		return table.IndexScan{From: entry + table.Separator, To: entry + "\x02", Descending: true, Limit: 21}
	}

	// list makes a list of a user in two steps, and does something between them.
	list := func(name string, scope tenant.Scope, in table.Table, query string, user int64, scan table.IndexScan, between func(), found, calls int) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		recorder.Take()
		ctx = ahead.Begin(ctx, scope, "notes", query, user)
		if between != nil {
			between()
		}
		for again := range 2 { // the second scan is a read of its own
			step, err := ahead.ScanIndex(ctx, rowScope, in, table.ReadersIndex, scan)
			if err != nil || len(step.Entries) != found {
				t.Errorf("%s, scan %d: %d entries, %v; want %d", name, again, len(step.Entries), err, found)
			}
		}
		if got := recorder.Take(); len(got) != calls {
			t.Errorf("%s: %v, want %d calls", name, got, calls)
		}
	}
	// await waits until the scan that was begun has been counted: its result is older than what follows.
	await := func() {
		for len(recorder.Take()) == 0 {
			time.Sleep(time.Millisecond)
		}
	}

	list("the first list", rowScope, notes, "", 1, own(1), nil, 1, 2)
	list("the next one", rowScope, notes, "", 1, own(1), nil, 1, 2)
	// The scan itself is the one call before await.
	list("of another user", rowScope, notes, "", 2, own(2), await, 2, 1)
	list("another query", rowScope, notes, "limit=3", 3, own(3), nil, 3, 2)
	list("of a user without rows", rowScope, notes, "", 9, own(9), await, 0, 1)

	// The next scan differs from the one that was begun.
	list("another user's scan", rowScope, notes, "", 1, own(2), await, 2, 2)
	narrow := own(3)
	narrow.Limit = 2
	list("another scan", rowScope, notes, "", 3, narrow, await, 2, 2)
	list("the scan that was learned", rowScope, notes, "", 3, narrow, await, 2, 1)
	list("of another environment", tenant.Scope{App: 7, Env: "test"}, notes, "", 3, own(3), nil, 3, 2)
	other := notes
	other.ID = 6
	list("another table of this name", rowScope, other, "", 3, narrow, await, 0, 2)
	list("the first table", rowScope, notes, "", 3, own(3), await, 3, 2)
	changed := notes
	changed.Revision = 2
	list("a table that has changed since", rowScope, changed, "", 3, own(3), func() { await(); insert(3); recorder.Take() }, 4, 2)
	list("the changed table", rowScope, changed, "", 3, own(3), await, 4, 1)
	long := fmt.Sprintf("%0300d", 1)
	list("a long query", rowScope, notes, long, 3, own(3), nil, 4, 2)
	list("a long query again", rowScope, notes, long, 3, own(3), nil, 4, 2)
}
