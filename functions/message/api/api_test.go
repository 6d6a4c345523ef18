package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/functions/message/api"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/delivery/safehttp"
	"minicloud/shared/dynamo/attemptdb"
	"minicloud/shared/dynamo/claimdb"
	"minicloud/shared/dynamo/proofdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/rundb"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/idempotency"
	"minicloud/shared/message/allowance"
	"minicloud/shared/message/messaging"
	"minicloud/shared/oauth"
	"minicloud/shared/oauth/oauthtest"
	"minicloud/shared/proof/smscode"
	"minicloud/shared/secret/sealed/sealedtest"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
	"minicloud/shared/trigger/action/send"
	"minicloud/shared/trigger/action/sms"
	"minicloud/shared/trigger/run"
	"minicloud/shared/user"
	"minicloud/shared/user/consent"
	"minicloud/shared/user/phone"
	"minicloud/shared/user/session"
)

// runs is a fake authority with two run tokens: one of the shop and one of the bank.
type runs struct{}

func (runs) VerifyRun(_ context.Context, token string) (oauth.Run, app.Application, error) {
	apps := map[string]app.Application{"shop": {ID: 7, Name: "shop"}, "bank": {ID: 8, Name: "bank"}}
	of, ok := apps[token]
	if !ok {
		return oauth.Run{}, of, errs.Unauthenticated("the run token is wrong")
	}
	run := oauth.Run{Scope: shop, JobID: "5", Root: 5, Trace: trace.Link{ID: "0af7651916cd43dd8448eb211c80319c"}}
	run.Scope.App = of.ID
	return run, of, nil
}

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

// outbox is a fake that records the text messages sent.
type outbox struct{ p *platform }

func (o outbox) Send(_ context.Context, m sms.Message) error {
	o.p.texts = append(o.p.texts, m.Number+" "+m.Text)
	return nil
}

var (
	noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	shop = tenant.Scope{App: 7, Env: tenant.Production}
)

type platform struct {
	http.Handler
	*testing.T
	client *dynamodb.Client
	now    time.Time // tests move it
	runs   *rundb.Runs
	queue  *queue
	tables *manage.Service
	texts  []string // text messages sent

	identities *identities
}

// identities is a fake mail service that keeps the codes it sends.
type identities struct {
	verified map[string]bool
	codes    []string // the bodies of mails with codes
}

func (s *identities) Identity(_ context.Context, name string) (allowance.Identity, error) {
	verified, there := s.verified[name]
	if !there {
		return allowance.Identity{}, errs.NotFound("no %s", name)
	}
	return allowance.Identity{Name: name, Verified: verified}, nil
}

func (s *identities) CreateIdentity(_ context.Context, name string) (allowance.Identity, error) {
	s.verified[name] = false
	return allowance.Identity{Name: name}, nil
}

func (s *identities) DeleteIdentity(_ context.Context, name string) error {
	delete(s.verified, name)
	return nil
}

func (*identities) Admit(context.Context, tenant.AppID, string) error { return nil }

func (s *identities) SendCode(_ context.Context, _, _, body string) error {
	s.codes = append(s.codes, body)
	return nil
}

func newPlatform(t *testing.T) *platform {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable", "IdempotencyTable", "TriggerLogTable",
		"UsersTable", "SettingsTable")
	p := &platform{
		T: t, client: client, now: noon, queue: &queue{}, runs: &rundb.Runs{Client: client, Table: "TriggerLogTable"},
	}
	now := clock.Clock(func() time.Time { return p.now })
	rows := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	p.tables = &manage.Service{
		Schemas: &rowdb.Tables{Client: client, Name: "TablesTable"}, Rows: rows,
		Counts: &dynamotest.Counts{Client: client, Table: "RowsTable"}, Clock: now, IDs: new(id.Source),
	}
	users := &user.Service{Tables: p.tables}
	settings := &messaging.Settings{
		MailStore: &settingdb.Messages[messaging.Mail]{Client: client, Table: "SettingsTable", Kind: "mail"},
		SMSStore:  &settingdb.Messages[messaging.SMS]{Client: client, Table: "SettingsTable", Kind: "sms"}, Clock: now,
		VendorStores: settingdb.Vendors(client, "SettingsTable"), Providers: &settingdb.Providers{Client: client, Table: "SettingsTable"},
		Sealer: sealedtest.Sealer{}, CheckURL: safehttp.New(safehttp.Options{}).Check,
	}

	p.identities = &identities{verified: map[string]bool{}}
	store := &settingdb.Allowances{Client: client, Table: "SettingsTable"}
	counts := &allowance.Allowance{Store: store, Budgets: allowance.Budgets{Mails: 1000, Texts: 100}, Clock: now}
	group := &api.Group{
		Settings: settings,
		Senders:  &allowance.Senders{Allowance: counts, Identities: p.identities},
		FormIDs: &consent.FormIDs{
			Store: &userdb.FormIDs{Client: client, Table: "UsersTable"}, Users: users, Clock: now,
		},
		Tickets: &consent.Tickets{
			Store: &userdb.Tickets{Client: client, Table: "UsersTable"}, Users: users, Clock: now,
		},
		Openings: &consent.Openings{Store: &userdb.Openings{Client: client, Table: "UsersTable"}, Clock: now},
		Messages: &send.Service{
			Settings: settings, Users: users, Groups: &userdb.Groups{Client: client, Table: "UsersTable", Rows: rows},
			Phones: phone.Key, Runs: p.runs, Queue: p.queue, Clock: now,
			Quotas: &triggerdb.Quotas{Client: client, Table: "TriggerLogTable", Clock: now},
		},
		Codes: &smscode.Codes{
			Settings: settings, Sender: &sms.Budgeted{Allowance: counts, Next: outbox{p}}, Users: users, Keys: sealedtest.Sealer{}, Phones: phone.Key, Clock: now,
			Claims: &triggerdb.Claims{Client: client, Table: "TriggerLogTable", Clock: now},
			Store:  &proofdb.Codes{Client: client, Table: "UsersTable"}, Attempts: &attemptdb.Store{Client: client, Table: "UsersTable"},
		},
	}
	face := &httpapi.API{
		Routes: group.Routes(), Clock: now, Runs: runs{},
		Authenticator: oauthtest.Tokens{"shop": {ID: 7, Name: "shop"}, "bank": {ID: 8, Name: "bank"}},
		Replay:        &idempotency.Service{Store: &claimdb.Store{Client: client, Table: "IdempotencyTable"}, Clock: now},
	}
	sessions := &userdb.Sessions{Client: client, Table: "UsersTable", Rows: rows}
	face.Clients, face.EndUsers = shopClients, &session.Verifier{Store: sessions, Clock: now}
	p.Handler = face.Handler()
	return p
}

// ask sends a request as the shop and returns the response.
func (p *platform) ask(method, target, body string, header ...string) *httptest.ResponseRecorder {
	p.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer shop")
	r.Header.Set("Content-Type", "application/json")
	for _, line := range header {
		switch name, value, _ := strings.Cut(line, ": "); {
		case name == "address":
			r.RemoteAddr = value
		case value == "":
			r.Header.Del(name)
		default:
			r.Header.Set(name, value)
		}
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

func decoded(t *testing.T, w *httptest.ResponseRecorder) (answer map[string]any) {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("%v in %s", err, w.Body)
	}
	return answer
}

// forgetAnswers leaves the state of a program that died before it responded.
func (p *platform) forgetAnswers() {
	p.Helper()
	dynamotest.ForgetAnswers(p, p.client, "IdempotencyTable")
}
