package user_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/bulk"
	"minicloud/shared/dynamo/bulkdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/secret/password/passwordtest"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/phone"
)

var (
	scope = tenant.Scope{App: 7, Env: tenant.Production}
	other = tenant.Scope{App: 8, Env: tenant.Production}
)

// queue is a fake queue that records submitted operations.
type queue struct {
	mu        sync.Mutex
	submitted []id.ID
	err       error
}

func (q *queue) Submit(_ context.Context, _ tenant.Scope, operation id.ID, _ time.Duration) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.submitted = append(q.submitted, operation)
	return q.err
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.submitted)
}

// platform is the service on a local DynamoDB, with a fake queue and a manual clock.
type platform struct {
	*user.Service
	queue  *queue
	client *dynamodb.Client

	mu  sync.Mutex
	now time.Time
}

func newPlatform(t testing.TB) *platform {
	p := &platform{
		queue: &queue{}, now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
		client: dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable", "UsersTable"),
	}
	rows := &rowdb.Rows{Client: p.client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	ids := &id.Source{}
	p.Service = &user.Service{
		Tables: &manage.Service{
			Schemas: &rowdb.Tables{Client: p.client, Name: "TablesTable"}, Rows: rows,
			Counts: &dynamotest.Counts{Client: p.client, Table: "RowsTable"}, Clock: p.time, IDs: ids,
		},
		Accounts: &userdb.Accounts{Client: p.client, Table: "UsersTable"},
		Groups:   &userdb.Groups{Client: p.client, Table: "UsersTable", Rows: rows},
		Bulk: &bulk.Service{
			Store: &bulkdb.Operations{Client: p.client, Rows: rows}, Queue: p.queue, Grammar: user.Grammar, Clock: p.time,
			IDs: ids,
		},
		Passwords: passwordtest.New(4), Phones: phone.Key, Clock: p.time, IDs: ids,
	}
	p.Bulk.Tables = p.Tables
	return p
}

func (p *platform) time() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

func (p *platform) pass(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(d)
}

// newUser adds a user with these profile fields.
func (p *platform) newUser(t testing.TB, in tenant.Scope, fields map[string]any) user.ID {
	t.Helper()
	u, err := p.Create(t.Context(), in, user.New{Profile: fields})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// newUsers adds n users in bulk.
func (p *platform) newUsers(t testing.TB, n int, fields func(i int) map[string]any) []user.ID {
	t.Helper()
	profiles := p.profiles(t)
	var users []user.ID
	for from := 0; from < n; from += 1000 {
		var drafts []map[string]any
		for i := from; i < min(n, from+1000); i++ {
			drafts = append(drafts, fields(i))
		}
		for _, outcome := range p.Tables.Insert(t.Context(), scope, profiles, drafts, table.Author{}) {
			if outcome.Err != nil {
				t.Fatal(outcome.Err)
			}
			users = append(users, user.ID(outcome.Row.ID.Number()))
		}
		p.pass(time.Second)
	}
	return users
}

func (p *platform) profiles(t testing.TB) table.Table {
	t.Helper()
	profiles, err := p.Tables.Table(t.Context(), scope, table.UserProfiles)
	if err != nil {
		t.Fatal(err)
	}
	return profiles
}

// addFields gives users custom fields: level and score (integer), tags (array
// of string), test (string), about (object).
func (p *platform) addFields(t testing.TB) {
	t.Helper()
	columns := []table.Column{
		{Column: value.Column{Name: "level", Type: value.Integer}},
		{Column: value.Column{Name: "score", Type: value.Integer}},
		{Column: value.Column{Name: "tags", Type: value.Array, Items: value.String}},
		{Column: value.Column{Name: "test", Type: value.String}},
		{Column: value.Column{Name: "about", Type: value.Object}},
	}
	for _, in := range []tenant.Scope{scope, other} {
		if _, err := p.Tables.Modify(t.Context(), in, table.UserProfiles, table.Definition{Columns: columns}); err != nil {
			t.Fatal(err)
		}
	}
}

func wantKind(t *testing.T, what string, err error, kind errs.Kind) {
	t.Helper()
	if kind == "" && err != nil || kind != "" && !errs.Is(err, kind) {
		t.Errorf("%s: %v, want %q", what, err, kind)
	}
}
