package action_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/bulkdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/finder"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
)

// idle is a fake task queue that drops all tasks.
type idle struct{}

func (idle) Submit(context.Context, table.Task, int) error { return nil }

// platform has a table with a column of each type, and executes table operations on it.
type platform struct {
	*testing.T
	client *dynamotest.Recorder
	mu     sync.Mutex
	now    time.Time
	tables *manage.Service
	doer   *action.TableOperations
	goods  table.Table
}

func newPlatform(t *testing.T) *platform {
	client := dynamotest.Record(dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable", "UsersTable"))
	rows := &rowdb.Rows{Client: client.Client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	p := &platform{T: t, client: client, now: noon}
	now := clock.Clock(p.time)
	p.tables = &manage.Service{
		Schemas: &rowdb.Tables{Client: client.Client, Name: "TablesTable"}, Rows: rows,
		Counts: &dynamotest.Counts{Client: client.Client, Table: "RowsTable"}, Worker: idle{}, Clock: now,
		IDs: new(id.Source),
	}
	p.doer = &action.TableOperations{
		Tables: p.tables, Marks: &bulkdb.Marks{Client: client.Client, Rows: rows}, Profiles: &profiles{}, Clock: now,
	}
	p.goods = p.newTable(shop, "goods",
		value.Column{Name: "name", Type: value.String}, value.Column{Name: "n", Type: value.Integer, Indexed: true},
		value.Column{Name: "price", Type: value.Number}, value.Column{Name: "sold", Type: value.Boolean},
		value.Column{Name: "tags", Type: value.Array, Items: value.String},
		value.Column{Name: "parts", Type: value.Array, Items: value.Object},
		value.Column{Name: "about", Type: value.Object}, value.Column{Name: "born", Type: value.Date},
		value.Column{Name: "owner", Type: value.Pointer}, value.Column{Name: "place", Type: value.Geojson},
		value.Column{Name: "photo", Type: value.File}, value.Column{Name: "stock", Type: value.Integer, Default: int64(5)},
	)
	return p
}

// time returns the time of the clock, which advances by a millisecond per call.
func (p *platform) time() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(time.Millisecond)
	return p.now
}

func (p *platform) newTable(scope tenant.Scope, name string, columns ...value.Column) table.Table {
	p.Helper()
	d := table.Definition{Name: &name}
	for _, c := range columns {
		d.Columns = append(d.Columns, table.Column{Column: c})
	}
	made, err := p.tables.Create(p.Context(), scope, d)
	if err != nil {
		p.Fatal(err)
	}
	return made
}

func (p *platform) insert(scope tenant.Scope, in table.Table, drafts ...map[string]any) (rows []table.Row) {
	p.Helper()
	for some := range slices.Chunk(drafts, 500) {
		for _, o := range p.tables.Insert(p.Context(), scope, in, some, table.Author{UserID: 70}) {
			if o.Err != nil {
				p.Fatal(o.Err)
			}
			rows = append(rows, o.Row)
		}
	}
	return rows
}

// crowd inserts n rows with n = 0, 1, 2 and so on. Afterwards the clock is less than a second before the time in the id
// of the last row.
func (p *platform) crowd(n int) []table.Row {
	p.Helper()
	drafts := make([]map[string]any, n)
	for i := range drafts {
		drafts[i] = map[string]any{"name": fmt.Sprintf("row %d", i), "n": float64(i), "stock": 0.0, "tags": []any{}}
	}
	return p.insert(shop, p.goods, drafts...)
}

// rows returns all rows of the goods, oldest first.
func (p *platform) rows() (all []table.Row) {
	p.Helper()
	q := table.Query{Page: page.Request{Limit: page.MaxLimit}}
	for {
		q.Order, _ = finder.OldestFirst(p.goods, "")
		found, err := p.tables.Find(p.Context(), shop, p.goods, q)
		if err != nil {
			p.Fatal(err)
		}
		all = append(all, found.Objects...)
		if q.Page.After = found.Next; found.Next == "" {
			return all
		}
	}
}

// work returns one attempt at an operation on the goods, triggered by a row.
func (p *platform) work(run string, s *trigger.TableOperationSettings, row map[string]any) action.Work {
	settings := *s // runs that work at once share s
	settings.Table = cmp.Or(s.Table, "goods")
	w := rowWork(trigger.TableOperation, &settings, row)
	w.Run.ID, w.Run.Event.TableName, w.Run.Event.Depth = run, "orders", 2
	w.Trigger.Tables, w.Trigger.CreatedBy = map[string]table.ID{"goods": p.goods.ID}, 70
	w.Attempt = 1
	return w
}

func set(field string, v any) trigger.Assignment {
	return trigger.Assignment{Field: field, Operator: trigger.Assign, Value: v}
}

func creation(assign ...trigger.Assignment) *trigger.TableOperationSettings {
	return &trigger.TableOperationSettings{Operation: trigger.Create, Assign: assign}
}

func increment(where map[string]any) *trigger.TableOperationSettings {
	return &trigger.TableOperationSettings{Operation: trigger.Update, Where: where, Assign: []trigger.Assignment{
		{Field: "stock", Operator: trigger.IncBy, Value: 1.0},
		{Field: "tags", Operator: trigger.Append, Value: "{{ tag }}"},
	}}
}

var everything = map[string]any{"n": map[string]any{"$gte": 0.0}}

// order is the row of the event in these tests.
var order = map[string]any{
	"id": "5f3e5f3e5f3e5f3e5f3e5f3e", "total": 12.5, "count": 3.0, "title": "ink & paper", "paid": true, "tag": "x",
	"info": map[string]any{"a": map[string]any{"b": "<1>"}}, "empty": nil, "created_by": 12.0,
	"buyer":  map[string]any{"_table": "buyers", "id": "5f3e5f3e5f3e5f3e5f3e5f3f"},
	"photo":  map[string]any{"id": "f1", "name": "a.png", "size": 7.0},
	"labels": []any{"a", "b", "a"}, "at": "2026-11-22T20:00:00+08:00",
	"long": strings.Repeat("x", 400<<10),
	"spot": `{"type":"Point","coordinates":[120,30]}`,
}
