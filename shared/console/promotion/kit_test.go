package promotion_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/console/promotion"
	"minicloud/shared/dynamo/consoledb"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/rundb"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/language/value"
	"minicloud/shared/message/messaging"
	"minicloud/shared/page"
	"minicloud/shared/secret/sealed/sealedtest"
	"minicloud/shared/table"
	tablemanage "minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/draft"
	"minicloud/shared/trigger/manage"
	"minicloud/shared/trigger/run"
	"minicloud/shared/user"
)

// idle accepts tasks and messages and does nothing.
type idle struct{}

func (idle) Submit(context.Context, table.Task, int) error { return nil }

func (idle) Send(context.Context, time.Duration, ...run.Message) error { return nil }

// dying is a store whose program dies: it fails all writes after the next left ones.
type dying struct {
	promotion.Store
	left      atomic.Int64 // concurrent promotions share the store
	meanwhile func()       // runs before the next write
}

var errDied = errs.Unavailable(1, "died")

func (d *dying) dies() bool {
	if do := d.meanwhile; do != nil {
		d.meanwhile = nil
		do()
	}
	return d.left.Add(-1) < 0
}

func (d *dying) Insert(ctx context.Context, r promotion.Record, before []byte) error {
	if d.dies() {
		return errDied
	}
	return d.Store.Insert(ctx, r, before)
}

func (d *dying) Update(ctx context.Context, r promotion.Record) error {
	if d.dies() {
		return errDied
	}
	return d.Store.Update(ctx, r)
}

// world is an application with two environments.
type world struct {
	*testing.T
	*promotion.Service
	store      *dying
	database   *dynamodb.Client
	variables  *cloudfunction.Variables
	groups     *user.Service
	test, prod promotion.Environment
	now        time.Time
	fault      func() dynamotest.Fault // of the next write, nil = none
}

func (w *world) clock() time.Time { return w.now }

var by = promotion.Author{Name: "Ada", Owner: 7}

func newWorld(t *testing.T) *world {
	return newWorldIn(t, dynamotest.Start(
		t, "ConsoleTable", "FunctionsTable", "TablesTable", "RowsTable", "RowIndexesTable", "CountsTable", "TriggersTable",
		"TriggerLogTable", "UsersTable", "SettingsTable",
	))
}

func newWorldIn(t *testing.T, database *dynamodb.Client) *world {
	w := &world{T: t, database: database, now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)}
	client := dynamotest.Faulty(database, func(operation string) dynamotest.Fault {
		if w.fault == nil || operation == "GetItem" || operation == "BatchGetItem" || operation == "Query" {
			return 0
		}
		return w.fault()
	})
	w.test = promotion.Environment{Scope: tenant.Scope{App: 7, Env: "0123456789abcdef0123"}, Name: "test"}
	w.prod = promotion.Environment{Scope: tenant.Scope{App: 7, Env: tenant.Production}, Name: "production"}

	ids := new(id.Source)
	schemas := &rowdb.Tables{Client: client, Name: "TablesTable"}
	rows := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	tables := &tablemanage.Service{
		Schemas: schemas, Rows: rows, Counts: &dynamotest.Counts{Client: client, Table: "RowsTable"}, Worker: idle{},
		Clock: w.clock, IDs: ids,
	}
	code := &functiondb.Functions{Client: client, Table: "FunctionsTable"}
	functions := &cloudfunction.Service{Store: code, IDs: ids, Clock: w.clock}
	w.variables = &cloudfunction.Variables{Functions: functions, Store: code, Sealer: sealedtest.Sealer{}}
	groups := &userdb.Groups{Client: client, Table: "UsersTable", Rows: rows}
	w.groups = &user.Service{Tables: tables, Groups: groups, Clock: w.clock, IDs: ids}
	names := &manage.Names{Tables: tables, Functions: functions, Groups: groups, Settings: &messaging.Settings{
		SMSStore: &settingdb.Messages[messaging.SMS]{Client: client, Table: "SettingsTable", Kind: "sms"}, Clock: w.clock,
	}}
	w.store = &dying{Store: &consoledb.Promotions{Client: client, Table: "ConsoleTable"}}
	w.store.left.Store(1000)
	w.Service = &promotion.Service{
		Functions: functions, Variables: w.variables, Tables: tables, Groups: groups, Store: w.store, Clock: w.clock, IDs: ids,
		Triggers: &manage.Service{
			Store:   &triggerdb.Triggers{Client: client, Table: "TriggersTable", Listeners: schemas, Clock: w.clock},
			Checker: &draft.Checker{Names: names},
			Tables:  tables, Runs: &rundb.Runs{Client: client, Table: "TriggerLogTable"}, Queue: idle{},
			Sealer: sealedtest.Sealer{}, Clock: w.clock, IDs: ids,
		},
	}
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) function(in promotion.Environment, name, code string) cloudfunction.Function {
	w.Helper()
	f, err := w.Functions.Create(w.Context(), in.Scope, "Ada", cloudfunction.New{Name: name, Code: code, Remark: "r"})
	w.must(err)
	return f
}

func (w *world) save(in promotion.Environment, name, code string) {
	w.Helper()
	_, err := w.Functions.Modify(w.Context(), in.Scope, "Eve", name, cloudfunction.Patch{Code: &code})
	w.must(err)
}

// source returns the code of a function, "" if it does not exist.
func (w *world) source(in promotion.Environment, name string) string {
	w.Helper()
	f, err := w.Functions.Read(w.Context(), in.Scope, name)
	if errs.Is(err, errs.KindNotFound) {
		return ""
	}
	w.must(err)
	text, err := f.Code.Source()
	w.must(err)
	return text
}

// table creates a table with fields such as "title string", "author pointer authors", "tags array string".
func (w *world) table(in promotion.Environment, name string, fields ...string) table.Table {
	w.Helper()
	made, err := w.Tables.Create(w.Context(), in.Scope, table.Definition{Name: &name, Columns: fieldsOf(fields)})
	w.must(err)
	return made
}

func fieldsOf(fields []string) (columns []table.Column) {
	for _, field := range fields {
		parts := append(strings.Fields(field), "")
		column := value.Column{Name: parts[0], Type: value.Type(parts[1])}
		if column.Type == value.Array {
			column.Items = value.Type(parts[2])
		} else {
			column.Target = parts[2]
		}
		columns = append(columns, table.Column{Column: column})
	}
	return columns
}

func (w *world) alter(in promotion.Environment, name string, d table.Definition) {
	w.Helper()
	t, err := w.Tables.Named(w.Context(), in.Scope, name)
	w.must(err)
	_, err = w.Tables.Modify(w.Context(), in.Scope, t.ID, d)
	w.must(err)
}

// fields returns the columns of a table, "-" if it does not exist.
func (w *world) fields(in promotion.Environment, name string) string {
	w.Helper()
	t, err := w.Tables.Named(w.Context(), in.Scope, name)
	if errs.Is(err, errs.KindNotFound) {
		return "-"
	}
	w.must(err)
	var all []string
	for _, c := range t.Columns {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s", c.Name, c.Type, c.Target)))
	}
	return strings.Join(all, ", ")
}

func (w *world) row(in promotion.Environment, name string, values map[string]any) {
	w.Helper()
	t, err := w.Tables.Named(w.Context(), in.Scope, name)
	w.must(err)
	for _, outcome := range w.Tables.Insert(w.Context(), in.Scope, t, []map[string]any{values}, table.Author{UserID: 1}) {
		w.must(outcome.Err)
	}
}

func (w *world) trigger(in promotion.Environment, text string) trigger.Trigger {
	w.Helper()
	given, err := value.Decode("trigger", []byte(text))
	w.must(err)
	made, err := w.Triggers.Create(w.Context(), in.Scope, 7, given.(map[string]any))
	w.must(err)
	return made.Trigger
}

// triggers returns the triggers with this name.
func (w *world) triggers(in promotion.Environment, name string) (all []trigger.Trigger) {
	w.Helper()
	got, err := w.Triggers.Store.Triggers(w.Context(), in.Scope)
	w.must(err)
	for _, t := range got {
		if t.Name == name {
			all = append(all, t)
		}
	}
	return all
}

// paid is a trigger for rows of a table that runs a function and calls a URL.
const paid = `{"name":"paid","type":"table","condition":{"table":%q,"event":"create","rules":[{"field":"title","operator":"=","value":"x"}]},
	"actions":[{"type":"cloud_function","settings":{"function":"pay"}},
		{"type":"webhook","flow":{"ordered":true},"settings":{"url":"https://example.com/hook"}},
		{"type":"table_operation","settings":{"table":%q,"operation":"create","assign":[{"field":"title","value":"{{title}}"}]}}]}`

// shop fills the test environment with a function, a table and a trigger that uses both.
func (w *world) shop() []promotion.Wanted {
	w.Helper()
	w.function(w.test, "pay", "exports.main = () => 1")
	books := w.table(w.test, "books", "title string")
	w.trigger(w.test, fmt.Sprintf(paid, "books", books.ID))
	return wanted("trigger paid", "table books", "function pay")
}

// wanted parses references such as "table books".
func wanted(refs ...string) (all []promotion.Wanted) {
	for _, ref := range refs {
		kind, name, _ := strings.Cut(ref, " ")
		all = append(all, promotion.Wanted{Ref: promotion.Ref{Kind: promotion.Kind(kind), Name: name}})
	}
	return all
}

// compare returns the items of a comparison by "kind name".
func (w *world) compare() map[string]promotion.Item {
	w.Helper()
	got, err := w.Compare(w.Context(), w.test, w.prod, page.Request{Limit: 100})
	w.must(err)
	all := map[string]promotion.Item{}
	for _, item := range got.Objects {
		all[string(item.Kind)+" "+item.Name] = item
	}
	return all
}

// promote promotes items from test to production and expects each step to succeed, or to fail with a text.
func (w *world) promote(items []promotion.Wanted, errors ...string) promotion.Record {
	w.Helper()
	w.now = w.now.Add(time.Second) // a millisecond has few ids: one draw in 4,096 would collide
	r, err := w.Promote(w.Context(), w.test, w.prod, by, items)
	w.must(err)
	w.expect(r, errorOf, errors)
	return r
}

// back reverts a promotion and expects the results in the same way as promote.
func (w *world) back(r promotion.Record, undo promotion.Undo, errors ...string) promotion.Record {
	w.Helper()
	w.now = w.now.Add(time.Second)
	known, err := w.Store.Promotion(w.Context(), r.App, r.ID)
	w.must(err)
	done, err := w.Revert(w.Context(), known, w.prod, by, undo)
	w.must(err)
	w.expect(done, func(s promotion.Step) string { return s.RevertError }, errors)
	return done
}

func errorOf(s promotion.Step) string { return s.Error }

func (w *world) expect(r promotion.Record, errorOf func(promotion.Step) string, errors []string) {
	w.Helper()
	for i, step := range r.Steps {
		want := ""
		if i < len(errors) {
			want = errors[i]
		}
		if got := errorOf(step); (want == "") != (got == "") || !strings.Contains(got, want) {
			w.Errorf("%s: %q, want %q", step.Ref, got, want)
		}
	}
}

// try returns the context of one try of a request with an Idempotency-Key.
func (w *world) try(key string, again bool) context.Context {
	return writetoken.NewContext(w.Context(), &writetoken.Request{At: w.now, Seed: key, Again: again})
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// anyTrigger is a guard that allows every change of a trigger.
func anyTrigger(trigger.Trigger) error { return nil }
