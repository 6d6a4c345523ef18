package httpapi_test

import (
	"context"
	"net/http"
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
	"minicloud/shared/permission"
	"minicloud/shared/tenant"
	"minicloud/shared/user/session/sessiontest"
)

// actors is a fake that knows Dora, and Dora acting as the users of the shop.
type actors struct{}

func (actors) VerifyToken(_ context.Context, token string) (console.Administrator, app.Application, error) {
	dora := console.Administrator{ID: 3, Email: "dora@example.com", Role: console.Developer}
	as := map[string]console.EndUser{
		"as registered": {ID: 5, Env: tenant.Production}, "as temporary": {ID: 6, Env: tenant.Production},
		"as tester": {ID: 5, Env: testEnv}, "as nobody": {ID: 9, Env: tenant.Production},
	}
	who, acts := as[token]
	if !acts && token != "dora" {
		return dora, app.Application{}, errs.Unauthenticated("no such token")
	}
	if acts {
		dora.As = &who
	}
	return dora, app.Application{ID: 7, ClientID: clientID, Environments: map[tenant.EnvID]string{testEnv: "test"}}, nil
}

func actingFace(t *testing.T, audit *notebook) http.Handler {
	t.Helper()
	calls := 0
	call := httpapi.Call(func(ctx context.Context, _ httpapi.None) (view, error) {
		calls++
		w, _ := httpapi.Exchange(ctx)
		w.Header().Set("X-Service-Plan", "plan")
		caller := httpapi.From(ctx)
		return view{caller.Subject().User, caller.Subject().Temporary, caller.Trusted, caller.Scope.String(), calls}, nil
	})
	client := func(method, path string, needs httpapi.Standing, acts bool) httpapi.Route {
		return httpapi.Route{Method: method, Path: path, Access: httpapi.Client, Needs: needs, Call: call, Acts: acts}
	}
	order := client("POST", "/hserve/v1/order", httpapi.LoggedIn, true)
	order.AccessTokens = true
	return (&httpapi.API{
		Authenticator: tokens{}, Consoles: actors{}, Audit: audit, Clock: clock.System,
		Clients: sessiontest.Clients{clientID: {ID: 7, ClientID: clientID}},
		EndUsers: sessiontest.Users{
			registered: {Subject: permission.Subject{User: 5}}, temporary: {Subject: permission.Subject{User: 6, Temporary: true}},
		},
		Replay: &idempotency.Service{Store: &claimdb.Store{
			Client: dynamotest.Start(t, "IdempotencyTable"), Table: "IdempotencyTable",
		}},
		Routes: []httpapi.Route{
			client("GET", "/hserve/v1/row", httpapi.Anyone, true), client("POST", "/hserve/v1/row", httpapi.LoggedIn, true),
			client("POST", "/hserve/v1/job", httpapi.Registered, true), client("PUT", "/hserve/v1/account", httpapi.Registered, false),
			client("GET", "/hserve/v1/session", httpapi.LoggedIn, false), order,
			{Method: "GET", Path: "/oserve/v1/row", Access: httpapi.Bearer, Call: call},
		},
	}).Handler()
}

// TestActsAsUser is the table of what an administrator who acts as a user may call (C46).
func TestActsAsUser(t *testing.T) {
	audit := new(notebook)
	h := actingFace(t, audit)
	const own, env = "X-Service-Client-ID: " + clientID, "X-Service-Env-ID: " + testEnv
	for _, c := range []struct {
		request, token string
		header         []string
		status         int
		want           string
	}{
		{"GET /hserve/v1/row", "as registered", nil, 200, `"user":5,"temporary":false,"trusted":false,"scope":"7.production"`},
		{"GET /hserve/v1/row", "as registered", []string{own}, 200, `"user":5`},
		{"GET /hserve/v1/row", "as registered", []string{"X-Service-Client-ID: 1"}, 401, "X-Service-Client-ID is not"},
		{"GET /hserve/v1/row", "as tester", []string{env}, 200, `"scope":"7.` + testEnv},
		{"GET /hserve/v1/row", "as tester", nil, 403, "another environment"},
		{"GET /hserve/v1/row", "as registered", []string{env}, 403, "another environment"},
		{"GET /hserve/v1/row", "as nobody", nil, 403, "you act as user 9, who is blocked or gone"},
		{"GET /hserve/v1/row", "unknown", nil, 401, "no such token"},
		{"GET /hserve/v1/row", "dora", nil, 401, "Service-r1"},
		{"POST /hserve/v1/row", "as temporary", nil, 200, `"user":6,"temporary":true`},
		{"POST /hserve/v1/job", "as temporary", nil, 403, "register first"},
		{"POST /hserve/v1/job", "as registered", nil, 200, `"user":5`},
		{"PUT /hserve/v1/account", "as registered", nil, 403, "stop acting"},
		{"GET /hserve/v1/session", "as registered", nil, 403, "stop acting"},
		{"POST /hserve/v1/order", "as registered", nil, 200, `"user":5,"temporary":false,"trusted":false`},
		{"POST /hserve/v1/order", "dora", nil, 200, `"user":0,"temporary":false,"trusted":true`},
		{"GET /oserve/v1/row", "as registered", nil, 403, "stop acting"},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		before := len(audit.entries)
		w := ask(h, method, path, "", append(c.header, "Authorization: Console "+c.token)...)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s: %d %s, want %d %s", c.request, c.token, w.Code, w.Body, c.status, c.want)
		}
		if c.status == 200 && w.Header().Get("X-Service-Plan") == "" {
			t.Errorf("%s %s: no plan", c.request, c.token)
		}
		written := c.status == 200 && method != "GET"
		if audited := len(audit.entries) > before; audited != written {
			t.Errorf("%s %s: audited: %v", c.request, c.token, audited)
		}
	}
	if by := audit.entries[0].By; by.Email != "dora@example.com" || by.As == nil || by.As.ID != 6 {
		t.Errorf("the audit log says %+v", by)
	}
}

// TestKeysOfActing: neither the user's key nor that of an administrator is the key of who acts as the user.
func TestKeysOfActing(t *testing.T) {
	h := actingFace(t, new(notebook))
	seen := map[string]bool{}
	for _, authorization := range []string{
		"Service-r1 " + registered, "Console as registered", "Console as temporary", "Service-r1 " + temporary,
		"Console dora",
	} {
		for again := range 2 {
			w := ask(h, "POST", "/hserve/v1/order", "", "X-Service-Client-ID: "+clientID, "Authorization: "+authorization,
				"Idempotency-Key: k")
			replayed := w.Header().Get("Idempotency-Replayed") != ""
			if w.Code != 200 || replayed != (again == 1) || seen[w.Body.String()] != replayed {
				t.Errorf("%s, request %d: %d %s, replayed %v", authorization, again, w.Code, w.Body, replayed)
			}
			seen[w.Body.String()] = true
		}
	}
}
