package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/bulk"
	"minicloud/shared/dynamo/bulkdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/query"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/trace/chain"
)

// The tests of package user cover users; these tests cover other tables.

var scope = tenant.Scope{App: 7, Env: tenant.Production}

// platform is the service on a real database. It records submitted operations.
type platform struct {
	*bulk.Service
	table     table.Table
	mu        sync.Mutex
	now       time.Time
	submitted []id.ID
	delay     time.Duration // of the last submit
	link      chain.Link    // of the last submit
	full      error         // error of the queue
}

func (p *platform) Submit(ctx context.Context, _ tenant.Scope, operation id.ID, delay time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.submitted, p.delay = append(p.submitted, operation), delay
	p.link, _ = chain.Next(ctx, "bulk")
	return p.full
}

func (p *platform) time() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

type nobody struct{}

func (nobody) Submit(context.Context, table.Task, int) error { return nil }

// newPlatform creates a table with rows 0, 1, 2 … and an index on n.
func newPlatform(t *testing.T, rows int, text string) *platform {
	t.Helper()
	p := newPlatformOver(dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable"))
	name := "things"
	var err error
	p.table, err = p.Tables.Create(t.Context(), scope, table.Definition{Name: &name, Columns: []table.Column{
		{Column: value.Column{Name: "n", Type: value.Integer, Indexed: true}},
		{Column: value.Column{Name: "hits", Type: value.Integer}},
		{Column: value.Column{Name: "text", Type: value.String}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	p.insert(t, rows, text)
	p.now = p.now.Add(3 * time.Second)
	return p
}

func newPlatformOver(client *dynamodb.Client) *platform {
	store, ids := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}, new(id.Source)
	p := &platform{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	p.Service = &bulk.Service{
		Tables: &manage.Service{
			Schemas: &rowdb.Tables{Client: client, Name: "TablesTable"}, Rows: store,
			Counts: &dynamotest.Counts{Client: client, Table: "RowsTable"}, Worker: nobody{}, Clock: p.time, IDs: ids,
		},
		Store: &bulkdb.Operations{Client: client, Rows: store}, Queue: p, Grammar: table.Table.Grammar, Clock: p.time,
		IDs: ids,
	}
	return p
}

func (p *platform) insert(t *testing.T, rows int, text string) {
	t.Helper()
	drafts := make([]map[string]any, rows)
	for i := range drafts {
		drafts[i] = map[string]any{"n": i, "hits": 0, "text": text}
	}
	for _, made := range p.Tables.Insert(t.Context(), scope, p.table, drafts, table.Author{}) {
		if made.Err != nil {
			t.Fatal(made.Err)
		}
	}
}

// where returns a query of the rows with the default page.
func (p *platform) where(t *testing.T, text string) table.Query {
	t.Helper()
	where, err := p.table.Grammar().Where(text)
	if err != nil {
		t.Fatal(err)
	}
	return table.Query{Where: where, Page: page.Request{Limit: 20}}
}

// hit returns a change that adds one to hits and moves the index entry.
func (p *platform) hit(t *testing.T) bulk.Change {
	t.Helper()
	operations, err := update.Parse([]byte(`{"hits":{"$incr_by":1},"n":{"$incr_by":1000}}`), p.table.Writable(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return bulk.Change{Operations: operations}
}

// count returns the number of matching rows, by an index or by the counters.
func (p *platform) count(t *testing.T, where string) int {
	t.Helper()
	q := p.where(t, where)
	q.Total = true
	found, err := p.Tables.Find(t.Context(), scope, p.table, q)
	if err != nil {
		t.Fatal(err)
	}
	return found.Total
}

// finish processes submitted operations until none is left.
func (p *platform) finish(t *testing.T) {
	t.Helper()
	for len(p.submitted) > 0 {
		operation := p.submitted[0]
		p.submitted = p.submitted[1:]
		if err := p.Work(t.Context(), scope, operation, p.time().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestChangesAllMatchesInTheRequest(t *testing.T) {
	p := newPlatform(t, 60, "x")
	done, err := p.All(t.Context(), scope, p.table, p.where(t, `{"n":{"$lt":50}}`), p.hit(t))
	if err != nil || done.Operation != 0 || done.Succeeded() != 50 || done.Next != "" {
		t.Fatalf("update: operation %d, %d succeeded, next %q, %v", done.Operation, done.Succeeded(), done.Next, err)
	}
	if got := p.count(t, `{"hits":1,"n":{"$gte":1000}}`); got != 50 {
		t.Errorf("%d rows were changed", got)
	}
	done, err = p.All(t.Context(), scope, p.table, p.where(t, `{"n":{"$gte":1000}}`), bulk.Change{Delete: true})
	if err != nil || done.Operation != 0 || done.Succeeded() != 50 || p.count(t, `{}`) != 10 {
		t.Errorf("delete: %d succeeded, %d left, %v", done.Succeeded(), p.count(t, `{}`), err)
	}
	if len(p.submitted) != 0 {
		t.Errorf("%d operations", len(p.submitted))
	}
}

// TestChangesManyRowsInTheBackground checks that one row more than a request may change makes a background operation,
// and that the request itself changes none.
func TestChangesManyRowsInTheBackground(t *testing.T) {
	p := newPlatform(t, 130, "x")
	p.AtOnce = 100
	done, err := p.All(t.Context(), scope, p.table, p.where(t, `{"n":{"$lt":101}}`), p.hit(t))
	if err != nil || done.Operation == 0 || len(done.Outcomes) != 0 || p.count(t, `{"hits":0}`) != 130 {
		t.Fatalf("update: %+v, %v", done, err)
	}
	o, err := p.Operation(t.Context(), scope, done.Operation)
	if err != nil || o.Total != 101 || o.Table != p.table.ID || !o.Origin.Quiet {
		t.Errorf("%+v, %v", o, err)
	}
	p.finish(t)
	o, err = p.Operation(t.Context(), scope, done.Operation)
	if err != nil || o.Status != bulk.StatusSuccess || o.Succeeded != 101 || o.Failed != 0 ||
		p.count(t, `{"hits":1,"n":{"$gte":1000}}`) != 101 {
		t.Errorf("%+v, %v", o, err)
	}

	done, err = p.All(t.Context(), scope, p.table, p.where(t, `{"n":{"$gte":1000}}`), bulk.Change{Delete: true})
	if err != nil || done.Operation == 0 || p.count(t, `{}`) != 130 {
		t.Fatalf("delete: %+v, %v", done, err)
	}
	p.now = p.now.Add(time.Minute)
	p.insert(t, 5, "late") // rows created later are not changed
	p.finish(t)
	o, err = p.Operation(t.Context(), scope, done.Operation)
	if err != nil || o.Status != bulk.StatusSuccess || o.Succeeded != 101 || o.Failed != 0 {
		t.Errorf("%+v, %v", o, err)
	}
	if all, byIndex := p.count(t, `{}`), p.count(t, `{"n":{"$gte":0}}`); all != 34 || byIndex != 34 ||
		p.count(t, `{"n":{"$gte":1000}}`) != 0 {
		t.Errorf("%d rows by their counters, %d by the index", all, byIndex)
	}
}

// TestChangesFewLargeRowsAtOnce checks that few rows too large for one page are still changed within the request,
// because the response has ids only.
func TestChangesFewLargeRowsAtOnce(t *testing.T) {
	p := newPlatform(t, 32, strings.Repeat("x", 200<<10))
	done, err := p.All(t.Context(), scope, p.table, p.where(t, `{}`), p.hit(t))
	if err != nil || done.Operation != 0 || done.Succeeded() != 32 || len(done.Outcomes) != 32 || done.Next != "" {
		t.Fatalf(
			"operation %d, %d succeeded of %d, next %q, %v", done.Operation, done.Succeeded(), len(done.Outcomes), done.Next,
			err,
		)
	}
	if got := p.count(t, `{"hits":1}`); got != 32 || done.Objects[31].Fields != nil || done.Outcomes[31].Row.Fields != nil {
		t.Errorf("%d were changed once; their values are kept: %v", got, done.Objects[31].Fields)
	}
}

// TestAcceptsWithoutTotalWhenCountingIsTooSlow checks that an operation without an index is accepted without a total.
func TestAcceptsWithoutTotalWhenCountingIsTooSlow(t *testing.T) {
	p := newPlatform(t, 60, "x")
	p.Tables.Budget = 30
	done, err := p.Start(t.Context(), scope, p.table, p.where(t, `{"text":{"$contains":"x"}}`).Where, p.hit(t))
	if err != nil || done.Operation == 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	p.finish(t)
	if o, err := p.Operation(t.Context(), scope, done.Operation); err != nil || o.Total != -1 || o.Succeeded != 60 {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestOperationEndsWithItsTable checks that an operation on a deleted table fails instead of being retried forever.
func TestOperationEndsWithItsTable(t *testing.T) {
	p := newPlatform(t, 3, "x")
	done, err := p.Start(t.Context(), scope, p.table, query.And(nil), p.hit(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Tables.DeleteTable(t.Context(), scope, p.table.ID); err != nil {
		t.Fatal(err)
	}
	p.finish(t)
	want := fmt.Sprintf("table %d not found", p.table.ID)
	if o, err := p.Operation(t.Context(), scope, done.Operation); err != nil || o.Status != bulk.StatusFailed ||
		o.Reason != want {
		t.Errorf("%+v, %v", o, err)
	}
}

// dying is a store that simulates dying workers: some calls fail before they write, others after.
type dying struct {
	bulk.Store
	step int
}

var errDied = errors.New("killed")

func (d *dying) Advance(
	ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change, old, next bulk.Operation,
) (map[int]error, error) {
	d.step++
	if d.step%5 == 2 {
		return nil, errDied
	}
	refused, err := d.Store.Advance(ctx, scope, t, changes, old, next)
	if d.step%5 == 4 {
		return nil, errDied
	}
	return refused, err
}

// TestDeletesEveryRowOnce checks that each row is deleted once although workers die before and after the transaction.
// The deletion first marks rows for the triggers.
func TestDeletesEveryRowOnce(t *testing.T) {
	p := newPlatform(t, 200, "x")
	p.AtOnce = 10
	done, err := p.All(t.Context(), scope, p.table, p.where(t, `{"n":{"$gte":20}}`), bulk.Change{Delete: true})
	if err != nil {
		t.Fatal(err)
	}
	p.Store = &dying{Store: p.Store}
	for range 200 {
		if err := p.Work(t.Context(), scope, done.Operation, p.time().Add(time.Minute)); err == nil {
			break
		} else if !errors.Is(err, errDied) && !errs.Is(err, errs.KindNotFound) {
			t.Fatal(err)
		}
	}
	o, err := p.Operation(t.Context(), scope, done.Operation)
	if err != nil || o.Status != bulk.StatusSuccess || o.Succeeded != 180 || o.Failed != 0 {
		t.Errorf("%+v, %v", o, err)
	}
	if all, byIndex := p.count(t, `{}`), p.count(t, `{"n":{"$gte":0}}`); all != 20 || byIndex != 20 {
		t.Errorf("%d rows by their counters, %d by the index", all, byIndex)
	}
}
