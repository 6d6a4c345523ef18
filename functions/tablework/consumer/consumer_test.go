package consumer_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"minicloud/functions/tablework/consumer"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/rundb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/run"
)

var (
	noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	shop = tenant.Scope{App: 7, Env: tenant.Production}
)

// worker is a fake that stores tasks as messages.
type worker struct{ tasks [][]byte }

func (w *worker) Submit(_ context.Context, task table.Task, _ int) error {
	text, err := json.Marshal(task)
	w.tasks = append(w.tasks, text)
	return err
}

// house is a table with a trigger, and the consumer of its tasks.
type house struct {
	*testing.T
	now      time.Time
	worker   *worker
	tables   *manage.Service
	triggers *triggerdb.Triggers
	runs     *rundb.Runs
	group    *consumer.Group
	books    table.Table
	trigger  trigger.Trigger
}

func newHouse(t *testing.T) *house {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable", "TriggersTable", "TriggerLogTable")
	h := &house{T: t, now: noon, worker: new(worker), runs: &rundb.Runs{Client: client, Table: "TriggerLogTable"}}
	schemas := &rowdb.Tables{Client: client, Name: "TablesTable"}
	now := clock.Clock(func() time.Time { return h.now })
	counts := &dynamotest.Counts{Client: client, Table: "RowsTable"}
	h.tables = &manage.Service{
		Schemas: schemas, Counts: counts, Worker: h.worker, Clock: now, IDs: new(id.Source),
		Rows: &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"},
	}
	h.triggers = &triggerdb.Triggers{Client: client, Table: "TriggersTable", Listeners: schemas, Clock: now}
	h.group = &consumer.Group{Tables: h.tables, Log: slog.New(slog.DiscardHandler), Triggers: &engine.Inspector{
		Triggers: h.triggers, Marks: h.triggers, Schemas: h.tables, Runs: h.runs,
	}}

	name := "books"
	books, err := h.tables.Create(t.Context(), shop, table.Definition{Name: &name, Columns: columns("title", "pages")})
	h.must(err)
	h.books = books
	h.trigger = trigger.Trigger{
		ID: 11, Name: "long", Enabled: true, Type: trigger.TypeTable, Revision: 1, Timezone: trigger.DefaultTimezone,
		Tables: map[string]table.ID{"books": books.ID}, Condition: &trigger.TableCondition{
			Table: "books", Event: trigger.Create, Match: trigger.MatchAll,
			Rules: []trigger.Rule{{Field: "pages", Operator: trigger.Greater, Value: 100.0}},
		},
	}
	h.must(h.triggers.Insert(t.Context(), shop, h.trigger, time.Time{}))
	return h
}

func columns(names ...string) (all []table.Column) {
	for _, name := range names {
		all = append(all, table.Column{Column: value.Column{Name: name, Type: value.Integer}})
	}
	return all
}

func (h *house) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// change changes the table a second later and executes the resulting tasks.
func (h *house) change(d table.Definition) {
	h.Helper()
	h.now = h.now.Add(time.Second)
	_, err := h.tables.Modify(h.Context(), shop, h.books.ID, d)
	h.must(err)
	h.work()
}

// work executes all tasks except those of a removed table.
func (h *house) work() {
	h.Helper()
	tasks := h.worker.tasks
	h.worker.tasks = nil
	for _, task := range tasks {
		if strings.Contains(string(task), "changed") {
			h.must(h.group.Work(h.Context(), task))
		}
	}
}

// said returns the messages in the trigger's log, newest first.
func (h *house) said() (all []string) {
	h.Helper()
	runs, err := h.runs.List(h.Context(), shop, 11, run.Filter{}, 100)
	h.must(err)
	for _, r := range runs {
		if r.Status != run.Failed || r.Error.Type != engine.FailedBroken || r.Action != 0 {
			h.Errorf("entry %+v", r)
		}
		all = append(all, r.Error.Message)
	}
	return all
}

// TestLogsBrokenTriggerOnce: once for each change that breaks it; a repair is not logged.
func TestLogsBrokenTriggerOnce(t *testing.T) {
	h := newHouse(t)
	gone := `column "pages" of table books was removed`
	steps := []struct {
		name   string
		change table.Definition
		said   int
		mark   string
	}{
		{"a column that nobody asks for", table.Definition{Remove: []string{"title"}}, 0, ""},
		{"the column is removed", table.Definition{Remove: []string{"pages"}}, 1, gone},
		{"another column comes", table.Definition{Columns: columns("price")}, 1, gone},
		{"the column is back", table.Definition{Columns: columns("pages")}, 1, ""},
		{"it is removed again", table.Definition{Remove: []string{"pages"}}, 2, gone},
	}
	for _, step := range steps {
		h.change(step.change)
		if said := h.said(); len(said) != step.said || step.said > 0 && said[0] != gone {
			t.Errorf("%s: the log says %q", step.name, said)
		}
		found, err := h.triggers.Candidates(t.Context(), shop, h.trigger.IndexKey())
		if err != nil || len(found) != 1 || found[0].Broken != step.mark {
			t.Errorf("%s: marked %+v %v", step.name, found, err)
		}
	}

	h.now = h.now.Add(time.Second)
	h.must(h.tables.DeleteTable(t.Context(), shop, h.books.ID))
	h.work()
	if said := h.said(); len(said) != 3 || said[0] != "table books was removed" {
		t.Errorf("the log says %q", said)
	}
}

// TestChangedTriggerForgetsItsError: changing the trigger deletes its stored error.
func TestChangedTriggerForgetsItsError(t *testing.T) {
	h := newHouse(t)
	h.change(table.Definition{Remove: []string{"pages"}})
	next := h.trigger
	next.Revision = 2
	next.Condition = &trigger.TableCondition{Table: "books", Event: trigger.Create, Match: trigger.MatchAll}
	h.must(h.triggers.Replace(t.Context(), shop, h.trigger, next, time.Time{}))
	// An error found in an older revision does not mark the newer one.
	h.must(h.triggers.MarkBroken(t.Context(), shop, h.trigger, "late"))

	found, err := h.triggers.Candidates(t.Context(), shop, next.IndexKey())
	if err != nil || len(found) != 1 || found[0].Broken != "" || len(h.said()) != 1 {
		t.Errorf("marked %+v %v, said %q", found, err, h.said())
	}
}

// TestSkipsTablesWithoutTriggers: changing such a table creates no task.
func TestSkipsTablesWithoutTriggers(t *testing.T) {
	h := newHouse(t)
	h.must(h.triggers.Delete(t.Context(), shop, h.trigger))
	h.now = h.now.Add(time.Second)
	if _, err := h.tables.Modify(t.Context(), shop, h.books.ID, table.Definition{Remove: []string{"pages"}}); err != nil {
		t.Fatal(err)
	}
	if len(h.worker.tasks) != 0 {
		t.Errorf("tasks %s", h.worker.tasks)
	}
}

func TestDropsUnreadableMessages(t *testing.T) {
	h := newHouse(t)
	h.must(h.group.Work(t.Context(), []byte("x")))
	if err := h.group.Work(t.Context(), []byte(`{"scope":"x","table":1,"changed":5}`)); err == nil {
		t.Error("a scope that is none was taken")
	}
}
