package api_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// asFunction is the header of a request by a function of the shop.
const asFunction = "Authorization: Run run"

// function is must, sent by a function of the shop.
func (p *platform) function(status int, method, target, body string) map[string]any {
	p.t.Helper()
	w := p.ask(method, target, body, asFunction)
	if w.Code != status {
		p.t.Fatalf("%s %s %s: %d %s, want %d", method, target, body, w.Code, w.Body, status)
	}
	return decode(p.t, w)
}

func decode(t *testing.T, w *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	answer := map[string]any{}
	if text := w.Body.Bytes(); len(text) > 0 && text[0] == '{' {
		if err := json.Unmarshal(text, &answer); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	return answer
}

var escape = url.QueryEscape

// newThings creates a table with a column of most types, and an empty table that pointers refer to.
func newThings(t *testing.T) *platform {
	p := newPlatform(t)
	p.must(201, "POST", "/oserve/v1.8/table/", `{"name":"owners","schema":{"fields":[{"name":"name","type":"string"}]}}`)
	p.must(201, "POST", "/oserve/v1.8/table/", `{"name":"things","schema":{"fields":[
		{"name":"name","type":"string"}, {"name":"n","type":"integer"}, {"name":"flag","type":"boolean"},
		{"name":"o","type":"object"}, {"name":"owner","type":"reference","schema_name":"owners"},
		{"name":"user","type":"pointer","schema_id":1}, {"name":"parent","type":"pointer","schema_name":"things"},
		{"name":"any","type":"pointer"}]}}`)
	return p
}

const (
	thingRows   = "/oserve/v2.4/table/things/record/"
	thingUpdate = "/oserve/v2.6/table/things/record/"
)

// TestFunctionsSetAuthorAndTimes (F15): functions may set created_by (by default the owner of the application),
// created_at and updated_at, and find rows by them. Other callers may not set them.
func TestFunctionsSetAuthorAndTimes(t *testing.T) {
	p := newThings(t)
	if made := p.function(201, "POST", thingRows, `{"name":"plain"}`); made["created_by"] != 70.0 {
		t.Errorf("made by %v, want the owner", made["created_by"])
	}
	old := p.function(201, "POST", thingRows,
		`{"name":"old","created_by":9,"created_at":1500089600,"updated_at":1500089700,"_read_perm":["user:9"]}`)
	id := old["id"].(string)
	for name, want := range map[string]any{"created_by": 9.0, "created_at": 1500089600.0, "updated_at": 1500089700.0} {
		if old[name] != want {
			t.Errorf("%s is %v, want %v", name, old[name], want)
		}
	}
	for _, where := range []string{
		`{"created_at":1500089600}`, `{"created_at":{"$lt":1500089601}}`, `{"created_by":9}`, `{"updated_at":{"$lte":1500089700}}`,
	} {
		list := p.must(200, "GET", thingRows+"?where="+escape(where), "")["objects"].([]any)
		if len(list) != 1 || list[0].(map[string]any)["id"] != id {
			t.Errorf("%s finds %v", where, list)
		}
	}
	list := p.must(200, "GET", thingRows, "")["objects"].([]any)
	if list[len(list)-1].(map[string]any)["id"] != id {
		t.Errorf("the oldest row is not the last: %v", list)
	}

	next := p.function(200, "PUT", thingUpdate+id+"/",
		`{"name":"again","created_by":12,"created_at":1500089600,"updated_at":1500090000}`)
	if next["created_by"] != 12.0 || next["updated_at"] != 1500090000.0 || next["name"] != "again" {
		t.Errorf("%v", next)
	}
	if next = p.function(200, "PUT", thingUpdate+id+"/", `{"n":1}`); next["updated_at"] != 1795262400.0 {
		t.Errorf("changed at %v, want now", next["updated_at"])
	}
	done := p.function(200, "PUT", thingUpdate+"?limit=5&where="+escape(`{"created_by":12}`), `{"$set":{"created_by":13}}`)
	if read := p.must(200, "GET", thingRows+id+"/", ""); done["succeed"] != 1.0 || read["created_by"] != 13.0 {
		t.Errorf("%v, %v", done, read)
	}

	many := p.ask("POST", thingRows, `[{"created_at":1500089500,"created_by":5},{"created_by":"x"}]`, asFunction)
	if text := many.Body.String(); many.Code != 201 || !strings.Contains(text, `"created_at":1500089500`) ||
		!strings.Contains(text, `field \"created_by\" must be an integer`) {
		t.Errorf("%d %s", many.Code, text)
	}
}

// TestRefusesInvalidAuthorAndTimes: the error names the field; the open API may set none of the three.
func TestRefusesInvalidAuthorAndTimes(t *testing.T) {
	p := newThings(t)
	id := p.function(201, "POST", thingRows, `{"name":"a"}`)["id"].(string)
	for body, want := range map[string]string{
		`{"created_by":0}`: "created_by", `{"created_by":"9"}`: "created_by", `{"created_at":-1}`: "created_at",
		`{"created_at":1795262500}`: "future",
		`{"updated_at":1.5}`:        "updated_at", `{"id":"5f"}`: "field \\\"id\\\" is the platform's",
	} {
		if w := p.ask("POST", thingRows, body, asFunction); w.Code != 400 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("create %s: %d %s", body, w.Code, w.Body)
		}
	}
	for body, want := range map[string]string{
		`{"created_by":null}`: "created_by", `{"updated_at":{"$incr_by":1}}`: "no operator",
		`{"created_at":1500089600}`: "give it when the row is created", `{"$unset":{"created_by":""}}`: "created_by",
	} {
		if w := p.ask("PUT", thingUpdate+id+"/", body, asFunction); w.Code != 400 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("update %s: %d %s", body, w.Code, w.Body)
		}
	}
	for _, field := range []string{"created_by", "created_at", "updated_at"} {
		body := `{"` + field + `":1500089600}`
		for target, method := range map[string]string{thingRows: "POST", thingUpdate + id + "/": "PUT"} {
			if w := p.ask(method, target, body); w.Code != 400 || !strings.Contains(w.Body.String(), field) {
				t.Errorf("the open API says %s by %s: %d %s", field, method, w.Code, w.Body)
			}
		}
	}
}

// TestRefusalNamesAllBadFields (F16): and nothing is written.
func TestRefusalNamesAllBadFields(t *testing.T) {
	p := newThings(t)
	id := p.function(201, "POST", thingRows, `{"name":"a","n":1}`)["id"].(string)
	const bad = `{"name":"b","n":"5","flag":1,"nope":2,"_read_perm":"all"}`
	for target, method := range map[string]string{thingRows: "POST", thingUpdate + id + "/": "PUT"} {
		w := p.ask(method, target, bad, asFunction)
		for _, field := range []string{"n", "flag", "nope", "_read_perm"} {
			if w.Code != 400 || !strings.Contains(w.Body.String(), `field \"`+field+`\"`) {
				t.Errorf("%s: %d %s does not name %s", method, w.Code, w.Body, field)
			}
		}
	}
	w := p.ask("PUT", thingUpdate+id+"/", `{"name":{"$append":[1]},"n":{"$incr_by":"x"},"o.k":{"$incr_by":"x"}}`, asFunction)
	for _, field := range []string{"name", "n", "o.k"} {
		if w.Code != 400 || !strings.Contains(w.Body.String(), `field \"`+field+`\"`) {
			t.Errorf("operators: %d %s does not name %s", w.Code, w.Body, field)
		}
	}
	if list := p.must(200, "GET", thingRows, "")["objects"].([]any); len(list) != 1 || list[0].(map[string]any)["name"] != "a" {
		t.Errorf("%v", list)
	}
}

// TestLegacyWritesOmitBadFields: only for functions, if the application enables it, and while a valid field is left
// (C19).
func TestLegacyWritesOmitBadFields(t *testing.T) {
	p := newThings(t)
	if got := p.must(200, "GET", "/oserve/v1.8/application-setting/", ""); got["legacy_writes"] != false {
		t.Errorf("%v", got)
	}
	p.must(400, "PUT", "/oserve/v1.8/application-setting/", `{"legacy_writes":"yes"}`)
	p.must(200, "PUT", "/oserve/v1.8/application-setting/", `{"legacy_writes":true}`)

	w := p.ask("POST", thingRows, `{"name":"a","n":"5","flag":1}`, asFunction)
	made := decode(t, w)
	if w.Code != 201 || made["name"] != "a" || made["n"] != nil ||
		w.Header().Get("X-Service-Skipped-Fields") != "n,flag" ||
		w.Header().Get("X-Service-Skipped-Needs") != `["needs an integer","needs true or false"]` {
		t.Fatalf("%d %s %v", w.Code, w.Body, w.Header())
	}
	target := thingUpdate + made["id"].(string) + "/"
	w = p.ask("PUT", target, `{"$set":{"n":7,"nope":1,"id":"x"},"$unset":{"flog":""}}`, asFunction)
	if got := decode(t, w); w.Code != 200 || got["n"] != 7.0 || w.Header().Get("X-Service-Skipped-Fields") != "id,nope,flog" {
		t.Errorf("%d %s %v", w.Code, w.Body, w.Header())
	}
	w = p.ask("POST", thingRows, `[{"name":"b","n":"x"},{"name":5},{"name":"c","flag":0}]`, asFunction)
	if w.Header().Get("X-Service-Skipped-Fields") != "n,flag" || !strings.Contains(w.Body.String(), `"succeed":2`) {
		t.Errorf("%s %v", w.Body, w.Header())
	}
	w = p.ask("PUT", thingUpdate+"?limit=9&where={}", `{"flag":true,"n":"x"}`, asFunction)
	if w.Header().Get("X-Service-Skipped-Fields") != "n" || !strings.Contains(w.Body.String(), `"succeed":3`) {
		t.Errorf("%s %v", w.Body, w.Header())
	}

	// A request without a valid field is a 400; the open API stays strict.
	p.function(400, "PUT", target, `{"n":"x"}`)
	p.function(400, "PUT", target, `{"$set":{"n":"x"}}`)
	p.must(400, "PUT", target, `{"name":"z","n":"x"}`)
}

// TestPointersAreSetByID: if the column names its target table, an id is enough; a response has both (C21).
func TestPointersAreSetByID(t *testing.T) {
	p := newThings(t)
	owner := p.function(201, "POST", "/oserve/v2.4/table/owners/record/", `{"name":"o"}`)["id"].(string)
	field := func(table any, id any) string { return fmt.Sprintf("map[_table:%v id:%v]", table, id) }
	for body, want := range map[string]string{
		`{"owner":"` + owner + `"}`:                             field("owners", owner),
		`{"owner":{"id":"` + owner + `"}}`:                      field("owners", owner),
		`{"owner":{"id":"` + owner + `","_table":"owners"}}`:    field("owners", owner),
		`{"owner":{"id":"` + owner + `","name":"o","_id":"x"}}`: field("owners", owner),
		`{"owner":""}`:   "<nil>",
		`{"owner":null}`: "<nil>",
		`{"owner":{"id":"` + owner + `","_table":"things"}}`: `leads into table \"owners\"`,
		`{"owner":true}`:          "owner",
		`{"any":"` + owner + `"}`: "names no table",
		`{"owner":"` + owner + `","any":{"id":5,"_table":"x"}}`: field("owners", owner),
	} {
		w := p.ask("POST", thingRows, body, asFunction)
		got := fmt.Sprint(decode(t, w)["owner"])
		if w.Code == 400 {
			got = w.Body.String()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	made := p.function(201, "POST", thingRows, `{"user":"12","parent":"5f"}`)
	if fmt.Sprint(made["user"], made["parent"]) != field("_userprofile", 12)+" "+field("things", "5f") {
		t.Errorf("%v %v", made["user"], made["parent"])
	}
	for _, where := range []string{`{"user":12}`, `{"parent":"5f"}`, `{"user":{"$in":[12]}}`, `{"parent":{"id":"5f","_table":"things"}}`} {
		if list := p.must(200, "GET", thingRows+"?where="+escape(where), "")["objects"].([]any); len(list) != 1 {
			t.Errorf("%s finds %d", where, len(list))
		}
	}

	fields := p.must(200, "GET", "/oserve/v1.8/table/things/", "")["schema"].(map[string]any)["fields"].([]any)
	if user := fields[5].(map[string]any); user["schema_name"] != "_userprofile" || user["schema_id"] != 1.0 || user["type"] != "pointer" {
		t.Errorf("%v", user)
	}
	for body, want := range map[string]string{
		`{"name":"x","schema":{"fields":[{"name":"p","type":"pointer","schema_name":"nope"}]}}`:                 "nope",
		`{"name":"x","schema":{"fields":[{"name":"p","type":"pointer","schema_id":99}]}}`:                       "99",
		`{"name":"x","schema":{"fields":[{"name":"p","type":"string","schema_name":"owners"}]}}`:                "no pointer",
		`{"name":"x","schema":{"fields":[{"name":"p","type":"pointer","schema_name":"owners","schema_id":1}]}}`: "different",
	} {
		if w := p.ask("POST", "/oserve/v1.8/table/", body); w.Code != 400 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
}

// TestDottedNamesChangeMembersOfObjects: each change is complete, also under concurrency (C20).
func TestDottedNamesChangeMembersOfObjects(t *testing.T) {
	p := newThings(t)
	id := p.function(201, "POST", thingRows, `{"o":{"a":1,"deep":{"x":1,"y":2}},"name":"t"}`)["id"].(string)
	target := thingUpdate + id + "/"
	got := p.function(200, "PUT", target, `{"$set":{"o.a":{"$incr_by":2},"o.b":{"$incr_by":5},"o.deep.x":{"z":[1]},"o.new.way":true},"$unset":{"o.deep.y":"","o.none.x":""}}`)
	if fmt.Sprint(got["o"]) != "map[a:3 b:5 deep:map[x:map[z:[1]]] new:map[way:true]]" {
		t.Errorf("%v", got["o"])
	}
	done := make(chan bool)
	for range 10 {
		go func() {
			p.ask("PUT", target, `{"o.a":{"$incr_by":1}}`, asFunction)
			done <- true
		}()
	}
	for range 10 {
		<-done
	}
	if got := p.must(200, "GET", thingRows+id+"/", "")["o"].(map[string]any); got["a"] != 13.0 {
		t.Errorf("ten increments of 3 give %v", got["a"])
	}
	for body, want := range map[string]string{
		`{"o.deep":{"$incr_by":1}}`: "o.deep", `{"name.x":1}`: "name.x", `{"o.a.b":1}`: "no object", `{"o.":1}`: "o.",
		`{"o.$x":1}`: "joined by dots", `{"o.a.b.c.d.e":1}`: "joined by dots", `{"o":{},"o.a":1}`: "twice",
		`{"o.deep":1,"o.deep.x":2}`: "twice", `{"o.a":{"$append":[1]}}`: "$append",
	} {
		if w := p.ask("PUT", target, body, asFunction); w.Code != 400 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s, want %s", body, w.Code, w.Body, want)
		}
	}
}

// TestConditionsOnArraysOfObjectsMatchNothing: for functions, without an error (F17); the open API evaluates them
// (D26).
func TestConditionsOnArraysOfObjectsMatchNothing(t *testing.T) {
	p := newPlatform(t)
	p.must(201, "POST", "/oserve/v1.8/table/", `{"name":"things","schema":{"fields":[
		{"name":"days","type":"array","items":{"type":"date"}}, {"name":"tags","type":"array","items":{"type":"string"}}]}}`)
	p.function(201, "POST", thingRows, `{"days":["2026-01-01T00:00:00Z"],"tags":["a"]}`)
	for where, want := range map[string][2]int{ // for functions, for the open API
		`{"days":{"$in":["2026-01-01T00:00:00Z"]}}`: {0, 1}, `{"days":{"$all":["2026-01-01T00:00:00Z"]}}`: {0, 1},
		`{"days":{"$nin":["2027-01-01T00:00:00Z"]}}`: {0, 1}, `{"days":{"$eq":["2026-01-01T00:00:00Z"]}}`: {0, 1},
		`{"days":{"$isnull":false}}`: {1, 1}, `{"tags":{"$in":["a"]}}`: {1, 1},
	} {
		byFunction := p.function(200, "GET", thingRows+"?where="+escape(where), "")["objects"].([]any)
		byOthers := p.must(200, "GET", thingRows+"?where="+escape(where), "")["objects"].([]any)
		if len(byFunction) != want[0] || len(byOthers) != want[1] {
			t.Errorf("%s: %d and %d, want %v", where, len(byFunction), len(byOthers), want)
		}
	}
	p.function(200, "GET", thingRows+"?where="+escape(`{"days":{"$in":"nonsense"}}`), "")
}

func TestPermissionsOfNewRowsKeepOmittedEntries(t *testing.T) {
	p := newThings(t)
	p.must(200, "PUT", "/oserve/v1.8/table/things/", `{"default_row_perm":{"_read_perm":["user:9"]}}`)
	got := p.must(200, "PUT", "/oserve/v1.8/table/things/", `{"default_row_perm":{"_write_perm":[]}}`)["default_row_perm"]
	if fmt.Sprint(got) != "map[_read_perm:[user:9] _write_perm:[]]" {
		t.Errorf("%v", got)
	}
}
