package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/functions/session/api"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/dynamo/attemptdb"
	"minicloud/shared/dynamo/claimdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/idempotency"
	"minicloud/shared/oauth/oauthtest"
	"minicloud/shared/proof/maillink"
	"minicloud/shared/proof/smscode"
	"minicloud/shared/secret/password/passwordtest"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/login"
	"minicloud/shared/user/phone"
	"minicloud/shared/user/session"
	"minicloud/shared/user/session/sessiontest"
)

const testEnv tenant.EnvID = "0123456789abcdef0123"

// shop and bank are the two applications of these tests; both have the same test environment.
var (
	shop = app.Application{
		ID: 7, Name: "shop", ClientID: "00000000000000000007", Environments: map[tenant.EnvID]string{testEnv: "staging"},
	}
	bank = app.Application{
		ID: 8, Name: "bank", ClientID: "80000000000000000008", Environments: map[tenant.EnvID]string{testEnv: "staging"},
	}
)

// platform is the program's handler on a real database.
type platform struct {
	http.Handler
	logins   *login.Service
	sessions *userdb.Sessions
	vendors  *vendors
	codes    *smscode.Codes
	outbox   outbox
	links    *maillink.Links
	mails    mails
	clients  sessiontest.Clients

	mu  sync.Mutex
	now time.Time
}

func newPlatform(t testing.TB) *platform {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable", "UsersTable", "IdempotencyTable",
		"SettingsTable")
	return platformOn(client)
}

func platformOn(client *dynamodb.Client) *platform {
	p := &platform{
		now:     time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
		clients: sessiontest.Clients{shop.ClientID: shop, bank.ClientID: bank},
	}
	rows := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	ids := new(id.Source)
	p.sessions = &userdb.Sessions{Client: client, Table: "UsersTable", Rows: rows}
	p.logins = &login.Service{
		Users: &user.Service{
			Tables:   &manage.Service{Schemas: &rowdb.Tables{Client: client, Name: "TablesTable"}, Rows: rows, Clock: p.time, IDs: ids},
			Accounts: &userdb.Accounts{Client: client, Table: "UsersTable"}, Passwords: passwordtest.New(4), Phones: phone.Key,
			Groups: &userdb.Groups{Client: client, Table: "UsersTable", Rows: rows}, Clock: p.time, IDs: ids,
		},
		Store: p.sessions, Attempts: &attemptdb.Store{Client: client, Table: "UsersTable"}, Lifetime: session.MaxLifetime,
	}
	p.codes, p.links = p.openCodes(client), p.openLinks(client)
	group := &api.Group{
		Logins: p.logins, Vendors: p.openVendors(client), Codes: &smscode.Logins{Logins: p.logins, Codes: p.codes},
		Links: p.links,
	}
	group.Web = p.openWeb(client)
	p.Handler = (&httpapi.API{
		Routes: group.Routes(), Authenticator: oauthtest.Tokens{"shop": shop, "bank": bank},
		Clients: p.clients, EndUsers: &session.Verifier{Store: p.sessions, Clock: p.time}, Clock: p.time,
		Replay: &idempotency.Service{Store: &claimdb.Store{Client: client, Table: "IdempotencyTable"}, Clock: p.time},
	}).Handler()
	return p
}

func (p *platform) time() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// later moves the clock.
func (p *platform) later(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(d)
}

// answer is the response to a request.
type answer struct {
	status int
	header http.Header
	body   string
}

// member returns a member of the body, nil if there is none.
func (a answer) member(name string) any {
	var body map[string]any
	if json.Unmarshal([]byte(a.body), &body) != nil {
		return nil
	}
	return body[name]
}

func (a answer) text(name string) string {
	text, _ := a.member(name).(string)
	return text
}

// id returns the id of the user in the answer of a login.
func (a answer) id() user.ID {
	n, _ := a.member("id").(float64)
	return user.ID(n)
}

// caller is a client of shop in production, unless header names another.
type caller map[string]string

// with returns the caller with a session token.
func (c caller) with(token string) caller {
	return c.set("Authorization", "Service-r1 "+token)
}

func (c caller) set(name, value string) caller {
	next := caller{name: value}
	for n, v := range c {
		if n != name {
			next[n] = v
		}
	}
	return next
}

// send sends a request "METHOD path".
func (p *platform) send(t testing.TB, from caller, request, body string) answer {
	t.Helper()
	method, path, _ := strings.Cut(request, " ")
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.RemoteAddr = "192.0.2.1"
	r.Header.Set("X-Service-Client-ID", string(shop.ClientID))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range from {
		switch r.Header.Set(name, value); {
		case name == "address":
			r.RemoteAddr = value
		case value == "":
			r.Header.Del(name)
		}
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return answer{w.Code, w.Header(), w.Body.String()}
}

// want sends a request and compares the status.
func (p *platform) want(t testing.TB, from caller, request, body string, status int) answer {
	t.Helper()
	got := p.send(t, from, request, body)
	if got.status != status {
		t.Errorf("%s %.200s: got %d %.500s, want %d", request, body, got.status, got.body, status)
	}
	return got
}

const (
	registerUsername = "POST /hserve/v2.1/register/username/"
	registerEmail    = "POST /hserve/v2.1/register/email/"
	registerPhone    = "POST /hserve/v2.1/register/phone/"
	loginUsername    = "POST /hserve/v2.1/login/username/"
	loginEmail       = "POST /hserve/v2.1/login/email/"
	loginPhone       = "POST /hserve/v2.1/login/phone/"
	loginAnonymous   = "POST /hserve/v2.0/login/anonymous/"
	destroy          = "POST /hserve/v2.0/session/destroy/"

	ada      = `{"username":"Ada","password":"correct horse"}`
	wrongAda = `{"username":"Ada","password":"wrong horse"}`
)

func TestRegistersAndLogsIn(t *testing.T) {
	p := newPlatform(t)
	for _, c := range []struct{ kind, register, login, again, wrong, stored string }{
		{
			"_username", registerUsername, loginUsername, `{"username":"ADA","password":"correct horse"}`,
			`{"username":"ada","password":"x"}`, "Ada",
		},
		{
			"_email", registerEmail, loginEmail, `{"email":"ada@EXAMPLE.com","password":"correct horse"}`,
			`{"email":"ada@example.com","password":"correct  horse"}`, "ada@example.com",
		},
		{
			"_phone", registerPhone, loginPhone, `{"phone":"+86 138 0013 8000","password":"correct horse"}`,
			`{"phone":"13800138000","password":"incorrect"}`, "13800138000",
		},
	} {
		first := strings.NewReplacer("ADA", "Ada", "ada@EXAMPLE", "Ada@example", "+86 138 0013 8000", "138 0013-8000").Replace(c.again)
		made := p.want(t, nil, c.register, first, 201)
		if made.member(c.kind) != c.stored || made.member("_anonymous") != false || made.member("nickname") != nil ||
			made.member("user_id") != made.member("id") || made.member("expires_in") != 2592000.0 {
			t.Errorf("%s: %s", c.register, made.body)
		}
		if token := session.Token(made.text("token")); !token.Valid() {
			t.Errorf("token %q", string(token))
		}
		p.want(t, nil, c.register, c.again, 400)
		found := p.want(t, nil, c.login, c.again, 201)
		if found.id() != made.id() || found.text("token") == made.text("token") {
			t.Errorf("registered %s, logged in %s", made.body, found.body)
		}
		p.want(t, nil, c.login, c.wrong, 400)

		// Both sessions live until they end.
		p.want(t, caller{}.with(found.text("token")), destroy, "", 201)
		p.want(t, caller{}.with(found.text("token")), destroy, "", 401)
		p.want(t, caller{}.with(made.text("token")), destroy, "{}", 201)
	}
}

// change changes the password of a user as the service does, whose session may have ended meanwhile.
func (p *platform) change(t testing.TB, who session.Identity, next, current string) {
	t.Helper()
	_, err := p.logins.ChangeOwn(t.Context(), shopScope, login.Caller{Identity: who, Password: &current},
		user.AccountChange{NewPassword: user.To(next)})
	if !errs.Is(err, errs.KindUnauthenticated) {
		t.Errorf("%v, want unauthenticated", err)
	}
}
