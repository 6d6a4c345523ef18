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

	"minicloud/functions/user/api"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/bulk"
	"minicloud/shared/dynamo/bulkdb"
	"minicloud/shared/dynamo/claimdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/idempotency"
	"minicloud/shared/language/value"
	"minicloud/shared/oauth"
	"minicloud/shared/oauth/oauthtest"
	"minicloud/shared/secret/password/passwordtest"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/phone"
	"minicloud/shared/user/session/sessiontest"
)

const testEnv tenant.EnvID = "0123456789abcdef0123"

// shop and bank are the two applications of these tests; shop has a test environment.
var (
	shop = app.Application{
		ID: 7, Name: "shop", ClientID: "00000000000000000007",
		Owner: app.Owner{
			UserID: 70, Nickname: "Ada", Email: "ada@example.com", AvatarLink: "https://example.com/ada.png",
		},
		Environments: map[tenant.EnvID]string{testEnv: "staging"}, SigningKey: make([]byte, 32),
	}
	bank = app.Application{
		ID: 8, Name: "bank", ClientID: "00000000000000000008", Owner: app.Owner{UserID: 80, Nickname: "Eve"},
	}
)

// runs is a fake authority with one run token, of a function of shop.
type runs struct{}

func (runs) VerifyRun(_ context.Context, token string) (oauth.Run, app.Application, error) {
	if token != "run" {
		return oauth.Run{}, app.Application{}, errs.Unauthenticated("the run token is changed or expired")
	}
	return oauth.Run{Scope: tenant.Scope{App: shop.ID, Env: tenant.Production}, JobID: "1", Depth: 3}, shop, nil
}

// queue is a fake that records the submitted operations.
type queue struct {
	mu        sync.Mutex
	submitted []id.ID
}

func (q *queue) Submit(_ context.Context, _ tenant.Scope, operation id.ID, _ time.Duration) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.submitted = append(q.submitted, operation)
	return nil
}

// platform is the program's handler on a real database.
type platform struct {
	http.Handler
	users    *user.Service
	queue    *queue
	sessions sessiontest.Users // by token

	mu  sync.Mutex
	now time.Time
}

func newPlatform(t testing.TB) *platform {
	p := &platform{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), queue: &queue{}, sessions: sessiontest.Users{}}
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable", "UsersTable", "IdempotencyTable")
	rows := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	ids := new(id.Source)
	p.users = &user.Service{
		Tables: &manage.Service{
			Schemas: &rowdb.Tables{Client: client, Name: "TablesTable"}, Rows: rows,
			Counts: &dynamotest.Counts{Client: client, Table: "RowsTable"}, Clock: p.time, IDs: ids,
		},
		Accounts: &userdb.Accounts{Client: client, Table: "UsersTable"},
		Groups:   &userdb.Groups{Client: client, Table: "UsersTable", Rows: rows},
		Bulk: &bulk.Service{
			Store: &bulkdb.Operations{Client: client, Rows: rows}, Queue: p.queue, Grammar: user.Grammar, Clock: p.time,
			IDs: ids,
		},
		Passwords: passwordtest.New(2), Phones: phone.Key, Clock: p.time, IDs: ids,
	}
	p.users.Bulk.Tables = p.users.Tables
	p.Handler = (&httpapi.API{
		Routes: (&api.Group{Users: p.users}).Routes(), Authenticator: oauthtest.Tokens{"shop": shop, "bank": bank}, Runs: runs{},
		Clients: sessiontest.Clients{shop.ClientID: shop}, EndUsers: p.sessions, Clock: p.time,
		Replay: &idempotency.Service{Store: &claimdb.Store{Client: client, Table: "IdempotencyTable"}, Clock: p.time},
	}).Handler()
	for _, scope := range []tenant.Scope{
		{App: 7, Env: tenant.Production}, {App: 7, Env: testEnv}, {App: 8, Env: tenant.Production},
	} {
		_, err := p.users.Tables.Modify(t.Context(), scope, table.UserProfiles, table.Definition{Columns: []table.Column{
			{Column: value.Column{Name: "level", Type: value.Integer}},
			{Column: value.Column{Name: "test", Type: value.String}},
			{Column: value.Column{Name: "tags", Type: value.Array, Items: value.String}},
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *platform) time() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// newUser adds a user to an environment of an application.
func (p *platform) newUser(t testing.TB, application tenant.AppID, env tenant.EnvID, fields map[string]any) int64 {
	t.Helper()
	u, err := p.users.Create(t.Context(), tenant.Scope{App: application, Env: env}, user.New{Profile: fields})
	if err != nil {
		t.Fatal(err)
	}
	return int64(u)
}

// answer is the response to a request.
type answer struct {
	status int
	header http.Header
	body   string
}

// send sends a request "METHOD path" as shop; a header can name another caller.
func (p *platform) send(t testing.TB, request, body string, header ...string) answer {
	t.Helper()
	method, path, _ := strings.Cut(request, " ")
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer shop")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		if r.Header.Set(header[i], header[i+1]); header[i+1] == "" {
			r.Header.Del(header[i])
		}
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return answer{w.Code, w.Header(), w.Body.String()}
}

// want sends a request and compares the status and body.
func (p *platform) want(t testing.TB, request, body string, status int, want string, header ...string) {
	t.Helper()
	got := p.send(t, request, body, header...)
	if got.status != status || got.body != want {
		t.Errorf("%s %.200s:\ngot  %d %.2000s\nwant %d %s", request, body, got.status, got.body, status, want)
	}
}

// refuse sends a request and expects an error with the status; its message contains says.
func (p *platform) refuse(t testing.TB, request, body string, status int, says string, header ...string) {
	t.Helper()
	got := p.send(t, request, body, header...)
	var refusal struct {
		Status  string `json:"status"`
		Message string `json:"error_msg"`
	}
	err := json.Unmarshal([]byte(got.body), &refusal)
	if got.status != status || err != nil || refusal.Status != "error" || !strings.Contains(refusal.Message, says) ||
		len(got.body) > 500 {
		t.Errorf("%s %.200s: got %d %.500s, want %d and %q", request, body, got.status, got.body, status, says)
	}
}

const (
	profiles  = "/userve/v2.2/miniapp/user_profile/"
	updates   = "/userve/v2.6/miniapp/user_profile/"
	accounts  = "/userve/v2.2/miniapp/user/account/"
	groups    = "/oserve/v1/user-group/"
	members   = "/oserve/v1/miniapp/group/membership/"
	operation = "/oserve/v1/bulk-operation/"
)

func view(id int64, rest string) string {
	return fmt.Sprintf(`{"avatar":"","city":"","country":"","created_at":1795262400,"created_by":%d,"gender":0,"id":%d,"is_authorized":false,"language":"","level":null,`+
		`"nickname":"Ann","openid":"","province":"",%s,"unionid":null,"updated_at":1795262400,"user_group":[],"user_id":%d}`, id, id, rest, id)
}

func TestReadAndUpdate(t *testing.T) {
	p := newPlatform(t)
	u := p.newUser(t, 7, tenant.Production, map[string]any{"nickname": "Ann"})
	id := fmt.Sprint(u)
	for _, base := range []string{profiles, "/oserve/v2.2/miniapp/user_profile/"} {
		p.want(t, "GET "+base+id+"/", "", 200, view(u, `"tags":null,"test":null`))
		p.want(t, "GET "+base+id, "", 200, view(u, `"tags":null,"test":null`))
	}
	for i, base := range []string{updates, "/oserve/v2.6/miniapp/user_profile/"} {
		p.want(
			t, "PUT "+base+id+"/", fmt.Sprintf(`{"test":"x%d","tags":["a"]}`, i), 200,
			view(u, fmt.Sprintf(`"tags":["a"],"test":"x%d"`, i)),
		)
	}
	p.want(
		t, "PUT "+updates+id+"/", `{"tags":{"$append":["b"]},"test":null}`, 200, view(u, `"tags":["a","b"],"test":null`),
	)
	// Functions also see the login fields of users.
	seen := strings.Replace(view(u, `"tags":["a","b"],"test":null`), "{",
		`{"_email":"","_email_verified":false,"_phone":"","_phone_verified":false,"_provider":{},"_username":"",`, 1)
	p.want(t, "GET "+profiles+id+"/", "", 200, seen, "Authorization", "Run run")
}

func TestCurrentUser(t *testing.T) {
	p := newPlatform(t)
	p.want(
		t, "GET /userve/v1/user-profile/", "", 200,
		`{"avatar_link":"https://example.com/ada.png","email":"ada@example.com","nickname":"Ada","user_id":70}`,
	)
	p.want(
		t, "GET /userve/v1/user-profile/", "", 200, `{"avatar_link":"","email":"","nickname":"Eve","user_id":80}`,
		"Authorization", "Bearer bank",
	)
}

func TestList(t *testing.T) {
	p := newPlatform(t)
	var users []int64
	for range 3 {
		users = append(users, p.newUser(t, 7, tenant.Production, map[string]any{"nickname": "Ann"}))
	}
	rest := `"tags":null,"test":null`
	got := p.send(t, "GET "+profiles+"?where=%7B%7D&limit=2&expand=&keys=&?&offset=0", "")
	next := between(got.body, `"next":"`, `"`)
	want := fmt.Sprintf(
		`{"meta":{"limit":2,"offset":0,"next":"%s","previous":null},"objects":[%s,%s]}`, next, view(users[2], rest),
		view(users[1], rest),
	)
	if got.status != 200 || got.body != want || got.header.Get("X-Service-Plan") == "" ||
		got.header.Get("X-Service-Scanned") == "" {
		t.Errorf("got %d %v\n%s\nwant\n%s", got.status, got.header, got.body, want)
	}
	if !strings.HasPrefix(next, profiles+"?") || !strings.Contains(next, "cursor=") ||
		!strings.Contains(next, "offset=2") {
		t.Errorf("next is %q", next)
	}
	got = p.send(t, "GET "+strings.ReplaceAll(next, `\u0026`, "&")+"&return_total_count=1", "")
	if got.status != 200 || !strings.Contains(got.body, fmt.Sprint(users[0])) ||
		!strings.Contains(got.body, `"next":null`) || !strings.Contains(got.body, `"total_count":3`) {
		t.Errorf("got %d %s", got.status, got.body)
	}
	p.want(t, "GET "+profiles+"?limit=1&offset=1&return_total_count=1&order_by=created_at&nickname__contains=n&level__isnull=true&id="+fmt.Sprint(users[0]), "", 200,
		`{"meta":{"limit":1,"offset":1,"next":null,"previous":"`+profiles+`?id=`+fmt.Sprint(users[0])+
			`&level__isnull=true&limit=1&nickname__contains=n&offset=0&order_by=created_at&return_total_count=1","total_count":1},"objects":[]}`)
}

// TestListByLogin: a username, an email and a phone find their user whatever their case and notation, in their
// environment only, and without reading other users.
func TestListByLogin(t *testing.T) {
	p := newPlatform(t)
	var users []string
	for range 3 {
		users = append(users, fmt.Sprint(p.newUser(t, 7, tenant.Production, map[string]any{"nickname": "Ann"})))
	}
	ada, bob := users[0], users[1]
	p.send(t, "PUT "+accounts+ada+"/", `{"username":"Ada","email":"ada@example.com","phone":"+86 138 0000 0000"}`)
	p.send(t, "PUT "+accounts+bob+"/", `{"username":"ada@example.com","email":"bob@example.com"}`)
	for login, want := range map[string]string{
		"aDa": ada, "13800000000": ada, "%2B8613800000000": ada, "BOB@example.com": bob, "ada@example.com": bob + "," + ada,
		"ad": "", ada: "", strings.Repeat("x", 2000): "",
		"ada&nickname=Ann": ada, "ada&nickname=Bob": "", "": users[2] + "," + bob + "," + ada,
	} {
		got := p.send(t, "GET "+profiles+"?keys=id&_login="+login, "")
		found := []string{}
		for _, part := range strings.Split(got.body, `"id":`)[1:] {
			found = append(found, strings.TrimRight(part, "{},]"))
		}
		if got.status != 200 || strings.Join(found, ",") != want || got.header.Get("X-Service-Scanned") > "3" {
			t.Errorf("%.30q: %d %s, scanned %s", login, got.status, got.body, got.header.Get("X-Service-Scanned"))
		}
	}
	for _, other := range [][]string{{"Authorization", "Bearer bank"}, {"X-Service-Env-ID", string(testEnv)}} {
		if got := p.send(t, "GET "+profiles+"?_login=ada", "", other...); strings.Contains(got.body, ada) {
			t.Errorf("%v sees %s", other, got.body)
		}
	}
}

func between(text, before, after string) string {
	_, rest, _ := strings.Cut(text, before)
	found, _, _ := strings.Cut(rest, after)
	return found
}

func TestBulkUpdate(t *testing.T) {
	p := newPlatform(t)
	first := p.newUser(t, 7, tenant.Production, map[string]any{"level": 1<<53 - 1})
	second := p.newUser(t, 7, tenant.Production, map[string]any{"level": 1})
	for _, base := range []string{updates, "/oserve/v2.6/miniapp/user_profile/"} {
		p.want(t, "PUT "+base+"?where=%7B%22level%22%3A%7B%22%24gt%22%3A0%7D%7D&return_total_count=1", `{"level":{"$incr_by":1}}`, 200, fmt.Sprintf(
			`{"operation_result":[{"success":{"id":%d,"updated_at":1795262400}},{"error":{"id":%d,"code":400,"err_msg":"field \"level\" would leave the range of integers"}}],"succeed":1,"total_count":2,"offset":0,"limit":20,"next":null}`, second, first))
	}
	got := p.send(t, "PUT "+updates+"?limit=1", `{"test":"x"}`)
	next := between(got.body, `"next":"`, `"`)
	if !strings.HasPrefix(got.body, fmt.Sprintf(`{"operation_result":[{"success":{"id":%d,`, second)) ||
		strings.Contains(got.body, "total_count") || next == "" {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	p.want(
		t, "PUT "+next, `{"test":"x"}`, 200,
		fmt.Sprintf(
			`{"operation_result":[{"success":{"id":%d,"updated_at":1795262400}}],"succeed":1,"offset":1,"limit":1,"next":null}`,
			first,
		),
	)
	p.want(
		t, "PUT "+updates+"?level=77", `{"test":"y"}`, 200,
		`{"operation_result":[],"succeed":0,"offset":0,"limit":20,"next":null}`,
	)
}

func TestBulkUpdateInTheBackground(t *testing.T) {
	p := newPlatform(t)
	scope := tenant.Scope{App: 7, Env: tenant.Production}
	profiles, err := p.users.Tables.Table(t.Context(), scope, table.UserProfiles)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1000, 1} {
		for _, outcome := range p.users.Tables.Insert(
			t.Context(), scope, profiles, make([]map[string]any, n), table.Author{},
		) {
			if outcome.Err != nil {
				t.Fatal(outcome.Err)
			}
		}
		p.mu.Lock()
		p.now = p.now.Add(time.Second)
		p.mu.Unlock()
	}
	// Without async=1 only one page is updated, however many users match.
	if got := p.send(
		t, "PUT "+updates, `{"test":"x"}`,
	); !strings.Contains(got.body, `"succeed":20,"offset":0,"limit":20,"next":"`) || len(p.queue.submitted) != 0 {
		t.Errorf("without async: %d %s", got.status, got.body)
	}
	p.refuse(t, "PUT "+updates+"?async=1&limit=5", `{"test":"x"}`, 400, "limit cannot stand beside async=1")
	p.refuse(t, "PUT "+updates+"?async=1&offset=5", `{"test":"x"}`, 400, "offset cannot stand beside async=1")
	p.refuse(t, "PUT "+updates+"?async=yes", `{"test":"x"}`, 400, "async must be 0 or 1")
	p.refuse(
		t, "PUT "+updates+"?nicknam=Ann", `{"test":"x"}`, 400,
		`there is no field or query parameter "nicknam", did you mean "nickname"?`,
	)
	p.refuse(t, "PUT "+updates+"?async=1&levle__gt=1", `{"test":"x"}`, 400, `"levle", did you mean "level"?`)

	got := p.send(t, "PUT "+updates+"?async=1&offset=0&limit=", `{"level":{"$incr_by":1}}`)
	number := between(got.body, `"operation_id":`, `}`)
	if got.body != `{"status":"ok","operation_id":`+number+`}` || got.status != 200 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	p.want(
		t, "GET "+operation+number+"/", "", 200,
		`{"id":`+number+`,"status":"waiting","progress":0,"total_count":1001,"succeed":0,"failed":0,"errors":[],"created_at":1795262402,"updated_at":1795262402,"finished_at":null}`,
	)
	if err := p.users.Bulk.Work(t.Context(), scope, p.queue.submitted[0], p.time().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	p.want(
		t, "GET "+operation+number+"/", "", 200,
		`{"id":`+number+`,"status":"success","progress":1,"total_count":1001,"succeed":1001,"failed":0,"errors":[],"created_at":1795262402,"updated_at":1795262402,"finished_at":1795262402}`,
	)
	p.refuse(t, "GET "+operation+number+"/", "", 404, "bulk operation "+number, "Authorization", "Bearer bank")
	p.refuse(t, "GET "+operation+number+"/", "", 404, "bulk operation", "X-Service-Env-ID", string(testEnv))
	for _, unknown := range []string{"1", "x", "-1", "99999999999999999999", "9007199254740992"} {
		p.refuse(t, "GET "+operation+unknown+"/", "", 404, "bulk operation")
	}
}

func TestAccount(t *testing.T) {
	p := newPlatform(t)
	id := fmt.Sprint(p.newUser(t, 7, tenant.Production, nil))
	p.want(
		t, "PUT "+accounts+id+"/", `{}`, 200,
		`{"username":null,"email":null,"email_verified":false,"phone":null,"phone_verified":false}`,
	)
	p.want(t, "PUT "+accounts+id+"/", `{"username":"Ann","email":"Ann@example.com","phone":"138 0013 8000","new_password":"secret","unknown":1}`, 200,
		`{"username":"Ann","email":"Ann@example.com","email_verified":false,"phone":"13800138000","phone_verified":false}`)
	p.want(t, "PUT /oserve/v2.1/miniapp/user/account/"+id+"/", `{"username":null,"phone":null}`, 200,
		`{"username":null,"email":"Ann@example.com","email_verified":false,"phone":null,"phone_verified":false}`)
	if got := p.send(t, "GET "+profiles+id+"/", ""); strings.Contains(got.body, "example.com") ||
		strings.Contains(got.body, "password") {
		t.Errorf("a profile shows login information: %s", got.body)
	}
}

func TestGroups(t *testing.T) {
	p := newPlatform(t)
	u := p.newUser(t, 7, tenant.Production, nil)
	got := p.send(t, "POST "+groups, `{"name":"friends"}`)
	id := between(got.body, `"id":`, `,`)
	if got.status != 201 || got.body != `{"id":`+id+`,"name":"friends","members":0}` {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	p.want(
		t, "PATCH "+members, fmt.Sprintf(`[{"op":"add","path":"/membership","users":[%d],"groups":[%s]}]`, u, id), 204, "",
	)
	p.want(t, "GET "+groups+id+"/", "", 200, `{"id":`+id+`,"name":"friends","members":1}`)
	p.want(t, "PUT "+groups+id+"/", `{"name":"foes"}`, 200, `{"id":`+id+`,"name":"foes","members":1}`)
	p.want(
		t, "GET "+groups, "", 200,
		`{"meta":{"limit":20,"offset":0,"next":null,"previous":null,"total_count":1},"objects":[{"id":`+id+
			`,"name":"foes","members":1}]}`,
	)
	if got := p.send(t, "GET "+profiles+"?where=%7B%22_group%22%3A%7B%22%24in%22%3A%5B"+id+
		"%5D%7D%7D", ""); !strings.Contains(got.body, `"user_group":[`+id+`]`) {
		t.Errorf("by group: %s", got.body)
	}
	p.want(
		t, "PATCH "+members, fmt.Sprintf(`[{"op":"remove","path":"/membership","users":[%d],"groups":[%s]}]`, u, id), 204,
		"",
	)
	p.want(t, "GET "+groups+id+"/", "", 200, `{"id":`+id+`,"name":"foes","members":0}`)
	for _, c := range []struct{ body, says string }{
		{`{}`, "an array"},
		{`[{"op":"replace","path":"/membership","users":[1],"groups":[1]}]`, "op must be"},
		{`[{"op":"add","path":"/","users":[1],"groups":[1]}]`, "path must be"},
		{`[{"op":"add","path":"/membership","groups":[1]}]`, "users must be"},
		{
			`[{"op":"add","path":"/membership","users":["1"],"groups":[1]}]`,
			"users must be an array of integers, but holds a string",
		},
		{`[{"op":"add","path":"/membership","users":"1","groups":[1]}]`, "users must be an array, not a string"},
		{`[{"op":1,"path":"/membership","users":[1],"groups":[1]}]`, "op must be a string, not a number"},
		{fmt.Sprintf(`[{"op":"add","path":"/membership","users":[%d]}]`, u), "groups must be"},
		{fmt.Sprintf(`[{"op":"add","path":"/membership","users":[%d],"groups":[1]}]`, u), "user group 1"},
		{`[{"op":"add","path":"/membership","users":[1],"groups":[` + id + `]}]`, "user 1"},
		{"[" + strings.Repeat(`{},`, 20) + `{}]`, "at most 20"},
	} {
		p.refuse(t, "PATCH "+members, c.body, 400, c.says)
	}
	p.refuse(t, "POST "+groups, `{}`, 400, "name must have")
	p.refuse(t, "POST "+groups, `{"name":1}`, 400, "name must be a string")
	p.refuse(t, "PUT "+groups+id+"/", `{"name":""}`, 400, "name must have")
	for _, header := range [][]string{{"Authorization", "Bearer bank"}, {"X-Service-Env-ID", string(testEnv)}} {
		p.refuse(t, "GET "+groups+id+"/", "", 404, "user group", header...)
		p.refuse(t, "PUT "+groups+id+"/", `{"name":"x"}`, 404, "user group", header...)
		p.refuse(t, "DELETE "+groups+id+"/", "", 404, "user group", header...)
	}
	p.want(t, "DELETE "+groups+id+"/", "{}", 204, "")
	p.refuse(t, "GET "+groups+id+"/", "", 404, "user group "+id)
	p.refuse(t, "DELETE "+groups+"nobody/", "", 404, "user group")
}

// TestLargeUsersShortenPages: a page returns its actual limit, so that clients that add it to the offset miss no user
// (D6).
func TestLargeUsersShortenPages(t *testing.T) {
	p := newPlatform(t)
	const users = 20
	for range users {
		p.newUser(t, shop.ID, tenant.Production, map[string]any{"test": strings.Repeat("x", 330<<10)})
	}
	seen, offset := map[int64]bool{}, 0
	for offset < users {
		got := p.send(t, fmt.Sprintf("GET %s?limit=%d&offset=%d&keys=test", profiles, users, offset), "")
		var list struct {
			Meta    struct{ Limit int }
			Objects []struct{ ID int64 }
		}
		if err := json.Unmarshal([]byte(got.body), &list); err != nil || len(list.Objects) == 0 {
			t.Fatalf("%v: %.100s", err, got.body)
		}
		for _, u := range list.Objects {
			seen[u.ID] = true
		}
		if offset == 0 && list.Meta.Limit == users {
			t.Errorf("a page of %d users says limit %d", len(list.Objects), list.Meta.Limit)
		}
		offset += list.Meta.Limit
	}
	if len(seen) != users {
		t.Errorf("saw %d users of %d", len(seen), users)
	}
	var done struct{ Limit, Succeed int }
	got := p.send(t, fmt.Sprintf("PUT %s?limit=%d", updates, users), `{"level":1}`)
	if err := json.Unmarshal([]byte(got.body), &done); err != nil || done.Limit != done.Succeed || done.Limit == 0 {
		t.Errorf("%v: %.200s", err, got.body)
	}
}
