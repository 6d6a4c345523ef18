package rowdb_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/table/shard"
	"minicloud/shared/tenant"
)

// TestPrefetch counts the calls by which a table is read after the call that authenticates the request. What a process
// remembers of a name may be old: it gives one call more, never another table.
func TestPrefetch(t *testing.T) {
	recorder := dynamotest.Record(dynamotest.Start(t, "TablesTable", "RowsTable"))
	s := &rowdb.Tables{Client: recorder.Client, Name: "TablesTable"}
	scope, other := tenant.Scope{App: 1, Env: tenant.Production}, tenant.Scope{App: 2, Env: tenant.Production}
	ctx := t.Context()
	create := func(scope tenant.Scope, id table.ID, name string) table.Table {
		made := table.Table{ID: id, Name: name, Revision: 1}
		if err := s.InsertTable(ctx, scope, made); err != nil {
			t.Fatal(err)
		}
		return made
	}
	things := create(scope, 100, "things")
	create(other, 200, "things")

	// authenticated returns the context of a request whose caller has been authenticated.
	authenticated := func(idOrName string) context.Context {
		ctx := s.Prefetch(ctx, scope, idOrName, "")
		if _, err := dynamo.BatchGetPrefetch(ctx, recorder.Client, "RowsTable", dynamo.Key("caller", "token")); err != nil {
			t.Fatal(err)
		}
		recorder.Take()
		return ctx
	}
	read := func(idOrName string, want table.ID, calls ...string) {
		t.Helper()
		ctx := authenticated(idOrName)
		id, err := table.ParseID(idOrName)
		var found table.Table
		if err == nil {
			found, err = s.Table(ctx, scope, id)
		} else {
			found, err = s.TableByName(ctx, scope, idOrName)
		}
		if want == 0 && !errs.Is(err, errs.KindNotFound) || want != 0 && (err != nil || found.ID != want) {
			t.Errorf("%s is table %d, %v; want %d", idOrName, found.ID, err, want)
		}
		if diff := cmp.Diff(calls, recorder.Take()); diff != "" {
			t.Errorf("calls of reading %s:\n%s", idOrName, diff)
		}
	}

	read("100", 100)
	read("101", 0)
	read("nothing", 0)
	read("things", 100, "GetItem") // its id is not known yet
	read("things", 100)

	if found, err := s.TableByName(authenticated("things"), other, "things"); err != nil || found.ID != 200 {
		t.Errorf("the other application's table is %d, %v", found.ID, err)
	}

	renamed := things
	renamed.Name, renamed.Revision = "objects", 2
	if err := s.ReplaceTable(ctx, scope, things, renamed); err != nil {
		t.Fatal(err)
	}
	read("things", 0)
	create(scope, 101, "things")
	read("things", 101, "GetItem")
	read("things", 101)
}

// TestPrefetchRow counts the calls by which a row is read after the call that authenticates the request. A row is used
// once, and what a process remembers of the partitions of a table may be old.
func TestPrefetchRow(t *testing.T) {
	recorder := dynamotest.Record(dynamotest.Start(t, "TablesTable", "RowsTable"))
	s := &rowdb.Tables{Client: recorder.Client, Name: "TablesTable", Rows: "RowsTable"}
	rows := &rowdb.Rows{Client: recorder.Client, Table: "RowsTable", Schemas: "TablesTable"}
	scope, ctx := tenant.Scope{App: 1, Env: tenant.Production}, t.Context()
	things := table.Table{ID: 100, Name: "things", Revision: 1}
	sharded := things
	sharded.Epochs, sharded.Revision = shard.Epochs{{Shards: 16}}, 2
	if err := s.InsertTable(ctx, scope, things); err != nil {
		t.Fatal(err)
	}
	const here, there, gone = table.RowID("00000000000001000000000a"), table.RowID("00000000000001000000000b"),
		table.RowID("00000000000001000000000c")
	insert := func(in table.Table, ids ...table.RowID) {
		for _, id := range ids {
			if err := rows.Write(ctx, scope, in, []table.Change{{New: &table.Row{ID: id, Revision: in.Revision}}})[0]; err != nil {
				t.Fatal(err)
			}
		}
	}
	insert(things, here, there)

	// read reads a row twice in a request for the announced one.
	read := func(idOrName string, announced, id table.RowID, revision int64, calls ...string) {
		t.Helper()
		ctx := s.Prefetch(ctx, scope, idOrName, string(announced))
		if _, err := dynamo.BatchGetPrefetch(ctx, recorder.Client, "RowsTable", dynamo.Key("caller", "token")); err != nil {
			t.Fatal(err)
		}
		in, err := s.Table(ctx, scope, 100)
		if idOrName != "100" {
			in, err = s.TableByName(ctx, scope, idOrName)
		}
		if err != nil {
			t.Fatal(err)
		}
		recorder.Take()
		for range 2 {
			found, err := rows.ReadRows(ctx, scope, in, []table.RowID{id})
			if err != nil || found[id].Revision != revision {
				t.Errorf("row %s of %s has revision %d, %v; want %d", id, idOrName, found[id].Revision, err, revision)
			}
		}
		if diff := cmp.Diff(append(calls, "GetItem"), recorder.Take()); diff != "" {
			t.Errorf("calls of reading row %s of %s:\n%s", id, idOrName, diff)
		}
	}

	read("things", here, here, 1, "GetItem") // the table's id is not known yet
	read("things", here, here, 1)
	read("100", there, there, 1)
	read("things", gone, gone, 0)
	read("things", here, there, 1, "GetItem")

	if err := s.ReplaceTable(ctx, scope, things, sharded); err != nil {
		t.Fatal(err)
	}
	insert(sharded, here)
	read("things", here, here, 2, "GetItem") // the partition was guessed from the earlier schema
	read("things", here, here, 2)
}
