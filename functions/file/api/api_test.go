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

	"minicloud/functions/file/api"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/dynamo/claimdb"
	"minicloud/shared/dynamo/filedb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/file"
	"minicloud/shared/file/filetest"
	"minicloud/shared/file/imagecheck"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/idempotency"
	"minicloud/shared/oauth/oauthtest"
	"minicloud/shared/permission"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/user/session"
	"minicloud/shared/user/session/sessiontest"
)

const testEnv = tenant.EnvID("0123456789abcdef0123")

var (
	shop = app.Application{
		ID: 7, ClientID: "aaaaaaaaaaaaaaaaaaaa", SigningKey: make(app.SigningKey, 32),
		Environments: map[tenant.EnvID]string{testEnv: "staging"},
	}
	bank = app.Application{ID: 8, ClientID: "bbbbbbbbbbbbbbbbbbbb", SigningKey: append(make(app.SigningKey, 31), 1)}

	inShop = tenant.Scope{App: 7, Env: tenant.Production}
)

// platform is the program with a real store, a clock and a fake of the store of objects.
type platform struct {
	http.Handler
	files    *file.Service
	objects  *filetest.Objects
	sessions sessiontest.Users
	vendor   *vendor
	tasks    tasks
	checks   *imagecheck.Service

	mu  sync.Mutex
	now time.Time
}

func newPlatform(t testing.TB) *platform {
	p := &platform{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), sessions: sessiontest.Users{}, objects: &filetest.Objects{}}
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable", "IdempotencyTable")
	rows := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	ids := new(id.Source)
	clients := sessiontest.Clients{shop.ClientID: shop, bank.ClientID: bank}
	p.files = &file.Service{
		Tables: &manage.Service{
			Schemas: &rowdb.Tables{Client: client, Name: "TablesTable"}, Rows: rows,
			Counts: &dynamotest.Counts{Client: client, Table: "RowsTable"}, Clock: p.time, IDs: ids,
		},
		Uploads: &filedb.Store{Client: client, Table: "RowIndexesTable", Rows: rows},
		Objects: p.objects, Sniff: http.DetectContentType, Site: "https://files.example.com",
		Clients: clients, Keys: keys(clients), Clock: p.time, IDs: ids,
	}
	p.vendor = &vendor{}
	checks := &imagecheck.Service{
		Files: p.files, Store: &filedb.Checks{Client: client, Table: "RowIndexesTable"}, Queue: &p.tasks, Images: p.vendor, Clock: p.time,
	}
	p.checks = checks
	p.Handler = (&httpapi.API{
		Routes: (&api.Group{Files: p.files, Censor: p.vendor, Checks: checks}).Routes(), Authenticator: oauthtest.Tokens{"shop": shop, "bank": bank},
		Clients: clients, EndUsers: p.sessions, Clock: p.time,
		Replay: &idempotency.Service{Store: &claimdb.Store{Client: client, Table: "IdempotencyTable"}, Clock: p.time},
	}).Handler()
	return p
}

// keys finds applications by their handles.
type keys sessiontest.Clients

// ByHandle implements app.HandleReader.
func (k keys) ByHandle(_ context.Context, h app.Handle) (app.Application, error) {
	for id, a := range k {
		if id.Handle() == h {
			return a, nil
		}
	}
	return app.Application{}, errs.NotFound("application not found")
}

// pass lets time pass.
func (p *platform) pass(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(d)
}

func (p *platform) time() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// logIn returns the headers of a user's requests.
func (p *platform) logIn(id int64, temporary bool) []string {
	token := string(session.NewToken(id))
	p.sessions[token] = session.Identity{Subject: permission.Subject{User: id, Temporary: temporary}}
	return []string{"Authorization", "Service-r1 " + token, "X-Service-Client-ID", string(shop.ClientID)}
}

// send sends a request, such as "GET /path", and returns the status and the object in the response.
func (p *platform) send(t *testing.T, request, body string, header ...string) (int, map[string]any) {
	t.Helper()
	method, path, _ := strings.Cut(request, " ")
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	var object map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &object); err != nil {
		t.Fatalf("%s: %d %s", request, w.Code, w.Body)
	}
	return w.Code, object
}

func TestStartsUpload(t *testing.T) {
	p := newPlatform(t)
	ada, guest := p.logIn(5, false), p.logIn(6, true)
	category := p.files.Tables.Insert(t.Context(), inShop, file.Categories(), []map[string]any{{"name": "pictures"}}, table.Author{})[0]
	if category.Err != nil {
		t.Fatal(category.Err)
	}

	for path, header := range map[string][]string{
		"/hserve/v2.1/upload/": ada, "/hserve/v1/upload/": guest,
		"/oserve/v2.1/upload/": {"Authorization", "Bearer shop"}, "/userve/v2.1/upload/": {"Authorization", "Bearer shop"},
	} {
		status, got := p.send(t, "POST "+path, `{"filename":"C:\\fakepath\\Photo.PNG","category_name":"none"}`, header...)
		id, cdn := got["id"].(string), got["cdn_path"].(string)
		if status != 200 || len(id) != 24 || len(cdn) != 36 || !strings.HasSuffix(cdn, ".png") || got["name"] != "Photo.PNG" ||
			got["upload_url"] != "https://example.com/upload/"+id+"/" || got["file_link"] != got["path"] ||
			got["path"] != "https://files.example.com/7/production/"+cdn || got["created_at"] != float64(p.now.Unix()) ||
			got["policy"] == "" || got["authorization"] == "" {
			t.Errorf("%s: %d %v", path, status, got)
		}
		if status, got := p.send(t, "GET /hserve/v2.1/uploaded-file/"+id+"/", "", ada...); status != 404 {
			t.Errorf("a file that is awaited: %d %v", status, got)
		}
	}

	for body, want := range map[string]int{
		``: 200, `{}`: 200, `{"filename":"photo"}`: 200, `{"category_id":"` + string(category.Row.ID) + `"}`: 200,
		`{"category_id":["` + string(category.Row.ID) + `"]}`: 200, `{"category_id":[]}`: 200, `{"category_id":""}`: 200,
		`{"category_id":"0123456789abcdef01234567"}`: 404, `{"category_id":"x"}`: 404, `{"category_id":7}`: 400,
		`{"category_id":["a","b"]}`: 400, `{"filename":"a.html"}`: 400, `{"filename":"a.png.PHP"}`: 400,
		`{"filename":"a.jsp. . "}`: 400, `{"filename":"a.XHtml ."}`: 400, `{"filename":"a\u0000.png"}`: 400,
		`{"filename":"` + strings.Repeat("a", 256) + `"}`: 400, `{"filename":7}`: 400, `{"filename":"html"}`: 200,
	} {
		if status, got := p.send(t, "POST /hserve/v2.1/upload/", body, ada...); status != want {
			t.Errorf("%s: %d %v, want %d", body, status, got, want)
		}
	}
	if status, _ := p.send(t, "POST /hserve/v2.1/upload/", "{}", "X-Service-Client-ID", string(shop.ClientID)); status != 401 {
		t.Errorf("nobody: %d", status)
	}
}

func TestReadsFile(t *testing.T) {
	p := newPlatform(t)
	guest := p.logIn(6, true)
	category := p.files.Tables.Insert(t.Context(), inShop, file.Categories(), []map[string]any{{"name": "pictures"}}, table.Author{})[0]
	row := p.files.Tables.Insert(t.Context(), inShop, file.Table(), []map[string]any{{
		"name": "a b.png", "cdn_path": "a b.png", "size": 7.0, "mime_type": "image/png", "media_type": "image",
		"category_id": string(category.Row.ID),
	}}, table.Author{UserID: 5})[0]
	if category.Err != nil || row.Err != nil {
		t.Fatal(category.Err, row.Err)
	}

	for _, version := range []string{"v1.3", "v2.1", "v2.2"} {
		path := "GET /hserve/" + version + "/uploaded-file/"
		status, got := p.send(t, path+string(row.Row.ID)+"/", "", guest...)
		shown, _ := got["category"].(map[string]any)
		if status != 200 || got["path"] != "https://files.example.com/7/production/a%20b.png" || got["size"] != 7.0 ||
			shown["name"] != "pictures" || shown["id"] != string(category.Row.ID) || got["mime_type"] != "image/png" {
			t.Errorf("%s: %d %v", version, status, got)
		}
		for _, missing := range []string{"0123456789abcdef01234567", "x", "..", "7"} {
			if status, got := p.send(t, path+missing+"/", "", guest...); status != 404 {
				t.Errorf("%q: %d %v", missing, status, got)
			}
		}
		other := append([]string{"X-Service-Env-ID", string(testEnv)}, guest...)
		if status, _ := p.send(t, path+string(row.Row.ID)+"/", "", other...); status != 404 {
			t.Errorf("another environment: %d", status)
		}
	}

	if _, err := p.files.Tables.Delete(t.Context(), inShop, file.Categories(), category.Row.ID, table.Author{}); err != nil {
		t.Fatal(err)
	}
	_, got := p.send(t, "GET /hserve/v2.1/uploaded-file/"+string(row.Row.ID)+"/", "", guest...)
	if category, there := got["category"]; !there || category != nil {
		t.Errorf("the category was deleted: %v", got)
	}
}
