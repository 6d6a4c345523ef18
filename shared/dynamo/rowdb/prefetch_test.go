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
		ctx := s.Prefetch(ctx, scope, idOrName)
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
