package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"minicloud/functions/console/api"
	"minicloud/shared/app"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/tenant"
)

const applications = "/console/api/application/"

func TestApplications(t *testing.T) {
	p := newPlatform(t)
	b := p.signIn("owner")
	made := b.want(201, "POST", applications, `{"name":"fresh"}`).decode(t)
	id := tenant.AppID(made["id"].(float64))
	secret, client := made["client_secret"].(string), app.ClientID(made["client_id"].(string))
	a, err := p.apps.Get(t.Context(), id)
	if err != nil || !a.Holds(client, secret) || a.Owner.Email != "owner@example.com" {
		t.Errorf("%+v, %v", a, err)
	}

	path := fmt.Sprintf("%s%d/", applications, id)
	if got := b.want(200, "GET", path, ""); strings.Contains(got.body, "secret") {
		t.Errorf("a secret is shown twice: %s", got.body)
	}
	b.want(200, "PATCH", path, `{"name":"renamed"}`)
	b.want(400, "PATCH", path, `{"name":" "}`)
	b.want(400, "POST", applications, `{}`)
	reset := b.want(200, "POST", path+"secret/", "").field(t, "client_secret").(string)
	b.want(204, "POST", path+"revoke-tokens/", "")
	if a, err = p.apps.Get(t.Context(), id); err != nil || a.Name != "renamed" || !a.Holds(client, reset) ||
		a.Holds(client, secret) || a.Generation != 3 {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestRotatesSigningKey: what the key before has signed is valid for an hour, or for the time given, and what the one before
// that has signed is not.
func TestRotatesSigningKey(t *testing.T) {
	p := newPlatform(t)
	b := p.signIn("owner")
	path := fmt.Sprintf("%s%d/signing-key/", applications, p.shop.ID)
	read := func() app.Application {
		t.Helper()
		a, err := p.apps.Get(t.Context(), p.shop.ID)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}

	oldest := read()
	at := p.clock()
	answer := b.want(200, "POST", path, "{}")
	if until := answer.field(t, "previous_until"); until != float64(at.Add(time.Hour).Unix()) {
		t.Errorf("the key before is valid until %v, want an hour from now", until)
	}
	if strings.Contains(answer.body, "key") {
		t.Errorf("a key is shown: %s", answer.body)
	}
	older := read()
	signature := oldest.Sign("log")
	if !older.Signed(at, signature, "log") || older.Signed(at.Add(time.Hour), signature, "log") || older.Sign("log") == signature {
		t.Error("the first rotation: want another key, and the one before for an hour")
	}

	b.want(200, "POST", path, `{"overlap_minutes":0}`)
	newest := read()
	if newest.Signed(at, signature, "log") || newest.Signed(at, older.Sign("log"), "log") {
		t.Error("keys before verify signatures after a rotation without overlap")
	}
	b.want(400, "POST", path, `{"overlap_minutes":1441}`)
	b.want(400, "POST", path, `{"overlap_minutes":-1}`)
}

// TestRepeatedKeyCreatesOneApplication: and every response has a valid secret.
func TestRepeatedKeyCreatesOneApplication(t *testing.T) {
	p := newPlatform(t)
	b := p.signIn("owner")
	b.header = http.Header{"Idempotency-Key": {"k"}}
	first := b.want(201, "POST", applications, `{"name":"once"}`).decode(t)
	again := b.want(201, "POST", applications, `{"name":"once"}`).decode(t)
	a, err := p.apps.Get(t.Context(), tenant.AppID(again["id"].(float64)))
	if err != nil || first["id"] != again["id"] || !a.Holds(a.ClientID, again["client_secret"].(string)) {
		t.Errorf("%v, then %v: %v", first, again, err)
	}
}

func TestEnvironments(t *testing.T) {
	p := newPlatform(t)
	b := p.signIn("keeper")
	path := fmt.Sprintf("%s%d/environment/", applications, p.shop.ID)
	env := b.want(201, "POST", path, `{"name":"staging"}`).field(t, "id").(string)
	b.want(400, "POST", path, `{"name":"staging"}`)
	b.want(400, "POST", path, `{"name":"production"}`)
	b.want(200, "PATCH", path+env+"/", `{"name":"stage"}`)
	b.want(400, "PATCH", path+env+"/", `{"name":"test"}`)
	b.want(400, "PATCH", path+"production/", `{"name":"x"}`)
	b.want(404, "PATCH", path+"x/", `{"name":"x"}`)

	scope := tenant.Scope{App: p.shop.ID, Env: tenant.EnvID(env)}
	_, err := p.functions.Create(t.Context(), scope, "", cloudfunction.New{Name: "f", Code: "exports.main = () => 1"})
	p.must(err)
	refused := b.want(400, "DELETE", path+env+"/", `{"name":"stage"}`)
	if !strings.Contains(refused.body, "still has functions") {
		t.Errorf("%s", refused.body)
	}
	p.must(p.functions.Delete(t.Context(), scope, "f"))
	b.want(400, "DELETE", path+env+"/", `{"name":"staging"}`)
	b.want(400, "DELETE", path+"production/", `{"name":"production"}`)
	b.want(404, "DELETE", path+strings.Repeat("0", 20)+"/", `{"name":"x"}`)
	b.want(204, "DELETE", path+env+"/", `{"name":"stage"}`)
	b.want(404, "DELETE", path+env+"/", `{"name":"stage"}`)

	log := b.want(200, "GET", fmt.Sprintf("%s%d/audit/?limit=100", applications, p.shop.ID), "")
	for _, object := range []string{`["name","environment staging"]`, `["name","environment stage"]`} {
		if !strings.Contains(log.body, object) {
			t.Errorf("the audit log does not name %s: %s", object, log.body)
		}
	}
}

// TestRolesOnEveryRoute: in their own application, a viewer changes nothing and a developer does not change the
// application itself; nobody reads another application.
func TestRolesOnEveryRoute(t *testing.T) {
	p := newPlatform(t)
	people := map[string]*browser{}
	for _, name := range []string{"keeper", "dev", "viewer"} {
		people[name] = p.signIn(name)
	}
	changes := []struct{ method, path, body string }{
		{"PATCH", "", `{"name":"x"}`}, {"POST", "secret/", ""}, {"POST", "revoke-tokens/", ""}, {"POST", "signing-key/", "{}"},
		{"POST", "environment/", `{"name":"x"}`}, {"PATCH", "environment/" + string(p.test) + "/", `{"name":"y"}`},
		{"DELETE", "environment/" + string(p.test) + "/", `{"name":"y"}`},
	}
	for _, c := range changes {
		own, others := fmt.Sprintf("%s%d/%s", applications, p.shop.ID, c.path), fmt.Sprintf("%s%d/%s", applications, p.bar.ID, c.path)
		people["viewer"].want(403, c.method, own, c.body)
		people["dev"].want(403, c.method, own, c.body)
		for name, b := range people {
			if answer := b.ask(c.method, others, c.body); answer.status != 404 {
				t.Errorf("%s: %s %s: %d %s", name, c.method, others, answer.status, answer.body)
			}
		}
		if answer := people["keeper"].ask(c.method, own, c.body); answer.status >= 300 {
			t.Errorf("keeper: %s %s: %d %s", c.method, own, answer.status, answer.body)
		}
	}
	for _, b := range people {
		b.want(200, "GET", fmt.Sprintf("%s%d/", applications, p.shop.ID), "")
		b.want(404, "GET", fmt.Sprintf("%s%d/", applications, p.bar.ID), "")
		b.want(404, "GET", fmt.Sprintf("%s%d/audit/", applications, p.bar.ID), "")
		b.want(404, "GET", applications+"x/", "")
	}
	log, err := p.apps.Get(t.Context(), p.bar.ID)
	if err != nil || log.Name != "bar" || log.Generation != 1 {
		t.Errorf("%+v, %v", log, err)
	}
}

func TestServesThePage(t *testing.T) {
	page := &api.Page{Files: fstest.MapFS{
		"index.html": {Data: []byte("<html>")}, "index.html.gz": {Data: []byte("G")}, "icon.svg": {Data: []byte("<svg/>")},
		"assets/a-1.js": {Data: []byte("js")}, "assets/a-1.js.br": {Data: []byte("B")}, "assets/a-1.js.gz": {Data: []byte("Z")},
		".gitignore": {Data: []byte("*")},
	}}
	p := &platform{T: t, Handler: page}
	for _, c := range []struct {
		path, accepts string
		status        int
		body, cache   string
	}{
		{"/console", "", 200, "<html>", "no-cache"},
		{"/console/", "gzip", 200, "G", "no-cache"},
		{"/console/function/hello", "br", 200, "<html>", "no-cache"},
		{"/console/.gitignore", "", 200, "<html>", "no-cache"},
		{"/console/../main.go", "", 200, "<html>", "no-cache"},
		{"/console/icon.svg", "br, gzip", 200, "<svg/>", "no-cache"},
		{"/console/assets/a-1.js", "gzip, deflate, br", 200, "B", "public, max-age=31536000, immutable"},
		{"/console/assets/a-1.js", "gzip, br;q=0", 200, "Z", "public, max-age=31536000, immutable"},
		{"/console/assets/a-1.js", "", 200, "js", "public, max-age=31536000, immutable"},
		{"/console/assets/gone.js", "", 404, "file not found\n", ""},
		{"/console/assets", "", 200, "<html>", "no-cache"},
	} {
		b := &browser{p: p, header: http.Header{"Accept-Encoding": {c.accepts}}}
		got := b.ask("GET", c.path, "")
		if got.status != c.status || got.body != c.body || got.header.Get("Cache-Control") != c.cache ||
			!strings.Contains(got.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") ||
			got.header.Get("X-Content-Type-Options") != "nosniff" || got.header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s with %q: %d %q %v", c.path, c.accepts, got.status, got.body, got.header)
		}
	}

	tag := (&browser{p: p}).ask("GET", "/console/", "").header.Get("Etag")
	b := &browser{p: p, header: http.Header{"If-None-Match": {tag}}}
	b.want(304, "GET", "/console/", "")
	b.want(405, "POST", "/console/", "{}")
	p.Handler = &api.Page{Files: fstest.MapFS{".gitignore": {}}}
	if got := b.want(404, "GET", "/console/", ""); !strings.Contains(got.body, "run make console") {
		t.Errorf("%s", got.body)
	}
}
