package consumer_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"minicloud/functions/bulkrunner/consumer"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/bulk"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/bulkdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

var scope = tenant.Scope{App: 7, Env: tenant.Production}

// queue is a fake that records the submitted operations.
type queue struct{ submitted []id.ID }

func (q *queue) Submit(_ context.Context, _ tenant.Scope, operation id.ID, _ time.Duration) error {
	q.submitted = append(q.submitted, operation)
	return nil
}

func TestWork(t *testing.T) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable")
	rows := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	ids, q := new(id.Source), &queue{}
	users := &user.Service{
		Tables: &manage.Service{
			Schemas: &rowdb.Tables{Client: client, Name: "TablesTable"}, Rows: rows,
			Counts: &dynamotest.Counts{Client: client, Table: "RowsTable"}, Clock: clock.System, IDs: ids,
		},
		Bulk: &bulk.Service{
			Store: &bulkdb.Operations{Client: client, Rows: rows}, Queue: q, Grammar: user.Grammar, Clock: clock.System,
			IDs: ids,
		},
	}
	users.Bulk.Tables = users.Tables
	profiles, err := users.Tables.Modify(t.Context(), scope, table.UserProfiles, table.Definition{
		Columns: []table.Column{{Column: value.Column{Name: "level", Type: value.Integer}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1000, 1} {
		users.Tables.Insert(t.Context(), scope, profiles, make([]map[string]any, n), table.Author{})
	}
	accepted, err := users.UpdateMatching(
		t.Context(), scope, user.BulkUpdate{Background: true, Body: []byte(`{"level":1}`)},
	)
	if err != nil || accepted.Operation == 0 {
		t.Fatalf("%+v, %v", accepted, err)
	}
	var log strings.Builder
	group := &consumer.Group{Bulk: users.Bulk, Clock: clock.System, Log: slog.New(slog.NewTextHandler(&log, nil))}
	for _, unreadable := range []string{
		"", "x", `{}`, `{"scope":"7.production"}`, `{"scope":"7.x","operation":1}`,
		`{"scope":"7.production","operation":-1}`,
	} {
		if err := group.Work(t.Context(), []byte(unreadable)); err != nil ||
			!strings.Contains(log.String(), "message dropped") {
			t.Errorf("%q: %v", unreadable, err)
		}
		log.Reset()
	}
	// A message whose operation does not exist yet is retried, but only for a limited time.
	early := ids.New(time.Now())
	if err := group.Work(
		t.Context(), fmt.Appendf(nil, `{"scope":"7.production","operation":%d}`, early),
	); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("unknown operation: %v", err)
	}
	if err := group.Work(t.Context(), []byte(`{"scope":"7.production","operation":1}`)); err != nil ||
		!strings.Contains(log.String(), "was not accepted") {
		t.Errorf("unknown old operation: %v", err)
	}
	message := fmt.Appendf(nil, `{"scope":"7.production","operation":%d}`, accepted.Operation)
	// This close to the deadline, the call only sends a message for the next call.
	hurried, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := group.Work(hurried, message); err != nil || len(q.submitted) != 2 {
		t.Errorf("%d messages, %v", len(q.submitted), err)
	}
	if err := group.Work(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	if o, err := users.Bulk.Operation(t.Context(), scope, accepted.Operation); err != nil ||
		o.Status != bulk.StatusSuccess || o.Succeeded != 1001 {
		t.Errorf("%+v, %v", o, err)
	}
}
