package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/functions/trigger/api"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/bulk"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo/bulkdb"
	"minicloud/shared/dynamo/claimdb"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/rundb"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/idempotency"
	"minicloud/shared/language/value"
	"minicloud/shared/message/messaging"
	"minicloud/shared/oauth/oauthtest"
	"minicloud/shared/secret/sealed/sealedtest"
	"minicloud/shared/table"
	tablemanage "minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/draft"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/manage"
	"minicloud/shared/trigger/run"
)

// idle is a worker that drops tasks.
type idle struct{}

func (idle) Submit(context.Context, table.Task, int) error { return nil }

// queue is a fake that records the sent messages.
type queue struct {
	mu   sync.Mutex
	sent []run.Message
}

func (q *queue) Send(_ context.Context, _ time.Duration, all ...run.Message) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sent = append(q.sent, all...)
	return nil
}

var (
	noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	shop = tenant.Scope{App: 7, Env: tenant.Production}
)

type platform struct {
	jobs     *jobdb.Store
	settings *messaging.Settings
	http.Handler
	*testing.T
	client   *dynamodb.Client
	recorder *dynamotest.Recorder // records the calls of client
	now      time.Time            // set by tests
	service  *manage.Service
	triggers *triggerdb.Triggers
	runs     *rundb.Runs
	queue    *queue
	book     table.Table
	bulk     *bulk.Service
	ranges   *ranges
	tables   *tablemanage.Service
}

// ranges is a fake queue that records the operations to continue in the background.
type ranges struct{ waiting []id.ID }

func (r *ranges) Submit(_ context.Context, _ tenant.Scope, operation id.ID, _ time.Duration) error {
	r.waiting = append(r.waiting, operation)
	return nil
}

// background executes the operations in the queue until none is left.
func (p *platform) background() {
	p.Helper()
	for ; len(p.ranges.waiting) > 0; p.ranges.waiting = p.ranges.waiting[1:] {
		if err := p.bulk.Work(p.Context(), shop, p.ranges.waiting[0], p.now.Add(time.Minute)); err != nil {
			p.Fatal(err)
		}
	}
}

func newPlatform(t *testing.T) *platform {
	recorder := dynamotest.Record(dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable", "IdempotencyTable", "TriggersTable",
		"TriggerLogTable", "JobsTable", "FunctionsTable", "UsersTable", "OrdersTable", "SettingsTable"))
	client, ids := recorder.Client, new(id.Source)
	rows := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	p := &platform{
		T: t, client: client, recorder: recorder, now: noon, queue: &queue{}, runs: &rundb.Runs{Client: client, Table: "TriggerLogTable"},
		triggers: &triggerdb.Triggers{Client: client, Table: "TriggersTable",
			Listeners: &rowdb.Tables{Client: client, Name: "TablesTable"}},
	}
	p.jobs = &jobdb.Store{Client: client, Table: "JobsTable"}
	p.triggers.Clock = func() time.Time { return p.now }
	now := clock.Clock(func() time.Time { return p.now })
	tables := &tablemanage.Service{
		Schemas: &rowdb.Tables{Client: client, Name: "TablesTable"}, Rows: rows,
		Counts: &dynamotest.Counts{Client: client, Table: "RowsTable"}, Worker: idle{}, Clock: now, IDs: ids,
	}
	p.ranges = &ranges{}
	p.bulk = &bulk.Service{
		Store: &bulkdb.Operations{Client: client, Rows: rows}, Queue: p.ranges, Clock: now,
		Others: &manage.Replayer{Runs: p.runs, Queue: p.queue},
	}
	p.settings = &messaging.Settings{
		MailStore: &settingdb.Messages[messaging.Mail]{Client: client, Table: "SettingsTable", Kind: "mail"},
		SMSStore:  &settingdb.Messages[messaging.SMS]{Client: client, Table: "SettingsTable", Kind: "sms"}, Clock: now,
		VendorStores: settingdb.Vendors(client, "SettingsTable"), Sealer: sealedtest.Sealer{},
	}
	names := &manage.Names{
		Settings: p.settings, Tables: tables, Groups: &userdb.Groups{Client: client, Table: "UsersTable", Rows: rows},
		Functions: &cloudfunction.Service{Store: &functiondb.Functions{Client: client, Table: "FunctionsTable"}},
	}
	p.service = &manage.Service{
		Store: p.triggers, Checker: &draft.Checker{Names: names},
		Tables: tables, Sealer: sealedtest.Sealer{}, Clock: now, IDs: ids,
		Runs: p.runs, Evaluations: p.runs, Hooks: p.triggers, Queue: p.queue,
		Orders:     &orderdb.Store{Client: client, Table: "OrdersTable"},
		Background: p.ranges, Jobs: p.jobs,
		ReplayEffects: &action.ReplayEffects{
			Marks: &bulkdb.Marks{Client: client, Rows: rows}, Jobs: p.jobs,
			Messages: &triggerdb.Claims{Client: client, Table: "TriggerLogTable", Clock: now},
		},
		Operations: &bulkdb.Operations{Client: client, Rows: rows},
		Engine:     &engine.Engine{Runs: p.runs, Evaluations: p.runs, Queue: p.queue, Wakes: p.runs, Clock: now},
	}
	group := &api.Group{Triggers: p.service, Clock: now}
	face := &httpapi.API{
		Routes: group.Routes(), Clock: now,
		Authenticator: oauthtest.Tokens{
			"shop": {ID: 7, Name: "shop", Owner: app.Owner{UserID: 70, Nickname: "Ada"}},
			"bank": {ID: 8, Name: "bank", Owner: app.Owner{UserID: 80, Nickname: "Eve"}},
		},
		Replay: &idempotency.Service{Store: &claimdb.Store{Client: client, Table: "IdempotencyTable"}, Clock: now},
	}
	p.Handler, p.tables = face.Handler(), tables
	p.addBooks(tables)
	return p
}

// addBooks creates the table of the triggers in these tests.
func (p *platform) addBooks(tables *tablemanage.Service) {
	p.Helper()
	name := "books"
	book, err := tables.Create(p.Context(), shop, table.Definition{Name: &name, Columns: []table.Column{
		{Column: value.Column{Name: "title", Type: value.String}},
		{Column: value.Column{Name: "pages", Type: value.Integer}},
	}})
	if err != nil {
		p.Fatal(err)
	}
	p.book = book
}

// ask sends a request as the shop and returns the response.
func (p *platform) ask(method, target, body string, header ...string) *httptest.ResponseRecorder {
	p.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer shop")
	r.Header.Set("Content-Type", "application/json")
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

// must sends a request, fails the test if the status differs, and returns the JSON of the response.
func (p *platform) must(status int, method, target, body string, header ...string) map[string]any {
	p.Helper()
	w := p.ask(method, target, body, header...)
	if w.Code != status {
		p.Fatalf("%s %s: %d %s, want %d", method, target, w.Code, w.Body, status)
	}
	var answer map[string]any
	if w.Body.Len() > 0 {
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			p.Fatalf("%s %s: %s", method, target, w.Body)
		}
	}
	return answer
}

// at returns the value at a path of member names and indexes in decoded JSON: "actions", 0, "id".
func at(t *testing.T, v any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, ok := v.(map[string]any)
			if !ok {
				t.Fatalf("%v: no object in %v", path, v)
			}
			v = object[step]
		case int:
			list, ok := v.([]any)
			if !ok || len(list) <= step {
				t.Fatalf("%v: no item %d in %v", path, step, v)
			}
			v = list[step]
		}
	}
	return v
}

// path returns the URL path of a trigger, followed by rest.
func path(t *testing.T, made map[string]any, rest string) string {
	return fmt.Sprintf("%s%.0f/%s", triggers, at(t, made, "id"), rest)
}

const (
	triggers = "/oserve/v3/trigger/"
	hooked   = `{"type":"webhook","settings":{"url":"https://example.com/books","key_overlap_days":2}}`
	bookAdd  = `{"name":"long books","type":"table","condition":{"table":"books","event":"create",
		"rules":[{"field":"pages","operator":">","value":100}]},"actions":[` + hooked + `]}`
)
