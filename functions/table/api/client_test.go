package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/permission"
	"minicloud/shared/tenant"
	"minicloud/shared/user/session"
)

// Sessions of the shop's end users; the token is the name.
var endUsers = map[string]permission.Subject{
	"ada": {User: 5}, "bob": {User: 6}, "editor": {User: 7, Groups: []int64{3}}, "guest": {User: 8, Temporary: true},
}

// VerifySession is a fake authority of session tokens.
func (p *platform) VerifySession(_ context.Context, scope tenant.Scope, token string) (session.Identity, error) {
	subject, ok := endUsers[token]
	if !ok || scope.App != p.shop.ID {
		return session.Identity{}, errs.Unauthenticated("the session has ended")
	}
	return session.Identity{Subject: subject}, nil
}

// EndUser finds a user by id.
func (p *platform) EndUser(_ context.Context, _ tenant.Scope, id int64) (session.Identity, error) {
	for _, subject := range endUsers {
		if subject.User == id {
			return session.Identity{Subject: subject}, nil
		}
	}
	return session.Identity{}, errs.NotFound("user %d not found", id)
}

// ByClient finds the shop by its client id.
func (p *platform) ByClient(_ context.Context, client app.ClientID) (app.Application, error) {
	if client != p.shop.ClientID {
		return app.Application{}, errs.NotFound("application not found")
	}
	return p.shop, nil
}

// as sends a request of an end user, "" = nobody.
func (p *platform) as(who, method, target, body string) *httptest.ResponseRecorder {
	p.t.Helper()
	token := ""
	if who != "" {
		token = "Service-r1 " + who
	}
	return p.ask(method, target, body, "Authorization: "+token, "X-Service-Client-ID: "+string(p.shop.ClientID))
}

// mustAs is must for an end user.
func (p *platform) mustAs(who string, status int, method, target, body string) map[string]any {
	p.t.Helper()
	w := p.as(who, method, target, body)
	if w.Code != status {
		p.t.Fatalf("%s: %s %s %s: %d %s, want %d", who, method, target, body, w.Code, w.Body, status)
	}
	for _, name := range []string{"X-Service-Plan", "X-Service-Scanned"} {
		if w.Header().Get(name) != "" {
			p.t.Errorf("%s %s has the header %s", method, target, name)
		}
	}
	return decode(p.t, w)
}

// refusedAs expects a 400 whose error contains want.
func (p *platform) refusedAs(who, method, target, body, want string) {
	p.t.Helper()
	if w := p.as(who, method, target, body); w.Code != 400 || !strings.Contains(w.Body.String(), want) {
		p.t.Errorf("%s: %s %s %s: %d %s, want 400 with %s", who, method, target, body, w.Code, w.Body, want)
	}
}

const (
	notes     = "/hserve/v2.4/table/notes/record/"
	ownNotes  = "/oserve/v2.4/table/notes/record/"
	noteTable = `{"name":"notes","schema":{"fields":[
		{"name":"text","type":"string","constraints":{"required":true}}, {"name":"n","type":"integer","indexed":true},
		{"name":"more","type":"object"},
		{"name":"fixed","type":"integer","default":7,"acl":{"clientReadOnly":true}},
		{"name":"secret","type":"string","default":"s3cret","acl":{"clientVisible":false,"clientReadOnly":true}}]},
		"write_perm":["user:anonymous"]}`
)

func newNotes(t *testing.T) *platform {
	p := newPlatform(t)
	p.must(201, "POST", "/oserve/v1.8/table/", noteTable)
	return p
}

// note creates a row as the administrator and returns its id.
func (p *platform) note(read, write string) string {
	p.t.Helper()
	made := p.must(201, "POST", ownNotes, fmt.Sprintf(`{"text":"x","read_perm":%s,"write_perm":%s}`, read, write))
	return made["id"].(string)
}

// TestClientStatuses has the statuses of 4.3 for each kind of row and caller, under every version of the path.
func TestClientStatuses(t *testing.T) {
	p := newNotes(t)
	const everybody, registered, ada, editors, none = `["user:anonymous"]`, `["user:*"]`, `["user:5"]`, `["gid:3"]`, `[]`
	callers := []string{"", "guest", "ada", "bob", "editor"}
	for i, c := range []struct {
		read, write       string
		gets, puts, drops [5]int // by caller
	}{
		{everybody, everybody, [5]int{200, 200, 200, 200, 200}, [5]int{401, 200, 200, 200, 200}, [5]int{401, 204, 204, 204, 204}},
		{everybody, none, [5]int{200, 200, 200, 200, 200}, [5]int{401, 403, 403, 403, 403}, [5]int{401, 403, 403, 403, 403}},
		{registered, registered, [5]int{404, 404, 200, 200, 200}, [5]int{401, 404, 200, 200, 200}, [5]int{401, 404, 204, 204, 204}},
		{registered, ada, [5]int{404, 404, 200, 200, 200}, [5]int{401, 404, 200, 403, 403}, [5]int{401, 404, 204, 403, 403}},
		{ada, editors, [5]int{404, 404, 200, 404, 404}, [5]int{401, 404, 403, 404, 200}, [5]int{401, 404, 403, 404, 204}},
		{none, none, [5]int{404, 404, 404, 404, 404}, [5]int{401, 404, 404, 404, 404}, [5]int{401, 404, 404, 404, 404}},
	} {
		version := []string{"v2.0", "v2.2", "v2.4", "v2.5"}[i%4]
		rows := "/hserve/" + version + "/table/notes/record/"
		for k, who := range callers {
			id := p.note(c.read, c.write)
			listed := p.mustAs(who, 200, "GET", rows+"?return_total_count=1", "")
			seen := slices.ContainsFunc(listed["objects"].([]any), func(o any) bool { return o.(map[string]any)["id"] == id })
			if seen != (c.gets[k] == 200) {
				t.Errorf("%q lists a row that %s may read: %v", who, c.read, seen)
			}
			if total := listed["meta"].(map[string]any)["total_count"]; total != float64(len(listed["objects"].([]any))) {
				t.Errorf("%q: total_count %v of %d rows", who, total, len(listed["objects"].([]any)))
			}
			p.mustAs(who, c.gets[k], "GET", rows+id+"/", "")
			p.mustAs(who, c.puts[k], "PUT", rows+id+"/", `{"text":"y"}`)
			p.mustAs(who, c.drops[k], "DELETE", rows+id+"/", "{}")
			p.must(map[bool]int{true: 404, false: 200}[c.drops[k] == 204], "GET", ownNotes+id+"/", "")
		}
	}
	p.mustAs("", 401, "POST", notes, `{"text":"x"}`)
	p.mustAs("", 401, "POST", notes, `[{"text":"x"}]`)
	p.mustAs("", 401, "PUT", notes+"?where={}", `{"text":"x"}`)
	p.mustAs("", 401, "DELETE", notes+"?where={}", ``)
	p.mustAs("guest", 201, "POST", notes, `{"text":"x"}`)

	p.must(200, "PUT", "/oserve/v1.8/table/notes/", `{"write_perm":["user:5"]}`)
	p.mustAs("ada", 201, "POST", notes, `{"text":"x"}`)
	p.mustAs("bob", 403, "POST", notes, `{"text":"x"}`)
	p.mustAs("bob", 403, "POST", notes, `[{"text":"x"},{"text":"y"}]`)
	for _, who := range callers {
		p.mustAs(who, 404, "GET", "/hserve/v2.4/table/_userprofile/record/", "")
		p.mustAs(who, 404, "GET", "/hserve/v2.4/table/1/record/", "")
		p.mustAs(who, 404, "GET", "/hserve/v2.4/table/none/record/", "")
	}
	p.mustAs("ada", 404, "POST", "/hserve/v2.4/table/_userprofile/record/", `{"nickname":"x"}`)
	p.mustAs("ada", 404, "POST", "/hserve/v2.4/table/none/record/", `{}`)
	p.mustAs("stale", 401, "GET", notes, "")
	if w := p.ask("GET", notes, "", "X-Service-Client-ID: 00000000000000000008", "Authorization: Service-r1 ada"); w.Code != 401 {
		t.Errorf("an unknown client id: %d %s", w.Code, w.Body)
	}
}

// TestHiddenRowsAreMissing: a row that the caller may not read is answered like one that does not exist, byte by byte.
func TestHiddenRowsAreMissing(t *testing.T) {
	p := newNotes(t)
	hidden, missing := p.note(`["user:5"]`, `["user:5"]`), p.note(`["user:6"]`, `[]`)
	p.must(204, "DELETE", ownNotes+missing+"/", "")
	answer := func(method, id, body string) string {
		w := p.as("bob", method, notes+id+"/?expand=created_by", body)
		header := w.Header().Clone()
		return strings.ReplaceAll(fmt.Sprint(w.Code, header, w.Body), id, "ID")
	}
	for method, body := range map[string]string{"GET": "", "PUT": `{"text":"y"}`, "DELETE": ""} {
		if a, b := answer(method, hidden, body), answer(method, missing, body); a != b || !strings.HasPrefix(a, "404") {
			t.Errorf("%s: a hidden row is answered\n%s\na missing one\n%s", method, a, b)
		}
	}

	// So are hidden columns.
	for _, query := range []string{
		"?keys=COLUMN", "?keys=-COLUMN", "?order_by=COLUMN", "?where=" + escape(`{"COLUMN":1}`),
		"?where=" + escape(`{"$or":[{"COLUMN":{"$exists":true}}]}`),
	} {
		a, b := p.as("bob", "GET", notes+strings.ReplaceAll(query, "COLUMN", "secret"), ""),
			p.as("bob", "GET", notes+strings.ReplaceAll(query, "COLUMN", "secrex"), "")
		if a.Code != 400 || strings.ReplaceAll(a.Body.String(), "secret", "secrex") != b.Body.String() {
			t.Errorf("%s: %d %s, a column that does not exist: %s", query, a.Code, a.Body, b.Body)
		}
	}
	for _, body := range []string{`{"text":"x","%s":1}`, `{"text":"x","%s":"y"}`} {
		a, b := p.as("bob", "POST", notes, fmt.Sprintf(body, "secret")), p.as("bob", "POST", notes, fmt.Sprintf(body, "secrex"))
		if a.Code != 400 || strings.ReplaceAll(a.Body.String(), "secret", "secrex") != b.Body.String() {
			t.Errorf("%s: %d %s, a column that does not exist: %s", body, a.Code, a.Body, b.Body)
		}
		own := p.mustAs("bob", 201, "POST", notes, `{"text":"x"}`)["id"].(string)
		a, b = p.as("bob", "PUT", notes+own+"/", fmt.Sprintf(body, "secret")), p.as("bob", "PUT", notes+own+"/", fmt.Sprintf(body, "secrex"))
		if a.Code != 400 || strings.ReplaceAll(a.Body.String(), "secret", "secrex") != b.Body.String() {
			t.Errorf("%s: %d %s, a column that does not exist: %s", body, a.Code, a.Body, b.Body)
		}
	}
}

// TestClientShape: names, keys and totals of rows under /hserve (4.1).
func TestClientShape(t *testing.T) {
	p := newNotes(t)
	made := p.mustAs("ada", 201, "POST", notes, `{"text":"a","n":1,"read_perm":["user:{created_by}","user:6"]}`)
	id := made["id"].(string)
	if made["_id"] != id || made["created_by"] != 5.0 || made["fixed"] != 7.0 || made["created_at"] != 1795262400.0 ||
		fmt.Sprint(made["read_perm"], made["_write_perm"]) != "[user:5 user:6] [user:*]" {
		t.Errorf("made %v", made)
	}
	if _, shown := made["secret"]; shown || len(made) != 13 {
		t.Errorf("columns of %v", made)
	}
	for _, where := range []string{"?keys=text", "?keys=text,-n&order_by=-n", "?expand=created_by,nothing&keys=-text"} {
		if _, shown := p.mustAs("bob", 200, "GET", notes+id+"/"+where, "")["secret"]; shown {
			t.Errorf("%s shows a hidden column", where)
		}
	}
	if got := p.mustAs("ada", 200, "GET", notes+id+"/?keys=text", ""); len(got) != 3 {
		t.Errorf("keys=text: %v", got)
	}
	if got := p.mustAs("ada", 200, "GET", notes+id+"/?keys=-text,-_id", ""); len(got) != 10 {
		t.Errorf("keys=-text,-_id: %v", got)
	}

	for version, counted := range map[string]bool{"v2.0": true, "v2.2": false, "v2.4": false, "v2.5": false} {
		rows := "/hserve/" + version + "/table/notes/record/"
		for query, want := range map[string]bool{"": counted, "?return_total_count=1": true, "?return_total_count=0": counted} {
			_, has := p.mustAs("ada", 200, "GET", rows+query, "")["meta"].(map[string]any)["total_count"]
			if has != want {
				t.Errorf("%s%s has total_count: %v", rows, query, has)
			}
		}
	}

	hidden := p.note(`[]`, `["user:6"]`)
	got := p.mustAs("bob", 200, "PUT", notes+hidden+"/?expand=created_by", `{"n":{"$incr_by":3}}`)
	if len(got) != 4 || got["_id"] != hidden || got["updated_at"] == nil {
		t.Errorf("a row that its writer may not read is answered as %v", got)
	}
	if got := p.must(200, "GET", ownNotes+hidden+"/", ""); got["n"] != 3.0 {
		t.Errorf("and is %v", got)
	}
}

// TestClientRefusals: errors name every wrong field, and nothing is written.
func TestClientRefusals(t *testing.T) {
	p := newNotes(t)
	id := p.mustAs("ada", 201, "POST", notes, `{"text":"a"}`)["id"].(string)
	one := notes + id + "/"
	many := func(n int) string { return `["` + strings.Repeat(`user:5","`, n-1) + `gid:9"]` }
	for body, wants := range map[string][]string{
		`{"n":"x","nothing":1,"fixed":3,"created_at":1795262400}`: {`\"n\" must be an integer`, `\"nothing\" does not exist`, `\"fixed\" cannot be written`, `\"created_at\" is the platform's`},
		`{"text":"x","created_by":5}`:                             {`\"created_by\" is the platform's`},
		`{"text":"x","updated_at":1795262400}`:                    {`\"updated_at\" is the platform's`},
		`{"text":"x","id":"5"}`:                                   {`\"id\" is the platform's`},
		`{"text":"x","_id":"5"}`:                                  {`\"id\" is the platform's`},
		`{"text":"x","read_perm":["user:x"]}`:                     {`_read_perm[0]`},
		`{"text":"x","write_perm":"user:*"}`:                      {`_write_perm`},
		`{"text":"x","read_perm":null}`:                           {`\"_read_perm\" is required`},
		`{"text":"x","write_perm":` + many(101) + `}`:             {`_write_perm has more than 100 entries`},
	} {
		for _, want := range wants {
			p.refusedAs("ada", "POST", notes, body, want)
			p.refusedAs("ada", "PUT", one, body, want)
			p.refusedAs("ada", "PUT", one, `{"$set":`+body+`}`, want)
			p.refusedAs("ada", "PUT", notes+"?where={}", body, want)
		}
	}
	p.refusedAs("ada", "POST", notes, `{"n":1}`, `\"text\" is required`)
	p.refusedAs("ada", "POST", notes, `[]`, `1 to 1000 rows`)
	p.refusedAs("ada", "POST", notes, `[`+strings.Repeat(`{"text":"x"},`, 1000)+`{"text":"x"}]`, `1 to 1000 rows`)
	p.refusedAs("ada", "POST", notes, `5`, `object or an array`)
	p.refusedAs("ada", "PUT", one, `{"$unset":{"read_perm":""}}`, `_read_perm`)
	p.refusedAs("ada", "GET", notes+"?where={", "", `where`)
	p.refusedAs("", "GET", notes+"?where="+escape(`{"n":{"$near":1}}`), "", `$near`)
	p.refusedAs("", "GET", notes+"?order_by=more", "", `cannot sort`)
	p.refusedAs("", "GET", notes+"?limit=1001", "", `limit`)
	p.refusedAs("ada", "PUT", notes+"?wher={}", `{"n":1}`, `wher`)
	p.refusedAs("ada", "PUT", notes+"?limit=0", `{"n":1}`, `limit`)
	p.refusedAs("ada", "PUT", notes+"?offset=1", `{"n":1}`, `offset`)
	p.refusedAs("ada", "DELETE", notes, ``, `where is required`)
	p.mustAs("ada", 404, "GET", notes+"x/", "")

	p.mustAs("ada", 201, "POST", notes, `{"text":"x","read_perm":`+many(100)+`}`)
	before := p.must(200, "GET", ownNotes+id+"/", "")
	if before["text"] != "a" || before["n"] != nil || before["fixed"] != 7.0 {
		t.Errorf("a refused write has changed %v", before)
	}

	// Only the creator changes the permissions.
	p.mustAs("bob", 200, "PUT", one, `{"text":"b"}`)
	for _, body := range []string{`{"read_perm":[]}`, `{"text":"c","_write_perm":["user:6"]}`, `{"$set":{"write_perm":{"$append":["user:6"]}}}`} {
		p.mustAs("bob", 403, "PUT", one, body)
		p.mustAs("ada", 200, "PUT", one, body)
		p.must(200, "PUT", "/oserve/v2.6/table/notes/record/"+id+"/", `{"text":"b","read_perm":["user:*"],"write_perm":["user:*"]}`)
	}
}

// TestClientLegacyWrites (C19): bad fields of end users are dropped and named, as long as a valid one is left; the
// creator of a row never changes, and a new row has another creator than the caller in no case.
func TestClientLegacyWrites(t *testing.T) {
	p := newNotes(t)
	p.shop.Settings.LegacyWrites = true
	skipped := func(w *httptest.ResponseRecorder) string {
		names := strings.Split(w.Header().Get("X-Service-Skipped-Fields"), ",")
		slices.Sort(names)
		return strings.Join(names, ",")
	}

	w := p.as("ada", "POST", notes, `{"id":"5","_id":"5","text":"a","n":"x","fixed":1,"secret":"y","nothing":2,
		"created_by":6,"created_at":1500000000,"updated_at":1795000001}`)
	made := decode(t, w)
	if w.Code != 201 || skipped(w) != "created_by,fixed,id,n,nothing,secret" ||
		fmt.Sprint(made["created_by"], made["created_at"], made["updated_at"], made["n"], made["fixed"]) != "5 1.5e+09 1.795000001e+09 <nil> 7" {
		t.Errorf("%d %s, skipped %s", w.Code, w.Body, skipped(w))
	}
	id := made["id"].(string)
	if w := p.as("ada", "POST", notes, `{"text":"b","created_by":5}`); w.Code != 201 || skipped(w) != "" {
		t.Errorf("the own created_by: %d %s, skipped %s", w.Code, w.Body, skipped(w))
	}

	// A client sends back what it has read.
	text, _ := json.Marshal(made)
	w = p.as("ada", "PUT", notes+id+"/", strings.Replace(string(text), `"text":"a"`, `"text":"c"`, 1))
	if got := decode(t, w); w.Code != 200 || got["text"] != "c" || got["created_by"] != 5.0 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	w = p.as("bob", "PUT", notes+id+"/", `{"n":1,"created_by":6,"fixed":2}`)
	if got := decode(t, w); w.Code != 200 || got["created_by"] != 5.0 || got["n"] != 1.0 || skipped(w) != "created_by,fixed" {
		t.Errorf("bob becomes the creator: %d %s, skipped %s", w.Code, w.Body, skipped(w))
	}
	p.mustAs("bob", 200, "PUT", notes+"?where={}", `{"n":2,"created_by":6}`)
	if got := p.must(200, "GET", ownNotes+id+"/", ""); got["created_by"] != 5.0 || got["n"] != 2.0 {
		t.Errorf("bob becomes the creator by a bulk write: %v", got)
	}

	p.refusedAs("ada", "POST", notes, `{"n":"x"}`, `\"n\" must be an integer`)
	p.refusedAs("ada", "POST", notes, `{"n":1,"nothing":2}`, `\"text\" is required`)
	p.refusedAs("ada", "PUT", notes+id+"/", `{"n":"x","fixed":2}`, `\"fixed\" cannot be written`)
	p.refusedAs("ada", "PUT", notes+id+"/", `{"created_by":6}`, `\"created_by\"`)
	p.refusedAs("ada", "POST", notes, `{"text":"x","read_perm":["nobody"]}`, `_read_perm[0]`)
	p.refusedAs("ada", "POST", notes, `{"text":"x","created_at":1895000000}`, `future`)
	w = p.as("ada", "POST", notes, `[{"text":"x","n":"y"},{"n":1},{"text":"z","created_by":6}]`)
	if w.Code != 201 || skipped(w) != "created_by,n" || !strings.Contains(w.Body.String(), `"succeed":2,"total_count":3`) {
		t.Errorf("%d %s, skipped %s", w.Code, w.Body, skipped(w))
	}
	for _, row := range p.must(200, "GET", ownNotes+"?limit=100", "")["objects"].([]any) {
		if by := row.(map[string]any)["created_by"]; by != 5.0 {
			t.Errorf("a row of ada has the creator %v", by)
		}
	}
}

// TestClientBulk: end users change what they may read and write; the rest is passed over (C24).
func TestClientBulk(t *testing.T) {
	p := newNotes(t)
	for range 3 {
		p.note(`["user:*"]`, `["user:5"]`)
		p.note(`["user:*"]`, `["user:6"]`)
		p.note(`["user:5"]`, `["user:5"]`)
		p.note(`["user:6"]`, `["user:5"]`) // writable, but no match of a list
	}
	got := p.mustAs("ada", 200, "PUT", notes+"?return_total_count=1", `{"n":{"$incr_by":1}}`)
	if len(got) != 6 || got["succeed"] != 6.0 || len(got["operation_result"].([]any)) != 6 || got["total_count"] != 9.0 ||
		got["limit"] != 1000.0 || got["offset"] != 0.0 || got["next"] != nil {
		t.Errorf("update: %v", got)
	}
	for _, o := range got["operation_result"].([]any) {
		if done := o.(map[string]any)["success"].(map[string]any); len(done) != 2 || done["id"] == nil || done["updated_at"] != 1795262400.0 {
			t.Errorf("outcome %v", o)
		}
	}
	if found := p.must(200, "GET", ownNotes+"?return_total_count=1&where="+escape(`{"n":1}`), ""); found["meta"].(map[string]any)["total_count"] != 6.0 {
		t.Errorf("changed %v", found["meta"])
	}
	if got := p.mustAs("guest", 200, "PUT", notes+"?limit=5", `{"n":9}`); got["succeed"] != 0.0 || fmt.Sprint(got["operation_result"]) != "[]" {
		t.Errorf("nothing is readable: %v", got)
	}

	seen, next := 0, any(notes+"?limit=4&where={}")
	for next != nil {
		page := p.mustAs("ada", 200, "PUT", next.(string), `{"n":{"$incr_by":10}}`)
		seen, next = seen+int(page["succeed"].(float64)), page["next"]
		if page["limit"] != 4.0 {
			t.Errorf("limit %v", page["limit"])
		}
	}
	if seen != 6 {
		t.Errorf("the pages have changed %d rows", seen)
	}

	failed := p.mustAs("ada", 201, "POST", notes, `[{"text":"x"},{"n":1},{"text":5}]`)
	if text := fmt.Sprint(failed["operation_result"]); failed["succeed"] != 1.0 || failed["total_count"] != 3.0 || strings.Count(text, "code:16837") != 2 ||
		!strings.Contains(text, `field "text" is required`) {
		t.Errorf("create: %v", failed)
	}

	dropped := p.mustAs("ada", 200, "DELETE", "/hserve/v2.0/table/notes/record/?limit=5000&where="+escape(`{"n":11}`), "")
	if len(dropped) != 5 || dropped["succeed"] != 6.0 || dropped["total_count"] != 6.0 || dropped["limit"] != 1000.0 {
		t.Errorf("delete: %v", dropped)
	}
}

// TestClientOperation: many matches are changed in the background, and only who has started it sees how far it is.
func TestClientOperation(t *testing.T) {
	p := newNotes(t)
	batch := `[` + strings.TrimSuffix(strings.Repeat(`{"text":"x"},`, 1000), ",") + `]`
	p.mustAs("ada", 201, "POST", notes, batch)
	p.mustAs("ada", 201, "POST", notes, `{"text":"x"}`)
	table := p.must(200, "GET", "/oserve/v1.8/table/notes/", "")["id"]

	if got := p.mustAs("ada", 200, "PUT", notes+"?limit=1000", `{"n":1}`); got["succeed"] != 1000.0 || got["next"] == nil {
		t.Errorf("with a limit: succeed %v, next %v", got["succeed"], got["next"])
	}
	for _, c := range []struct{ method, query, body, counted, kind string }{
		{"PUT", "", `{"n":2}`, "modified_count", "update"},
		{"PUT", "?limit=1001", `{"n":2}`, "modified_count", "update"},
		{"DELETE", "?where={}", "", "deleted_count", "delete"},
	} {
		started := p.mustAs("ada", 200, c.method, notes+c.query, c.body)
		operation, _ := started["operation_id"].(float64)
		if len(started) != 2 || started["status"] != "ok" || operation == 0 || len(p.queue.submitted) == 0 {
			t.Fatalf("%s %s: %v, submitted %v", c.method, c.query, started, p.queue.submitted)
		}
		path := fmt.Sprintf("/hserve/v1/bulk-operation/%.0f/", operation)
		got := p.mustAs("ada", 200, "GET", path, "")
		if len(got) != 9 || got["id"] != operation || got["schema_id"] != table || got["schema_name"] != "notes" || got["operation"] != c.kind ||
			got["status"] != "pending" || got["matched_count"] != 1001.0 || got[c.counted] != 0.0 || got["created_at"] != 1795262400.0 {
			t.Errorf("%s: %v", c.method, got)
		}
		for _, who := range []string{"bob", "guest", "editor"} {
			p.mustAs(who, 404, "GET", path, "")
		}
		p.mustAs("", 401, "GET", path, "")
	}
	started := p.must(200, "PUT", "/oserve/v2.6/table/notes/record/?where={}", `{"n":3}`)
	p.mustAs("ada", 404, "GET", fmt.Sprintf("/hserve/v1/bulk-operation/%.0f/", started["operation_id"]), "")
	p.mustAs("ada", 404, "GET", "/hserve/v1/bulk-operation/x/", "")
}

// TestClientQuery: a condition that is too long for a URL is sent in the body (D26).
func TestClientQuery(t *testing.T) {
	p := newNotes(t)
	p.mustAs("ada", 201, "POST", notes, `[{"text":"a"},{"text":"b"},{"text":"b"}]`)
	for _, version := range []string{"v2.0", "v2.2", "v2.4", "v2.5"} {
		path := "/hserve/" + version + "/table/notes/record/query/"
		list := p.mustAs("ada", 200, "POST", path, `{"where":{"text":"b"},"limit":1,"keys":"text","return_total_count":1}`)
		meta := list["meta"].(map[string]any)
		if row := list["objects"].([]any)[0].(map[string]any); meta["total_count"] != 2.0 || row["text"] != "b" || row["n"] != nil {
			t.Errorf("%s: %v", version, list)
		}
	}
	p.refusedAs("ada", "POST", notes+"query/", `{"where":{"secret":"x"}}`, `secret`)
}

// TestClientTables (C17): name, id and the columns that clients can read.
func TestClientTables(t *testing.T) {
	p := newNotes(t)
	p.must(201, "POST", "/oserve/v1.8/table/", customers)
	const tables = "/hserve/v2.0/table/"
	for _, who := range []string{"", "guest", "ada"} {
		one := p.mustAs(who, 200, "GET", tables+"notes/", "")
		if names := fmt.Sprint(one); len(one) != 3 || one["name"] != "notes" || strings.Contains(names, "secret") || !strings.Contains(names, "name:fixed") ||
			strings.Contains(names, "perm") {
			t.Errorf("%q: %v", who, one)
		}
		list := p.mustAs(who, 200, "GET", tables+"?limit=1", "")
		if meta := list["meta"].(map[string]any); meta["total_count"] != 2.0 || meta["next"] == nil || strings.Contains(fmt.Sprint(list), "_userprofile") {
			t.Errorf("%q: %v", who, list)
		}
		p.mustAs(who, 404, "GET", tables+"_userprofile/", "")
		p.mustAs(who, 404, "GET", tables+"none/", "")
		if other := p.mustAs(who, 200, "GET", "/hserve/v2.5/table/notes/", ""); fmt.Sprint(other) != fmt.Sprint(one) {
			t.Errorf("%q: in another version %v", who, other)
		}
		if got := p.mustAs(who, 200, "GET", tables+"?name=_userprofile", ""); len(got["objects"].([]any)) != 0 {
			t.Errorf("%v", got)
		}
	}
}
