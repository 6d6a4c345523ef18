package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/console"
	"minicloud/shared/page"
)

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

const accounts = "/console/api/account/"

func (p *platform) path(name string) string {
	p.Helper()
	a, err := p.accounts.Accounts.ByEmail(p.Context(), name+"@example.com")
	p.must(err)
	return fmt.Sprintf("%s%d/", accounts, a.ID)
}

func TestAccounts(t *testing.T) {
	p := newPlatform(t)
	b := p.signIn("owner")
	draft := fmt.Sprintf(`{"email":" New@example.com ","name":"N","password":"long enough","role":"developer","applications":[%d]}`,
		p.bar.ID)
	b.want(201, "POST", accounts, draft)
	for _, step := range []struct{ body, want string }{
		{draft, "email is another account's"},
		{`{"email":"NEW@EXAMPLE.COM","name":"N","password":"long enough","role":"viewer","applications":[]}`,
			"email is another account's"},
		{`{"email":"a@b","name":"N","password":"long enough","role":"viewer"}`, "applications is required"},
		{`{"email":"x","name":"N","password":"long enough","role":"viewer","applications":[]}`, "email must be an address"},
		{`{"email":"a@b@c","name":"N","password":"long enough","role":"viewer","applications":[]}`, "email must be an address"},
		{`{"email":"a@b","name":"","password":"long enough","role":"viewer","applications":[]}`, "name must have"},
		{`{"email":"a@b","name":"N","password":"short","role":"viewer","applications":[]}`, "password must have"},
		{`{"email":"a@b","name":"N","password":"long enough","role":"king","applications":[]}`, "role must be"},
		{`{"email":"a@b","name":"N","password":"long enough","role":"viewer","applications":[1]}`, "application 1 does not exist"},
	} {
		if answer := b.want(400, "POST", accounts, step.body); !strings.Contains(answer.body, step.want) {
			t.Errorf("%s: %s", step.body, answer.body)
		}
	}
	list := b.want(200, "GET", accounts, "")
	if strings.Count(list.body, `"email"`) != 5 || strings.Contains(list.body, "argon2") {
		t.Errorf("accounts: %s", list.body)
	}

	path := p.path("new")
	b.want(200, "PATCH", path, `{"role":"viewer"}`)
	if a := b.want(200, "GET", path, "").decode(t); a["role"] != "viewer" || len(a["applications"].([]any)) != 1 {
		t.Errorf("changed to %v", a)
	}
	b.want(204, "DELETE", path, "{}")
	b.want(404, "GET", path, "")
	b.want(404, "DELETE", path, "{}")
	b.want(404, "GET", accounts+"x/", "")
}

// TestAccountWithoutApplicationsSeesNone: removing an account's last application does not give it access to all.
func TestAccountWithoutApplicationsSeesNone(t *testing.T) {
	p := newPlatform(t)
	owner, path := p.signIn("owner"), p.path("dev")
	for _, step := range []struct {
		body  string
		all   bool
		count int // the number of applications that it has access to
	}{
		{`{"applications":[]}`, false, 0},
		{`{"name":"D"}`, false, 0},
		{`{"all_applications":true}`, true, 2},
		{`{"name":"Dev"}`, true, 2},
		{`{"all_applications":false}`, false, 0},
		{`{"all_applications":true,"applications":[]}`, true, 2},
		{fmt.Sprintf(`{"applications":[%d]}`, p.bar.ID), false, 1},
	} {
		owner.want(200, "PATCH", path, step.body)
		a := p.signIn("dev").want(200, "GET", sessionPath, "").decode(t)
		got := a["account"].(map[string]any)["all_applications"]
		if n := len(a["applications"].([]any)); got != step.all || n != step.count {
			t.Errorf("%s: all %v, enters %d", step.body, got, n)
		}
	}

	both := fmt.Sprintf(`{"all_applications":true,"applications":[%d]}`, p.shop.ID)
	if answer := owner.want(400, "PATCH", path, both); !strings.Contains(answer.body, "all_applications") {
		t.Error(answer.body)
	}
	owner.want(201, "POST", accounts,
		`{"email":"n@b.c","name":"N","password":"long enough","role":"owner","applications":[]}`)
	b := &browser{p: p}
	b.want(200, "POST", sessionPath, `{"email":"n@b.c","password":"long enough"}`)
	b.want(403, "GET", accounts, "")
}

// TestKeepsTheLastOwner: also when two owners remove each other concurrently.
func TestKeepsTheLastOwner(t *testing.T) {
	p := newPlatform(t)
	owner := p.signIn("owner")
	for _, body := range []string{`{"role":"developer"}`, fmt.Sprintf(`{"applications":[%d]}`, p.shop.ID)} {
		owner.want(400, "PATCH", p.path("owner"), body)
	}
	owner.want(400, "DELETE", p.path("owner"), "{}")

	p.account("second", console.Owner)
	second := p.signIn("second")
	var wg sync.WaitGroup
	wg.Go(func() { owner.ask("DELETE", p.path("second"), "{}") })
	wg.Go(func() { second.ask("PATCH", p.path("owner"), `{"role":"viewer"}`) })
	wg.Wait()
	all, err := p.accounts.Accounts.Accounts(t.Context())
	p.must(err)
	left := 0
	for _, a := range all {
		if a.Administrator().Everywhere() == nil {
			left++
		}
	}
	if left != 1 {
		t.Errorf("%d owners of everything are left", left)
	}
}

// TestOnlyOwnersOfAllManageAccounts: otherwise an owner of one application could give themselves access to all.
func TestOnlyOwnersOfAllManageAccounts(t *testing.T) {
	p := newPlatform(t)
	for _, name := range []string{"keeper", "dev", "viewer"} {
		b := p.signIn(name)
		b.want(403, "GET", accounts, "")
		b.want(403, "POST", accounts, `{"email":"a@b.c","name":"N","password":"long enough","role":"owner"}`)
		b.want(403, "PATCH", p.path(name), `{"role":"owner","applications":[]}`)
		b.want(403, "DELETE", p.path("owner"), "{}")
		b.want(403, "GET", p.path("owner"), "")
		b.want(403, "GET", p.path("owner")+"session/", "")
		b.want(403, "DELETE", p.path("owner")+"session/", "{}")
		b.want(403, "PUT", p.path("owner")+"password/", `{"new_password":"taken over"}`)
		b.want(403, "GET", "/console/api/audit/", "")
		b.want(403, "POST", "/console/api/application/", `{"name":"mine"}`)
		b.want(200, "GET", p.path(name), "")
		b.want(200, "GET", p.path(name)+"session/", "")
	}
}

func TestPasswords(t *testing.T) {
	p := newPlatform(t)
	here, elsewhere := p.signIn("dev"), p.signIn("dev")
	path := p.path("dev") + "password/"
	here.want(400, "PUT", path, `{"new_password":"a new one here"}`)
	here.want(400, "PUT", path, `{"old_password":"`+secret+`","new_password":"short"}`)
	here.want(204, "PUT", path, `{"old_password":"`+secret+`","new_password":"a new one here"}`)
	here.want(200, "GET", sessionPath, "")
	elsewhere.want(401, "GET", sessionPath, "")
	(&browser{p: p}).want(401, "POST", sessionPath, credentials("dev", secret))
	(&browser{p: p}).want(200, "POST", sessionPath, credentials("dev", "a new one here"))

	owner := p.signIn("owner")
	owner.want(204, "PUT", path, `{"new_password":"from the owner"}`)
	here.want(401, "GET", sessionPath, "")
	b := &browser{p: p}
	b.want(200, "POST", sessionPath, credentials("dev", "from the owner"))
	if list := owner.want(200, "GET", p.path("dev")+"session/", ""); strings.Count(list.body, `"id"`) != 1 ||
		strings.Contains(list.body, b.cookie.Value) {
		t.Errorf("sessions: %s", list.body)
	}
	owner.want(204, "DELETE", p.path("dev")+"session/", "{}")
	b.want(401, "GET", sessionPath, "")

	// Wrong old passwords lock an account out like wrong passwords at sign-in.
	again := p.signIn("viewer")
	for range console.AccountAttempts {
		again.want(400, "PUT", p.path("viewer")+"password/", `{"old_password":"x","new_password":"a new one here"}`)
	}
	again.want(429, "PUT", p.path("viewer")+"password/", `{"old_password":"x","new_password":"a new one here"}`)
}

// TestAuditsEveryChange: an entry has the account, the change, the address and the status, and never a secret.
func TestAuditsEveryChange(t *testing.T) {
	p := newPlatform(t)
	b := p.signIn("owner")
	(&browser{p: p}).want(401, "POST", sessionPath, credentials("owner", "hunter2 hunter2"))
	b.want(201, "POST", accounts, `{"email":"a@b.c","name":"N","password":"topsecret 1","role":"viewer","applications":[]}`)
	b.want(400, "POST", accounts, `{"email":"a@b.c","name":"N","password":"topsecret 2","role":"viewer","applications":[]}`)
	b.want(204, "PUT", p.path("viewer")+"password/", `{"new_password":"topsecret 3"}`)
	here := fmt.Sprintf("/console/api/application/%d/", p.shop.ID)
	b.header = map[string][]string{"Idempotency-Key": {"one"}}
	b.want(200, "PATCH", here, `{"name":"shop 2"}`)
	b.want(200, "PATCH", here, `{"name":"shop 2"}`) // the repetition is not recorded again
	b.header = nil
	p.move(time.Second) // ids in one millisecond have no order if one is derived from a key
	reset := b.want(200, "POST", here+"secret/", "").field(t, "client_secret").(string)

	mine := b.want(200, "GET", "/console/api/audit/", "")
	for _, want := range []string{`"path":"/console/api/account/"`, `"fields":["applications","email","name","password","role"]`,
		`"status":201`, `"status":400`, `"status":204`, `"status":401`, `"address":"192.0.2.7"`, `"email":"owner@example.com"`} {
		if !strings.Contains(mine.body, want) {
			t.Errorf("no %s in %s", want, mine.body)
		}
	}
	log := b.want(200, "GET", here+"audit/", "")
	if strings.Count(log.body, `"PATCH"`) != 1 || strings.Count(log.body, `"method"`) != 2 {
		t.Errorf("the application's log: %s", log.body)
	}
	for _, hidden := range []string{"topsecret", "hunter2", reset, b.csrf, b.cookie.Value, secret} {
		if strings.Contains(mine.body+log.body+p.log.String(), hidden) {
			t.Errorf("%s is in a log", hidden)
		}
	}

	p.signIn("keeper").want(200, "GET", here+"audit/", "")
	p.signIn("dev").want(403, "GET", here+"audit/", "")
	first := b.want(200, "GET", here+"audit/?limit=1", "").decode(t)
	next := first["meta"].(map[string]any)["next"].(string)
	second := b.want(200, "GET", next, "")
	if !strings.Contains(second.body, `"PATCH"`) || strings.Contains(second.body, "secret/") {
		t.Errorf("the second page: %s", second.body)
	}
	for query, want := range map[string]int{
		"?account=1": 0, "?from=1&to=2": 0, "?to=1": 0, "?from=1795348800": 2, "?from=2&to=1": 0,
	} {
		if got := b.want(200, "GET", here+"audit/"+query, ""); strings.Count(got.body, `"method"`) != want {
			t.Errorf("%s: %s", query, got.body)
		}
	}
}

// TestRefusesChangesThatCannotBeAudited: the client can retry a refused change. A change whose end was not recorded
// has no status.
func TestRefusesChangesThatCannotBeAudited(t *testing.T) {
	p := newPlatform(t)
	b := p.signIn("owner")
	client, path := p.audit.Client, fmt.Sprintf("/console/api/application/%d/", p.shop.ID)
	throttled := func(of string) {
		p.audit.Client = dynamotest.Faulty(client, func(operation string) dynamotest.Fault {
			if operation == of {
				return dynamotest.Throttled
			}
			return 0
		})
	}
	state := func() (name string, log []console.Entry) {
		a, err := p.apps.Get(t.Context(), p.shop.ID)
		p.must(err)
		got, err := p.audit.Entries(t.Context(), p.shop.ID, console.AuditFilter{}, page.Request{Limit: 10})
		p.must(err)
		return a.Name, got.Objects
	}

	throttled("TransactWriteItems")
	answer := b.want(503, "PATCH", path, `{"name":"lost"}`)
	if name, log := state(); name != "shop" || len(log) != 0 || answer.header.Get("Retry-After") == "" {
		t.Errorf("%s, %v, %v", name, log, answer.header)
	}

	throttled("UpdateItem")
	b.want(200, "PATCH", path, `{"name":"made"}`)
	if name, log := state(); name != "made" || len(log) != 1 || log[0].Status != 0 {
		t.Errorf("%s, %v", name, log)
	}
	p.audit.Client = client
	b.want(400, "PATCH", path, `{"name":""}`)
	if name, log := state(); name != "made" || len(log) != 2 || log[0].Status != 400 {
		t.Errorf("%s, %v", name, log)
	}
}

// TestRefusesSignInThatCannotBeAudited: neither a session nor a cookie is created.
func TestRefusesSignInThatCannotBeAudited(t *testing.T) {
	p := newPlatform(t)
	p.audit.Client = dynamotest.Faulty(p.audit.Client, func(string) dynamotest.Fault { return dynamotest.Throttled })
	b := &browser{p: p}
	b.want(503, "POST", sessionPath, credentials("dev", secret))
	if b.cookie != nil {
		t.Error("they have a cookie")
	}
	b.want(401, "POST", sessionPath, credentials("dev", "a wrong one"))
}
