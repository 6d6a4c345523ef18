package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/infra/seed/people"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
)

// database is a new one with the table of users.
type database struct {
	rows  *rowdb.Rows
	users table.Table
	now   time.Time
}

var scope = tenant.Scope{App: 7, Env: tenant.Production}

func start(t testing.TB) database {
	t.Helper()
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable")
	db := database{now: time.Now(), rows: &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}}
	var err error
	schemas := &rowdb.Tables{Client: client, Name: "TablesTable"}
	if db.users, err = people.Prepare(t.Context(), schemas, db.rows, scope, db.now); err != nil {
		t.Fatal(err)
	}
	return db
}

// TestFillContinues interrupts the filling, continues it, and compares the rows with their index.
func TestFillContinues(t *testing.T) {
	db := start(t)
	const n = 2*chunk + 234
	ctx, interrupt := context.WithCancel(t.Context())
	err := Fill(ctx, db.rows, scope, db.users, n, db.now, func(int) { interrupt() })
	if err == nil || !strings.Contains(err.Error(), "500 of 1234") {
		t.Errorf("interrupted: %v", err)
	}
	if have, err := number(t.Context(), db.rows, scope, db.users); err != nil || have != chunk {
		t.Errorf("%d users, %v", have, err)
	}

	reported := 0
	for range 2 { // the second time nothing is missing
		if err := Fill(
			t.Context(), db.rows, scope, db.users, n, db.now, func(users int) { reported = users },
		); err != nil || reported != n {
			t.Fatalf("%d users reported, %v", reported, err)
		}
	}

	openIDs, levels := map[any]bool{}, map[int64]int{}
	for from := table.RowID(""); ; {
		step, err := db.rows.ScanRows(t.Context(), scope, db.users, table.RowScan{From: from})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range step.Rows {
			openIDs[row.Fields["openid"]] = true
			levels[row.Fields["level"].(int64)]++
			if created := time.Unix(row.CreatedAt(), 0); created.Before(db.now.Add(-year-time.Minute)) || created.After(db.now) {
				t.Errorf("a user was created at %v", created)
			}
		}
		if step.Last == "" {
			break
		}
		from = step.Last + "0"
	}
	if len(openIDs) != n {
		t.Errorf("%d different users", len(openIDs))
	}

	service := &manage.Service{Rows: db.rows, Clock: clock.System}
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
