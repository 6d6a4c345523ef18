package main

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/infra/seed/people"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// TestFilledTablesAnswerExactly compares what counters and indexes say of
// loaded users with a walk over all of them.
func TestFilledTablesAnswerExactly(t *testing.T) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable")
	scope := tenant.Scope{App: 7, Env: tenant.Production}
	rows := &dynamo.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable"}
	schemas := &dynamo.Tables{Client: client, Name: "TablesTable"}
	now := time.Now()
	users, err := people.Prepare(t.Context(), schemas, rows, scope, now)
	if err != nil {
		t.Fatal(err)
	}
	const n = 1234
	var reported atomic.Int64
	if err := Fill(t.Context(), rows, scope, users, n, now, func(done int) { reported.Store(max(reported.Load(), int64(done))) }); err != nil {
		t.Fatal(err)
	}
	if reported.Load() != n {
		t.Errorf("%d users reported", reported.Load())
	}
	var all []table.Row
	for from := table.RowID(""); ; {
		step, err := rows.ScanRows(t.Context(), scope, users, table.RowScan{From: from})
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, step.Rows...); step.Last == "" {
			break
		}
		from = step.Last + "0"
	}
	levels := map[int64]int{}
	for _, row := range all {
		levels[row.Fields["level"].(int64)]++
		if created := time.Unix(row.CreatedAt(), 0); created.Before(now.Add(-year-time.Minute)) || created.After(now) {
			t.Errorf("a user came at %v", created)
		}
	}
	service := &table.Service{Schemas: schemas, Rows: rows, Clock: clock.System}
	for _, offset := range []int{0, 1, 500, n - 1} {
		got, err := service.Find(t.Context(), scope, users, table.Query{Page: page.Request{Limit: 1, Offset: offset}, Total: true})
		if err != nil || got.Total != n || len(all) != n || len(got.Objects) != 1 || got.Objects[0].ID != all[n-1-offset].ID {
			t.Errorf("offset %d: %d users of %d, %v, want %s", offset, got.Total, len(all), err, all[n-1-offset].ID)
		}
	}
	where, err := users.Grammar().Where(`{"level":3}`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := service.Find(t.Context(), scope, users, table.Query{Where: where, Page: page.Request{Limit: 20}, Total: true})
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
	if lines := strings.Count(out.String(), "\n"); lines != 10 || !strings.Contains(out.String(), "    100 of 100 users") {
		t.Errorf("%d lines: %s", lines, out.String())
	}
}
