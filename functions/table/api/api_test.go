package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"minicloud/functions/table/api"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/bulk"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/dynamo/bulkdb"
	"minicloud/shared/dynamo/claimdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/idempotency"
	"minicloud/shared/oauth"
	"minicloud/shared/oauth/oauthtest"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
)

// idle is a worker that drops tasks: these tests need none.
type idle struct{}

func (idle) Submit(context.Context, table.Task, int) error { return nil }

// queue is a fake that records the submitted operations.
type queue struct{ submitted []id.ID }

func (q *queue) Submit(_ context.Context, _ tenant.Scope, operation id.ID, _ time.Duration) error {
	q.submitted = append(q.submitted, operation)
	return nil
}

type platform struct {
	http.Handler
	t     *testing.T
	queue *queue
	shop  app.Application
	store app.Store
}

// VerifyRun is a fake authority with one run token, of a function of the shop.
func (p *platform) VerifyRun(_ context.Context, token string) (oauth.Run, app.Application, error) {
	if token != "run" {
		return oauth.Run{}, app.Application{}, errs.Unauthenticated("the run token is changed or expired")
	}
	return oauth.Run{Scope: tenant.Scope{App: p.shop.ID, Env: tenant.Production}, JobID: "1", Depth: 3}, p.shop, nil
}

// PutSettings implements api.Applications: the tokens of this test see the settings that the store has now.
func (p *platform) PutSettings(
	ctx context.Context, h app.Handle, s app.Settings, members []app.SettingName,
) (now app.Settings, err error) {
	p.shop.Settings, err = p.store.PutSettings(ctx, h, s, members)
	return p.shop.Settings, err
}

func newPlatform(t *testing.T) *platform {
	client := dynamotest.Start(t, "ApplicationsTable", "TablesTable", "RowsTable", "RowIndexesTable", "IdempotencyTable")
	now := clock.Fixed(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
	rows, ids, submitted := &rowdb.Rows{
		Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable",
	}, new(id.Source), &queue{}
	tables := &manage.Service{
		Schemas: &rowdb.Tables{Client: client, Name: "TablesTable"}, Rows: rows,
		Counts: &dynamotest.Counts{Client: client, Table: "RowsTable"}, Worker: idle{}, Clock: now, IDs: ids,
	}
	p := &platform{t: t, queue: submitted, shop: app.Application{
		ID: 7, Name: "shop", ClientID: "00000000000000000007", Owner: app.Owner{UserID: 70, Nickname: "Ada"},
		SigningKey: []byte("the key of the shop's signatures"),
	}, store: &appdb.Applications{Client: client, Table: "ApplicationsTable"}}
	if err := p.store.InsertApplication(t.Context(), p.shop); err != nil {
		t.Fatal(err)
	}
	group := &api.Group{Applications: p, Tables: tables, Bulk: &bulk.Service{
		Tables: tables, Store: &bulkdb.Operations{Client: client, Rows: rows}, Queue: submitted, Clock: now, IDs: ids,
	}}
	face := &httpapi.API{
		Routes: group.Routes(), Clock: now,
		Authenticator: oauthtest.Tokens{
			"shop": p.shop,
			"bank": {ID: 8, Name: "bank", Owner: app.Owner{UserID: 80, Nickname: "Eve"}},
		},
		Runs: p, Clients: p, EndUsers: p,
		Replay: &idempotency.Service{Store: &claimdb.Store{Client: client, Table: "IdempotencyTable"}, Clock: now},
	}
	p.Handler = face.Handler()
	return p
}

// ask sends a request as the shop and returns the response.
func (p *platform) ask(method, target, body string, header ...string) *httptest.ResponseRecorder {
	p.t.Helper()
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
func (p *platform) must(status int, method, target, body string) map[string]any {
	p.t.Helper()
	w := p.ask(method, target, body)
	if w.Code != status {
		p.t.Fatalf("%s %s: %d %s, want %d", method, target, w.Code, w.Body, status)
	}
	var answer map[string]any
	if w.Body.Len() > 0 {
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			p.t.Fatalf("%s %s: %s", method, target, w.Body)
		}
	}
	return answer
}

const customers = `{"name": "customers", "schema": {"fields": [
	{"name": "name", "type": "string", "constraints": {"required": true}, "indexed": true},
	{"name": "age", "type": "integer", "default": 18, "indexed": true},
	{"name": "tags", "type": "array", "items": {"type": "string"}},
	{"name": "city", "type": "string", "description": "where they live"}]}}`

func TestTables(t *testing.T) {
	p := newPlatform(t)
	made := p.must(201, "POST", "/oserve/v1.8/table/", customers)
	id := fmt.Sprintf("%.0f", made["id"])
	fields := made["schema"].(map[string]any)["fields"].([]any)
	if len(fields) != 4 || fields[1].(map[string]any)["default"] != 18.0 ||
		fields[0].(map[string]any)["index_ready"] != true {
		t.Errorf("fields %v", fields)
	}
	if made["created_at"] != 1795262400.0 || made["updated_at"] != made["created_at"] {
		t.Errorf("times %v %v", made["created_at"], made["updated_at"])
	}
	for _, path := range []string{id, "customers"} {
		if got := p.must(200, "GET", "/oserve/v1.8/table/"+path+"/", ""); got["id"] != made["id"] {
			t.Errorf("read by %s: %v", path, got["id"])
		}
	}
	if w := p.ask("POST", "/oserve/v1.8/table/", customers); w.Code != 400 ||
		!strings.Contains(w.Body.String(), "customers") {
		t.Errorf("duplicate name: %d %s", w.Code, w.Body)
	}
	if w := p.ask("GET", "/oserve/v1.8/table/"+id+"/", "", "Authorization: Bearer bank"); w.Code != 404 {
		t.Errorf("another application: %d", w.Code)
	}
	if w := p.ask("GET", "/oserve/v1.8/table/", "", "Authorization: Bearer nobody"); w.Code != 401 {
		t.Errorf("no token: %d", w.Code)
	}
	if w := p.ask(
		"GET", "/oserve/v1.8/table/_userprofile/", "",
	); !strings.Contains(
		w.Body.String(), `"write_perm":[],"default_row_perm":{"_read_perm":["user:*"],"_write_perm":[]}`,
	) {
		t.Errorf("permissions nobody has: %s", w.Body)
	}
	list := p.must(200, "GET", "/oserve/v1.8/table/?where={}&expand=&keys=", "")
	if meta := list["meta"].(map[string]any); meta["total_count"] != 2.0 {
		t.Errorf("meta %v", meta)
	}
	for name, want := range map[string]string{
		"customers": "[customers]", "_userprofile": "[_userprofile]", "custom": "[]", "": "[customers _userprofile]",
	} {
		names := []string{}
		for _, listed := range p.must(200, "GET", "/oserve/v1.8/table/?name="+name, "")["objects"].([]any) {
			names = append(names, listed.(map[string]any)["name"].(string))
		}
		if fmt.Sprint(names) != want {
			t.Errorf("name=%s: %v", name, names)
		}
	}
	if w := p.ask("GET", "/oserve/v1.8/table/?name=a&name=b", ""); w.Code != 400 ||
		!strings.Contains(w.Body.String(), "name is given twice") {
		t.Errorf("two names: %d %s", w.Code, w.Body)
	}
	changed := p.must(200, "PUT", "/oserve/v1.8/table/"+id+"/", `{"name": "clients", "write_perm": ["user:7"]}`)
	if changed["name"] != "clients" || len(changed["schema"].(map[string]any)["fields"].([]any)) != 4 {
		t.Errorf("changed: %v", changed)
	}
	changed = p.must(
		200, "PUT", "/oserve/v1.8/table/"+id+"/",
		`{"schema": {"fields": [{"name": "city", "type": "string"}]}, "remove_fields": ["tags"]}`,
	)
	names := ""
	for _, field := range changed["schema"].(map[string]any)["fields"].([]any) {
		names += field.(map[string]any)["name"].(string) + " "
	}
	if names != "name age city " {
		t.Errorf("the fields are %s", names)
	}
	if changed = p.must(200, "PUT", "/oserve/v1.8/table/"+id+"/", `{"shards": 4}`); changed["shards"] != 4.0 {
		t.Errorf("in four shards: %v", changed)
	}
	if w := p.ask("PUT", "/oserve/v1.8/table/"+id+"/", `{"shards": 8}`); w.Code != 409 {
		t.Errorf("eight at once: %d %s", w.Code, w.Body)
	}
	for body, want := range map[string]string{
		`{"shards": 17}`:              "shards must be",
		`{"remove_fields": ["tags"]}`: `remove_fields: field \"tags\" does not exist`,
		`{"remove_fields": ["id"]}`:   `remove_fields: field \"id\" is built in`,
		`{"remove_fields": "age"}`:    "remove_fields must be an array",
		`{"schema": {"fields": [{"name": "age", "type": "string"}]}}`:                "type of field",
		`{"schema": {"fields": [{"name": "x", "type": "strin"}]}}`:                   "unknown type",
		`{"schema": {"fields": [{"name": "x", "type": "integer", "default": "y"}]}}`: "default of field",
		`{"schema": {"fields": 5}}`:                                                  "schema.fields must be an array",
		`{`:                                                                          "not valid JSON",
	} {
		if w := p.ask("PUT", "/oserve/v1.8/table/"+id+"/", body); w.Code != 400 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
	p.must(204, "DELETE", "/oserve/v1.8/table/"+id+"/", "")
	p.must(404, "GET", "/oserve/v1.8/table/"+id+"/", "")
	p.must(404, "GET", "/oserve/v2.4/table/"+id+"/record/", "")
}

func TestRows(t *testing.T) {
	p := newPlatform(t)
	p.must(201, "POST", "/oserve/v1.8/table/", customers)
	const rows, updates = "/oserve/v2.4/table/customers/record/", "/oserve/v2.6/table/customers/record/"
	made := p.must(201, "POST", rows, `{"name": "Ada", "tags": ["a"], "_read_perm": ["user:5"]}`)
	id := made["id"].(string)
	if len(id) != 24 || made["age"] != 18.0 || made["city"] != nil || made["created_by"] != 70.0 ||
		made["created_at"] != 1795262400.0 ||
		fmt.Sprint(made["_read_perm"], made["_write_perm"]) != "[user:5] [user:*]" {
		t.Errorf("made %v", made)
	}
	if got := p.must(200, "GET", rows+id+"/", ""); fmt.Sprint(got) != fmt.Sprint(made) {
		t.Errorf("read %v, made %v", got, made)
	}
	if got := p.must(200, "GET", rows+id+"/?keys=name,age", ""); len(got) != 4 {
		t.Errorf("keys: %v", got)
	}
	if got := p.must(200, "GET", rows+id+"/?keys=-name", ""); len(got) != 12 || got["name"] != nil {
		t.Errorf("keys: %v", got)
	}
	got := p.must(
		200, "PUT", updates+id+"/?enable_trigger=0",
		`{"age": {"$incr_by": 2}, "tags": {"$append_unique": ["b", "a"]}, "city": "Paris"}`,
	)
	if got["age"] != 20.0 || fmt.Sprint(got["tags"]) != "[a b]" || got["city"] != "Paris" {
		t.Errorf("updated %v", got)
	}
	got = p.must(200, "PUT", updates+id+"/", `{"$set": {"name": "Grace"}, "$unset": {"city": ""}}`)
	if got["name"] != "Grace" || got["city"] != nil {
		t.Errorf("updated %v", got)
	}
	p.must(204, "DELETE", rows+id+"/?enable_trigger=0", "{}")
	p.must(404, "GET", rows+id+"/", "")
	p.must(404, "PUT", updates+id+"/", `{"age": 1}`)
	p.must(404, "DELETE", rows+id+"/", "")
}

// TestLimitsNestingToStoredDepth: on every write path, an accepted value fits into DynamoDB's 32 levels.
func TestLimitsNestingToStoredDepth(t *testing.T) {
	p := newPlatform(t)
	p.must(201, "POST", "/oserve/v1.8/table/", `{"name": "deep", "schema": {"fields": [
		{"name": "o", "type": "object"}, {"name": "list", "type": "array", "items": {"type": "object"}}]}}`)
	row := "/oserve/v2.6/table/deep/record/" + p.must(
		201, "POST", "/oserve/v2.4/table/deep/record/", `{"o": {}}`,
	)["id"].(string) + "/"

	for _, c := range []struct{ method, path, body string }{
		{"POST", "/oserve/v2.4/table/deep/record/", `{"o": %s}`},
		{"POST", "/oserve/v2.4/table/deep/record/", `{"list": [%s]}`},
		{"PUT", row, `{"o": %s}`},
		{"PUT", row, `{"list": [%s]}`},
		{"PUT", row, `{"list": {"$append": [%s]}}`},
		{"PUT", "/oserve/v2.6/table/deep/record/?where={}", `{"o": %s}`},
	} {
		for levels, want := range map[int]int{29: 2, 30: 4, 31: 4, 32: 4, 33: 4, 60: 4} {
			for _, open := range []string{`{"a":`, `[`} {
				end := map[string]string{`{"a":`: "}", `[`: "]"}[open]
				object := `{"a":` + strings.Repeat(open, levels-1) + `1` + strings.Repeat(end, levels-1) + `}`
				w := p.ask(c.method, c.path, fmt.Sprintf(c.body, object))
				if w.Code/100 != want || strings.Contains(w.Body.String(), "internal error") {
					t.Errorf("%s %s, %d levels of %s: %d %.200s", c.method, c.body, levels, open, w.Code, w.Body)
				}
			}
		}
	}

	// $update merges its fields into the object and adds no level.
	update := `{"o": {"$update": {"k": ` + strings.Repeat(`{"a":`, 28) + `1` + strings.Repeat("}", 28) + `}}}`
	p.must(200, "PUT", row, update)
	if w := p.ask("PUT", row, strings.Replace(update, `{"a":1`, `{"a":{"a":1}`, 1)); w.Code != 400 {
		t.Errorf("30 levels by $update: %d %s", w.Code, w.Body)
	}
}

func TestRefusesInvalidRequests(t *testing.T) {
	p := newPlatform(t)
	p.must(201, "POST", "/oserve/v1.8/table/", customers)
	const rows, updates = "/oserve/v2.4/table/customers/record/", "/oserve/v2.6/table/customers/record/"
	id := p.must(201, "POST", rows, `{"name": "Ada"}`)["id"].(string)
	for _, c := range []struct {
		method, target, body string
		status               int
		want                 string
	}{
		{"POST", rows, `{}`, 400, `\"name\" is required`},
		{"POST", rows, `{"name": 5}`, 400, `\"name\" must be a string`},
		{"POST", rows, `{"name": "x", "name": "y"}`, 400, `given twice`},
		{"POST", rows, `"x"`, 400, `object or an array`},
		{"POST", rows, `[]`, 400, `1 to 1000 rows`},
		{"POST", rows, `[5]`, 400, `row 0`},
		{"POST", rows + "?enable_trigger=yes", `{"name": "x"}`, 400, `enable_trigger`},
		{"PUT", updates + id + "/", `{"age": "x"}`, 400, `\"age\" must be an integer`},
		{"PUT", updates + id + "/", `{"nothing": 1}`, 400, `\"nothing\" does not exist`},
		{"PUT", updates + id + "/", `{"name": null}`, 400, `\"name\" is required`},
		{"PUT", updates + id + "/", `{"id": "x"}`, 400, `\"id\" is the platform's`},
		{"PUT", updates + id + "/", `{"created_at": {"$incr_by": 1}}`, 400, `\"created_at\" is the platform's`},
		{"POST", rows, `{"name": "x", "created_at": 5}`, 400, `\"created_at\" is the platform's`},
		{"GET", rows + "?where={\"nothing\":1}", ``, 400, `\"nothing\" does not exist`},
		{"GET", rows + "?where={\"name\":{\"$bad\":1}}", ``, 400, `$bad`},
		{"GET", rows + "?order_by=tags", ``, 400, `cannot sort`},
		{"GET", rows + "?where={}&where=%7B%22age%22:1%7D", ``, 400, `where is given twice`},
		{"DELETE", rows + "?where=%7B%22age%22:1%7D&where={}", ``, 400, `where is given twice`},
		{"GET", "/oserve/v1.8/table/?expand=author", ``, 400, `expand=author cannot be served`},
		{"DELETE", rows + "?where={}&expand=author", ``, 400, `expand=author cannot be served`},
		{"GET", "/oserve/v1.8/table/?keys=name", ``, 400, `keys=name cannot be served`},
		{"GET", rows + "?keys=nothing", ``, 400, `keys`},
		{"GET", rows + "?limit=1001", ``, 400, `limit`},
		{"GET", rows + "?cursor=AAAA", ``, 400, `cursor`},
		{"GET", rows + "?return_total_count=x", ``, 400, `return_total_count`},
		{"DELETE", rows, ``, 400, `where is required`},
		{"GET", "/oserve/v2.4/table/none/record/", ``, 404, `none`},
		{"GET", rows + "nothexadecimal/", ``, 404, `not found`},
		{"POST", "/oserve/v2.4/table/_userprofile/record/", `{}`, 403, `user endpoints`},
		{"DELETE", "/oserve/v2.4/table/_userprofile/record/?where={}", ``, 403, `user endpoints`},
		{"PATCH", rows, ``, 405, `not allowed`},
	} {
		if w := p.ask(
			c.method, strings.NewReplacer("{", "%7B", "}", "%7D", "\"", "%22").Replace(c.target), c.body,
		); w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s %s: %d %s, want %d %s", c.method, c.target, c.body, w.Code, w.Body, c.status, c.want)
		}
	}
}

func TestBulkRows(t *testing.T) {
	p := newPlatform(t)
	p.must(201, "POST", "/oserve/v1.8/table/", customers)
	const rows, updates = "/oserve/v2.4/table/customers/record/", "/oserve/v2.6/table/customers/record/"
	var drafts []string
	for i := range 50 {
		drafts = append(drafts, fmt.Sprintf(`{"name": "n%02d", "age": %d}`, i, i))
	}
	drafts[7] = `{"age": 7}`
	made := p.must(201, "POST", rows, "["+strings.Join(drafts, ",")+"]")
	results := made["operation_result"].([]any)
	if made["succeed"] != 49.0 || made["total_count"] != 50.0 || len(results) != 50 ||
		fmt.Sprint(results[7]) != `map[error:map[code:400 err_msg:field "name" is required]]` || !strings.HasPrefix(
		fmt.Sprint(results[8]), "map[success:map[created_at:",
	) {
		t.Errorf("made %v %v %v", made["succeed"], made["total_count"], results[7])
	}
	w := p.ask(
		"GET", rows+`?where=%7B%22age%22%3A%7B%22%24gte%22%3A40%7D%7D&order_by=-age&limit=3&return_total_count=1`, "",
	)
	if w.Header().Get("X-Service-Plan") != "index age in order, total by index age" ||
		w.Header().Get("X-Service-Scanned") == "" {
		t.Errorf("headers %v", w.Header())
	}
	var list struct {
		Meta    map[string]any
		Objects []map[string]any
	}
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || len(list.Objects) != 3 ||
		list.Objects[0]["age"] != 49.0 || list.Meta["total_count"] != 10.0 {
		t.Fatalf("list %s %v", w.Body, err)
	}
	w = p.ask("GET", list.Meta["next"].(string), "")
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || list.Objects[0]["age"] != 46.0 ||
		list.Meta["offset"] != 3.0 {
		t.Errorf("next %s %v", w.Body, err)
	}
	done := p.must(
		200, "PUT", updates+`?where=%7B%22age%22%3A%7B%22%24lt%22%3A10%7D%7D&limit=5&return_total_count=1`,
		`{"city": "Rome"}`,
	)
	if done["succeed"] != 5.0 || done["total_count"] != 9.0 || done["limit"] != 5.0 || done["offset"] != 0.0 ||
		done["next"] == nil {
		t.Errorf("updated %v", done)
	}
	done = p.must(200, "PUT", done["next"].(string), `{"city": "Rome"}`)
	if done["succeed"] != 4.0 || done["next"] != nil {
		t.Errorf("updated next %v", done)
	}
	done = p.must(200, "DELETE", rows+`?where=%7B%22city%22%3A%22Rome%22%7D`, `{}`)
	if done["succeed"] != 9.0 {
		t.Errorf("deleted %v", done)
	}
	left := p.must(200, "GET", rows+"?return_total_count=1&limit=1&offset=", "")
	if left["meta"].(map[string]any)["total_count"] != 40.0 {
		t.Errorf("left %v", left["meta"])
	}
}

func TestRepeatedCreate(t *testing.T) {
	p := newPlatform(t)
	p.must(201, "POST", "/oserve/v1.8/table/", customers)
	const rows = "/oserve/v2.4/table/customers/record/"
	first := p.ask("POST", rows, `{"name": "Ada"}`, "Idempotency-Key: k")
	again := p.ask("POST", rows, `{"name": "Ada"}`, "Idempotency-Key: k")
	if first.Code != 201 || again.Body.String() != first.Body.String() {
		t.Errorf("first %s, again %s", first.Body, again.Body)
	}
	if left := p.must(200, "GET", rows+"?return_total_count=1", ""); left["meta"].(map[string]any)["total_count"] != 1.0 {
		t.Errorf("%v rows", left["meta"])
	}
}

// TestDeepPage reads a page by counters that were prefetched before the schema was read.
func TestDeepPage(t *testing.T) {
	p := newPlatform(t)
	id := fmt.Sprintf("%.0f", p.must(201, "POST", "/oserve/v1.8/table/", customers)["id"])
	rows := "/oserve/v2.4/table/" + id + "/record/"
	var drafts []string
	for i := range 300 {
		drafts = append(drafts, fmt.Sprintf(`{"name": "n%03d"}`, i))
	}
	p.must(201, "POST", rows, "["+strings.Join(drafts, ",")+"]")
	for target, want := range map[string]string{
		"?offset=250&limit=2&where={}": "n049 n048", "?offset=150&limit=2&order_by=id": "n150 n151", "?offset=300": "",
	} {
		var names []string
		for _, row := range p.must(200, "GET", rows+
			strings.NewReplacer("{", "%7B", "}", "%7D").Replace(target), "")["objects"].([]any) {
			names = append(names, row.(map[string]any)["name"].(string))
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
	p.must(404, "GET", "/oserve/v2.4/table/5/record/?offset=250", "")
}

// TestBulkWritesChangeAllMatches: without a limit they change all rows (D50), more than a thousand in the background.
func TestBulkWritesChangeAllMatches(t *testing.T) {
	p := newPlatform(t)
	p.must(
		201, "POST", "/oserve/v1.8/table/", `{"name": "many", "schema": {"fields": [{"name": "n", "type": "integer"}]}}`,
	)
	const rows, updates = "/oserve/v2.4/table/many/record/", "/oserve/v2.6/table/many/record/"
	insert := func(n int) { p.must(201, "POST", rows, "["+strings.Repeat(`{"n":1},`, n-1)+`{"n":1}]`) }

	insert(30)
	done := p.must(200, "PUT", updates+"?where={}&return_total_count=1", `{"n": 2}`)
	if done["succeed"] != 30.0 || done["limit"] != 1000.0 || done["next"] != nil || done["total_count"] != 30.0 {
		t.Errorf("update of all: %.300s", fmt.Sprint(done))
	}
	if done = p.must(200, "PUT", updates+"?where={}&limit=20", `{"n": 3}`); done["succeed"] != 20.0 ||
		done["next"] == nil {
		t.Errorf("update of a page: %.300s", fmt.Sprint(done))
	}
	if done = p.must(
		200, "DELETE", rows+"?where=%7B%22n%22:3%7D&keys=&expand=&offset=0", `{}`,
	); done["succeed"] != 20.0 || len(p.queue.submitted) != 0 {
		t.Errorf("delete of all: %.300s", fmt.Sprint(done))
	}

	insert(991)
	for _, request := range [][2]string{{"PUT", updates}, {"DELETE", rows}} {
		done := p.must(200, request[0], request[1]+"?where={}", `{"n": 4}`)
		if n := len(p.queue.submitted); len(done) != 2 || done["status"] != "ok" || n == 0 ||
			done["operation_id"] != float64(p.queue.submitted[n-1]) {
			t.Errorf("%s of 1001: %.300s", request[0], fmt.Sprint(done))
		}
	}
	if list := p.must(
		200, "GET", rows+"?where=%7B%22n%22:4%7D&return_total_count=1", "",
	); list["meta"].(map[string]any)["total_count"] != 0.0 {
		t.Error("some were changed before the answer")
	}
}

// TestBulkWriteRefusesUnknownParameters: a misspelt parameter must not select all rows (D50).
func TestBulkWriteRefusesUnknownParameters(t *testing.T) {
	p := newPlatform(t)
	p.must(201, "POST", "/oserve/v1.8/table/", customers)
	p.must(201, "POST", "/oserve/v2.4/table/customers/record/", `{"name": "Ada"}`)
	for query, want := range map[string]string{
		"where={}&nmae=Eve":    `there is no query parameter \"nmae\" here, rows are selected by where`,
		"where={}&name=Eve":    `there is no query parameter \"name\" here, rows are selected by where`,
		"where={}&lmit=1":      `\"lmit\" here, rows are selected by where, did you mean \"limit\"?`,
		"where={}&async=1":     `there is no query parameter \"async\"`,
		"where={}&whree=":      `did you mean \"where\"?`,
		"wher={}":              `did you mean \"where\"?`,
		"where={}&offset=5":    `offset and cursor need a limit`,
		"where={}&keys=name":   `keys=name cannot be served`,
		"where={}&limit=1001":  `limit must be between 1 and 1000`,
		"where={}&enable_trig": `there is no query parameter \"enable_trig\"`,
	} {
		for _, request := range [][2]string{{"PUT", "/oserve/v2.6"}, {"DELETE", "/oserve/v2.4"}} {
			w := p.ask(request[0], request[1]+"/table/customers/record/?"+query, `{"age": 99}`)
			if w.Code != 400 || !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s ?%s: %d %s, want %s", request[0], query, w.Code, w.Body, want)
			}
		}
	}
	if list := p.must(
		200, "GET", "/oserve/v2.4/table/customers/record/?where=%7B%22age%22:18%7D", "",
	); len(list["objects"].([]any)) != 1 {
		t.Errorf("the row was changed: %v", list)
	}
}

// TestBulkUpdateWithoutWhereChangesAllRows (D50); a DELETE requires where (D29).
func TestBulkUpdateWithoutWhereChangesAllRows(t *testing.T) {
	p := newPlatform(t)
	p.must(201, "POST", "/oserve/v1.8/table/", customers)
	p.must(201, "POST", "/oserve/v2.4/table/customers/record/", `[{"name": "Ada"}, {"name": "Eve"}]`)
	for query, want := range map[string]float64{"": 2, "?where=&limit=": 2, "?limit=1": 1} {
		done := p.must(200, "PUT", "/oserve/v2.6/table/customers/record/"+query, `{"age": {"$incr_by": 1}}`)
		if done["succeed"] != want {
			t.Errorf("PUT %s: %v, want %v rows", query, done, want)
		}
		p.must(400, "DELETE", "/oserve/v2.4/table/customers/record/"+query, "")
	}
}
