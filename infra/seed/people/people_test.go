package people

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
)

func TestPeopleFitTheirTable(t *testing.T) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable")
	scope, now := tenant.Scope{App: 7, Env: tenant.Production}, time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	rows := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	schemas := &rowdb.Tables{Client: client, Name: "TablesTable"}
	users, err := Prepare(t.Context(), schemas, rows, scope, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range users.Columns {
		if c.Index != nil && !c.Usable() {
			t.Errorf("the index of %s is not ready", c.Name)
		}
	}
	genders := map[any]int{}
	size := 0
	for i := range 1000 {
		person := Person(rand.New(rand.NewPCG(1, uint64(i))), users, id.First(now)+id.ID(i))
		canonical, err := users.Schema().Row(person.Fields)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(person.Fields, canonical); diff != "" {
			t.Fatalf("not canonical:\n%s", diff)
		}
		same := Person(rand.New(rand.NewPCG(1, uint64(i))), users, id.First(now)+id.ID(i))
		if diff := cmp.Diff(person, same); diff != "" {
			t.Fatalf("not the same again:\n%s", diff)
		}
		genders[person.Fields["gender"]]++
		size += table.Size(person.Fields)
	}
	if len(genders) != 3 || size/1000 < 300 || size/1000 > 700 {
		t.Errorf("genders %v, %d bytes each", genders, size/1000)
	}
	again, err := Prepare(t.Context(), schemas, rows, scope, now)
	if err != nil || again.Revision != users.Revision {
		t.Errorf("prepared again: revision %d, %v", again.Revision, err)
	}
}

func TestPeopleNeedEmptyApplication(t *testing.T) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable")
	scope, now := tenant.Scope{App: 7, Env: tenant.Production}, time.Now()
	rows := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	schemas := &rowdb.Tables{Client: client, Name: "TablesTable"}
	tables := &manage.Service{Schemas: schemas, Rows: rows, Clock: time.Now, IDs: new(id.Source)}
	users, err := tables.Table(t.Context(), scope, table.UserProfiles)
	if err != nil {
		t.Fatal(err)
	}
	if o := tables.Insert(t.Context(), scope, users, []map[string]any{{}}, table.Author{}); o[0].Err != nil {
		t.Fatal(o[0].Err)
	}
	if _, err := Prepare(t.Context(), schemas, rows, scope, now); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("%v, want a refusal", err)
	}
}
