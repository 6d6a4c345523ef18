package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/functions/console/api"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/console"
	"minicloud/shared/console/contents"
	"minicloud/shared/console/promotion"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/dynamo/attemptdb"
	"minicloud/shared/dynamo/claimdb"
	"minicloud/shared/dynamo/consoledb"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/idempotency"
	"minicloud/shared/oauth"
	"minicloud/shared/order"
	"minicloud/shared/secret/password"
	"minicloud/shared/secret/password/passwordtest"
	tablemanage "minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/manage"
)

// movable is a clock that a test sets.
type movable struct {
	mu  sync.Mutex
	now time.Time
}

func (m *movable) clock() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

func (m *movable) move(by time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = m.now.Add(by)
}

// platform is the console program on its own database, with two applications and an account of each role.
type platform struct {
	*testing.T
	http.Handler
	*movable
	time      clock.Clock
	accounts  *console.Service
	apps      *app.Service
	audit     *consoledb.Audit
	functions *cloudfunction.Service
	tables    *tablemanage.Service
	client    *dynamodb.Client
	log       *bytes.Buffer
	shop, bar app.Application
	test      tenant.EnvID // an environment of shop
	dead      *pile        // jobs in the dead-letter queue
}

const secret = "correct horse battery"

func newPlatform(t *testing.T) *platform {
	client := dynamotest.Start(t, "ApplicationsTable", "ConsoleTable", "AuditTable", "IdempotencyTable", "FunctionsTable",
		"TablesTable", "RowsTable", "RowIndexesTable", "CountsTable", "OrdersTable", "TriggersTable", "TriggerLogTable",
		"UsersTable")
	p := &platform{T: t, log: new(bytes.Buffer)}
	p.movable = &movable{now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)}
	p.time = p.clock
	ids := new(id.Source)
	store := &consoledb.Store{Client: client, Table: "ConsoleTable"}
	apps := &appdb.Applications{Client: client, Table: "ApplicationsTable"}
	p.audit = &consoledb.Audit{Client: client, Table: "AuditTable", Accounts: "ConsoleTable"}
	p.apps = &app.Service{Store: apps, IDs: ids, Clock: p.time}
	p.accounts = &console.Service{
		Accounts: store, Sessions: store, Attempts: (*attemptdb.Store)(store), Passwords: passwordtest.New(4), Clock: p.time, IDs: ids,
	}
	counts := &countdb.Store{Client: client, Table: "CountsTable", Clock: p.time}
	code := &functiondb.Functions{Client: client, Table: "FunctionsTable"}
	p.functions = &cloudfunction.Service{Store: code, IDs: ids, Clock: p.time}
	schemas := &rowdb.Tables{Client: client, Name: "TablesTable"}
	rows := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	tables := &tablemanage.Service{Schemas: schemas, Rows: rows, Counts: counts, Clock: p.time, IDs: ids}
	triggers := &triggerdb.Triggers{Client: client, Table: "TriggersTable", Listeners: schemas, Clock: p.time}
	p.client, p.tables = client, tables
	group := &api.Group{
		Accounts: p.accounts, Applications: p.apps, Audit: p.audit, Clock: p.time, InboxURL: "http://inbox.example/",
		Tables: tables,
		Contents: &contents.Checker{
			Functions: p.functions, Triggers: triggers, Tables: tables,
			Orders: &order.Service{Store: &orderdb.Store{Client: client, Table: "OrdersTable", Counts: counts}, Clock: p.time},
		},
		Promotions: &promotion.Service{
			Functions: p.functions, Variables: &cloudfunction.Variables{Functions: p.functions, Store: code}, Tables: tables,
			Groups: &userdb.Groups{Client: client, Table: "UsersTable", Rows: rows}, Clock: p.time, IDs: ids,
			Store: &consoledb.Promotions{Client: client, Table: "ConsoleTable"}, Triggers: &manage.Service{Store: triggers},
		},
	}
	group.Functions = p.functions
	group.Letters, p.dead = letters(p)
	p.Handler = (&httpapi.API{
		Routes: group.Routes(), Sessions: p.accounts, Audit: p.audit, Clock: p.time,
		Consoles:      &console.Verifier{Store: apps, Clock: p.time},
		Authenticator: &oauth.Authenticator{Store: &appdb.Tokens{Client: client, Table: "ApplicationsTable"}, Clock: p.time},
		Replay:        &idempotency.Service{Store: &claimdb.Store{Client: client, Table: "IdempotencyTable"}, Clock: p.time},
		Log:           slog.New(slog.NewJSONHandler(p.log, nil)),
	}).Handler()

	p.shop, p.bar = p.application("shop"), p.application("bar")
	env, err := p.apps.AddEnvironment(t.Context(), p.shop.ID, "test")
	p.test = env
	p.must(err)
	p.account("owner", console.Owner)
	p.account("keeper", console.Owner, p.shop.ID)
	p.account("dev", console.Developer, p.shop.ID)
	p.account("viewer", console.Viewer, p.shop.ID)
	return p
}

func (p *platform) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

func (p *platform) application(name string) app.Application {
	a, _, err := p.apps.Create(p.Context(), name, app.Owner{UserID: 1})
	p.must(err)
	return a
}

// hashed is the hash of secret, which all accounts share: computing one takes 20 ms.
var hashed = sync.OnceValues(func() (password.Hash, error) {
	return passwordtest.New(1).Hash(context.Background(), secret)
})

func (p *platform) account(name string, role console.Role, in ...tenant.AppID) {
	hash, err := hashed()
	p.must(err)
	p.must(p.accounts.Accounts.InsertAccount(p.Context(), console.Account{
		ID: console.AccountID(p.accounts.IDs.New(p.clock())), Email: name + "@example.com", Name: name, Password: hash,
		Role: role, AllApplications: len(in) == 0, Applications: in, CreatedAt: p.clock(), Revision: 1,
	}))
}

// browser is a client that may be signed in.
type browser struct {
	p      *platform
	cookie *http.Cookie
	csrf   string
	header http.Header
}

type reply struct {
	status int
	body   string
	header http.Header
}

func (b *browser) ask(method, path, body string) reply {
	r := httptest.NewRequest(method, "http://127.0.0.1:8080"+path, strings.NewReader(body))
	r.RemoteAddr = "192.0.2.7"
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if b.cookie != nil {
		r.AddCookie(b.cookie)
	}
	if b.csrf != "" {
		r.Header.Set("X-CSRF-Token", b.csrf)
	}
	for name, values := range b.header {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	b.p.ServeHTTP(w, r)
	for _, cookie := range w.Result().Cookies() {
		b.cookie = cookie
		if cookie.MaxAge < 0 {
			b.cookie = nil
		}
	}
	return reply{w.Code, w.Body.String(), w.Header()}
}

// signIn returns a browser that is signed in to an account.
func (p *platform) signIn(name string) *browser {
	p.Helper()
	b := &browser{p: p}
	answer := b.ask("POST", "/console/api/session/", credentials(name, secret))
	if answer.status != http.StatusOK {
		p.Fatalf("sign in as %s: %d %s", name, answer.status, answer.body)
	}
	b.csrf = answer.field(p.T, "csrf_token").(string)
	return b
}

func credentials(name, password string) string {
	return fmt.Sprintf(`{"email":"%s@example.com","password":"%s"}`, name, password)
}

func (r reply) decode(t *testing.T) (object map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), &object); err != nil {
		t.Fatalf("%v in %d %s", err, r.status, r.body)
	}
	return object
}

func (r reply) field(t *testing.T, name string) any {
	t.Helper()
	return r.decode(t)[name]
}

func (b *browser) want(status int, method, path, body string) reply {
	b.p.Helper()
	answer := b.ask(method, path, body)
	if answer.status != status {
		b.p.Errorf("%s %s %s: %d %s, want %d", method, path, body, answer.status, answer.body, status)
	}
	return answer
}
