package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/ddb"
	"minicloud/infra/local/dynamotest"
	"minicloud/infra/seed/people"
	"minicloud/shared/clock"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
)

// database is a fresh one with the users of an application, and its file.
type database struct {
	rows  *rowdb.Rows
	count *countdb.Store
	path  string
	users table.Table
	now   time.Time
}

var scope = tenant.Scope{App: 7, Env: tenant.Production}

func start(t testing.TB) database {
	t.Helper()
	db := database{path: filepath.Join(t.TempDir(), "ddb.db"), now: time.Now()}
	server := dynamotest.Serve(t, db.path)
	names := []string{"TablesTable", "RowsTable", "RowIndexesTable", "CountsTable"}
	var tables []ddb.Table
	for _, name := range names {
		tables = append(tables, ddb.PlainTable(name))
	}
	if err := server.CreateTables(t.Context(), tables); err != nil {
		t.Fatal(err)
	}
	client := server.Client()
	db.rows = &rowdb.Rows{Client: client, Table: names[1], Indexes: names[2]}
	db.count = &countdb.Store{Client: client, Table: names[3], Clock: clock.System}
	var err error
	if db.users, err = people.Prepare(
		t.Context(), &rowdb.Tables{Client: client, Name: names[0]}, db.rows, scope, db.now,
	); err != nil {
		t.Fatal(err)
	}
	return db
}

// TestFilledTablesAnswerExactly interrupts the filling, goes on, and compares
// what counters and indexes say with a walk over all users.
func TestFilledTablesAnswerExactly(t *testing.T) {
	db := start(t)
	const n = chunk + 234
	ctx, interrupt := context.WithCancel(t.Context())
	err := Fill(ctx, db.rows, db.count, db.path, scope, db.users, n, db.now, func(users int) {
		if users > chunk {
			interrupt()
		}
	})
	if err == nil || !strings.Contains(err.Error(), "1001 of 1234") {
		t.Errorf("interrupted: %v", err)
	}
	db.recount(t, chunk+1, 0)
	reported := 0
	for range 2 { // the second time there is nothing to do
		if err := Fill(
			t.Context(), db.rows, db.count, db.path, scope, db.users, n, db.now, func(users int) { reported = users },
		); err != nil || reported != n {
			t.Fatalf("%d users reported, %v", reported, err)
		}
	}
	all := db.recount(t, n, chunk+1)
	openIDs, levels := map[any]bool{}, map[int64]int{}
	for _, row := range all {
		openIDs[row.Fields["openid"]] = true
		levels[row.Fields["level"].(int64)]++
		if created := time.Unix(row.CreatedAt(), 0); created.Before(db.now.Add(-year-time.Minute)) || created.After(db.now) {
			t.Errorf("a user came at %v", created)
		}
	}
	if len(openIDs) != n {
		t.Errorf("%d different users", len(openIDs))
	}
	service := &manage.Service{Rows: db.rows, Counts: db.count, Clock: clock.System}
	where, err := db.users.Grammar().Where(`{"level":3}`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := service.Find(
		t.Context(), scope, db.users, table.Query{Where: where, Page: page.Request{Limit: 20}, Total: true},
	)
	if err != nil || got.Total != levels[3] || !strings.Contains(got.Plan, "level") {
		t.Errorf("%d users of level 3 by %s, %v, want %d", got.Total, got.Plan, err, levels[3])
	}
}

// recount walks over all users, of whom there must be n, and compares the
// counters with what it saw, of the lower levels some. User streamed is one that
// the stream's consumer has to count. It returns the users, oldest first.
func (db database) recount(t *testing.T, n, streamed int) []table.Row {
	t.Helper()
	var all []table.Row
	for from := table.RowID(""); ; {
		step, err := db.rows.ScanRows(t.Context(), scope, db.users, table.RowScan{From: from})
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, step.Rows...); step.Last == "" {
			break
		}
		from = step.Last + "0"
	}

	collection := table.Collection(scope, db.users.ID)
	consumer := count.Counter{Store: db.count}
	record := count.Change{
		Sequence: count.Sequence(fmt.Sprint(n)), Collection: collection, ID: all[streamed].ID.Number(), By: 1,
	}
	if _, err := consumer.Count(t.Context(), count.Shard{Stream: "rows", Name: "1"}, []count.Change{record}); err != nil {
		t.Fatal(err)
	}
	tree := count.Tree{Reader: db.count, Collection: collection}
	total, err := tree.Total(t.Context())
	if err != nil || total != n || len(all) != n {
		t.Errorf("the total is %d, %v, the walk finds %d, want %d", total, err, len(all), n)
	}

	want := map[count.NodeID]map[int]int{}
	for i, row := range all {
		for level := range count.Levels {
			if level >= 2 && i%50 > 0 { // they are hours apart, each in nodes of their own
				continue
			}
			node, child := count.NodeOf(row.ID.Number(), level)
			if want[node] == nil {
				want[node] = map[int]int{}
			}
			want[node][child]++
		}
	}
	for id, children := range want {
		got, err := db.count.Node(t.Context(), collection, id)
		if err != nil || len(got) != 1 {
			t.Fatalf("counter %+v: %v, %v", id, got, err)
		}
		if diff := cmp.Diff(children, got[0].Children); diff != "" {
			t.Errorf("counter %+v (-counted +got):\n%s", id, diff)
		}
	}
	return all
}

func TestProgress(t *testing.T) {
	var out strings.Builder
	report := progress(&out, 100)
	for done := range 100 {
		report(done + 1)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 10 ||
		!strings.Contains(out.String(), "    100 of 100 users") {
		t.Errorf("%d lines: %s", lines, out.String())
	}
}
