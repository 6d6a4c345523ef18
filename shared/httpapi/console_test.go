package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/console"
	"minicloud/shared/dynamo/claimdb"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/idempotency"
	"minicloud/shared/tenant"
)

// administrators is a fake TokenVerifier whose tokens are roles.
type administrators struct{}

func (administrators) VerifyToken(_ context.Context, token string) (console.Administrator, app.Application, error) {
	text, acting := strings.CutSuffix(token, "-as-bob")
	role := console.Role(text)
	var as *console.EndUser
	if acting {
		as = &console.EndUser{ID: 5, Env: tenant.Production, Nickname: "Bob"}
	}
	if !role.Valid() {
		return console.Administrator{}, app.Application{}, errs.Unauthenticated("the console token is changed")
	}
	return console.Administrator{ID: 9, Email: "ada@example.com", Role: role, As: as}, app.Application{
		ID: 7, ClientID: clientID, Environments: map[tenant.EnvID]string{testEnv: "test"},
	}, nil
}

// notebook is a fake audit log that records its calls.
type notebook struct {
	steps   []string
	entries []console.Entry
	err     error
	over    bool // all sessions have ended
}

func (n *notebook) SignedIn(context.Context, console.Administrator) error {
	if n.over {
		return errs.Unauthenticated("the session is over")
	}
	return nil
}

func (n *notebook) Begin(_ context.Context, e console.Entry) error {
	if n.err != nil {
		return n.err
	}
	n.steps = append(n.steps, "begin")
	if !slices.ContainsFunc(n.entries, func(other console.Entry) bool { return other.ID == e.ID }) {
		n.entries = append(n.entries, e)
	}
	return nil
}

func (n *notebook) End(_ context.Context, e console.Entry, status int) error {
	n.steps = append(n.steps, fmt.Sprint("end ", status))
	for i := range n.entries {
		if n.entries[i].ID == e.ID {
			n.entries[i].Status = status
		}
	}
	return nil
}

func consoleFace(t *testing.T, audit *notebook) http.Handler {
	t.Helper()
	handle := func(w http.ResponseWriter, r *http.Request) error {
		audit.steps = append(audit.steps, "handle")
		if r.URL.Query().Get("fail") != "" {
			return errs.Invalid("fail is given")
		}
		httpapi.Write(w, http.StatusAccepted, httpapi.Scope(r.Context()).String())
		return nil
	}
	return (&httpapi.API{
		Authenticator: tokens{}, Consoles: administrators{}, Audit: audit, Clock: clock.System,
		Replay: &idempotency.Service{Store: &claimdb.Store{
			Client: dynamotest.Start(t, "IdempotencyTable"), Table: "IdempotencyTable",
		}},
		Routes: []httpapi.Route{
			{Method: "GET", Path: "/v1/thing", Access: httpapi.Bearer, Handle: handle},
			{Method: "POST", Path: "/v1/thing", Access: httpapi.Bearer, Handle: handle},
			{Method: "DELETE", Path: "/v1/thing", Access: httpapi.ServiceR1, Handle: handle},
			{Method: "POST", Path: "/v1/thing/query", Access: httpapi.Bearer, Handle: handle, Reads: true, Fresh: true},
			{Method: "POST", Path: "/v1/thing-check", Access: httpapi.Bearer, Handle: handle, Reads: true},
			{Method: "POST", Path: "/v1/fire", Access: httpapi.Bearer, Handle: handle, DryRun: true},
			{Method: "POST", Path: "/v1/run", Access: httpapi.Bearer, Handle: handle, Acts: true},
			{Method: "POST", Path: "/v1/secret", Access: httpapi.Bearer, Handle: handle, Role: console.Owner},
			{Method: "POST", Path: "/v1/inner", Access: httpapi.RunToken, Handle: handle},
		},
	}).Handler()
}

// TestRefusesReadsAfterSignOut by any method.
func TestRefusesReadsAfterSignOut(t *testing.T) {
	audit := &notebook{over: true}
	face := consoleFace(t, audit)
	for _, request := range []string{"GET /v1/thing", "HEAD /v1/thing", "POST /v1/thing/query", "POST /v1/fire?dry_run=1"} {
		method, path, _ := strings.Cut(request, " ")
		r := httptest.NewRequest(method, path, nil)
		r.Header.Set("Authorization", "Console owner")
		w := httptest.NewRecorder()
		face.ServeHTTP(w, r)
		if w.Code != 401 || len(audit.steps) > 0 {
			t.Errorf("%s: %d, %v", request, w.Code, audit.steps)
		}
	}
}

func TestRolesOfConsoleTokens(t *testing.T) {
	for _, c := range []struct {
		request                  string
		viewer, developer, owner int
	}{
		{"GET /v1/thing", 202, 202, 202},
		{"HEAD /v1/thing", 202, 202, 202},
		{"POST /v1/thing", 403, 202, 202},
		{"DELETE /v1/thing", 403, 202, 202},
		{"POST /v1/thing/query", 202, 202, 202},
		{"POST /v1/thing?dry_run=1", 403, 202, 202}, // this route has no dry run
		{"POST /v1/fire", 403, 202, 202},
		{"POST /v1/fire?dry_run=0", 403, 202, 202},
		{"POST /v1/fire?dry_run=yes", 403, 202, 202},
		{"POST /v1/fire?dry_run=1", 202, 202, 202},
		{"POST /v1/fire?dry_run=true", 202, 202, 202},
		{"POST /v1/secret", 403, 403, 202},
		{"POST /v1/inner", 404, 404, 404},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		for role, want := range map[console.Role]int{
			console.Viewer: c.viewer, console.Developer: c.developer, console.Owner: c.owner, "king": 401,
		} {
			audit := new(notebook)
			if role == "king" && c.viewer == 404 {
				want = 404
			}
			w := ask(consoleFace(t, audit), method, path, `{}`, "Authorization: Console "+string(role))
			if w.Code != want || want == 403 && !strings.Contains(w.Body.String(), "your role is "+string(role)) {
				t.Errorf("%s as %s: %d %s, want %d", c.request, role, w.Code, w.Body, want)
			}
			if want == 403 && len(audit.steps) > 0 {
				t.Errorf("%s as %s: %v", c.request, role, audit.steps)
			}
		}
	}
}

// TestKeysOfReadingRequests (D8): under one key, the same body gets the same response and another body gets 422, except
// on Fresh routes. A viewer's key works like a client's.
func TestKeysOfReadingRequests(t *testing.T) {
	for _, c := range []struct{ path, steps, again, other string }{
		{"/v1/thing-check", "handle", "202 true", "422 "},
		{"/v1/thing/query", "handle handle handle", "202 ", "202 "},
	} {
		for _, caller := range []string{auth, "Authorization: Console viewer"} {
			audit := new(notebook)
			h := consoleFace(t, audit)
			post := func(body string) string {
				w := ask(h, "POST", c.path, body, caller, "Idempotency-Key: k")
				return fmt.Sprint(w.Code, " ", w.Header().Get("Idempotency-Replayed"))
			}
			first, again, other := post(`{"n":1}`), post(`{"n":1}`), post(`{"n":2}`)
			if first != "202 " || again != c.again || other != c.other || strings.Join(audit.steps, " ") != c.steps {
				t.Errorf("%s by %s: %q, %q, %q after %v", c.path, caller, first, again, other, audit.steps)
			}
		}
	}
}

// TestAuditsBeforeChanges: the entry is written before the change, with the names of the changed fields.
func TestAuditsBeforeChanges(t *testing.T) {
	audit := new(notebook)
	h := consoleFace(t, audit)
	const developer = "Authorization: Console developer"
	for _, c := range []struct {
		method, target, body string
		header               []string
		steps                string
	}{
		{"GET", "/v1/thing", "", nil, "handle"},
		{"POST", "/v1/thing/query", "{}", nil, "handle"},
		{"POST", "/v1/thing?where=topsecret", `{"password":"topsecret","name":{"first":"topsecret"}}`,
			[]string{"X-Service-Env-ID: " + testEnv}, "begin handle end 202"},
		{"POST", "/v1/thing?fail=1", "not JSON", nil, "begin handle end 400"},
		{"POST", "/v1/thing", `{}`, []string{"Idempotency-Key: k"}, "begin handle end 202"},
		{"POST", "/v1/thing", `{}`, []string{"Idempotency-Key: k"}, ""},
	} {
		audit.steps = nil
		ask(h, c.method, c.target, c.body, append(c.header, developer)...)
		if got := strings.Join(audit.steps, " "); got != c.steps {
			t.Errorf("%s %s: %s, want %s", c.method, c.target, got, c.steps)
		}
	}
	if len(audit.entries) != 3 {
		t.Fatalf("%d entries: %+v", len(audit.entries), audit.entries)
	}
	first := audit.entries[0]
	if first.Application != 7 || first.Environment != testEnv || first.By.ID != 9 || first.Path != "/v1/thing" ||
		first.Method != "POST" || !slices.Equal(first.Fields, []string{"where", "name", "password"}) ||
		strings.Contains(fmt.Sprintf("%+v", audit.entries), "topsecret") {
		t.Errorf("%+v", first)
	}

	audit.steps, audit.err = nil, errs.Unavailable(1, "busy")
	if w := ask(h, "POST", "/v1/thing", `{}`, developer); w.Code != 503 || len(audit.steps) > 0 {
		t.Errorf("without a log: %d, %v", w.Code, audit.steps)
	}
	if w := ask(h, "POST", "/v1/thing", `{}`, auth); w.Code != 202 {
		t.Errorf("an application's own client needs none: %d", w.Code)
	}
}

// TestActingAsAUserRunsFunctionsOnly: everything else is refused, not done as the administrator. The audit log names
// the user.
func TestActingAsAUserRunsFunctionsOnly(t *testing.T) {
	for _, c := range []struct {
		request, token, env string
		status              int
		want                string
	}{
		{"POST /v1/run", "developer-as-bob", "", 202, ""},
		{"POST /v1/run", "owner-as-bob", "", 202, ""},
		{"POST /v1/run", "viewer-as-bob", "", 403, "your role is viewer"},
		{"POST /v1/run", "developer-as-bob", string(testEnv), 403, "another environment"},
		{"GET /v1/thing", "owner-as-bob", "", 403, "you act as user"},
		{"POST /v1/thing", "owner-as-bob", "", 403, "you act as user 5 "},
		{"POST /v1/thing/query", "owner-as-bob", "", 403, "you act as user"},
		{"DELETE /v1/thing", "owner-as-bob", "", 403, "you act as user"},
		{"POST /v1/secret", "owner-as-bob", "", 403, "you act as user"},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		audit := new(notebook)
		w := ask(consoleFace(t, audit), method, path, `{}`, "Authorization: Console "+c.token, "X-Service-Env-ID: "+c.env)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s with %s: %d %s, want %d %s", c.request, c.token, w.Code, w.Body, c.status, c.want)
		}
		if c.status != 202 {
			if len(audit.steps) > 0 {
				t.Errorf("%s with %s: %v", c.request, c.token, audit.steps)
			}
			continue
		}
		if len(audit.entries) != 1 || audit.entries[0].By.As == nil || audit.entries[0].By.As.ID != 5 {
			t.Errorf("%s with %s is in the audit log as %+v", c.request, c.token, audit.entries)
		}
	}
}
