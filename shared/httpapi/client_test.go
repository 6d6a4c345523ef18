package httpapi_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo/claimdb"
	"minicloud/shared/httpapi"
	"minicloud/shared/idempotency"
	"minicloud/shared/permission"
	"minicloud/shared/tenant"
	"minicloud/shared/user/session"
	"minicloud/shared/user/session/sessiontest"
)

// view is what a handler of a Client route learns of its caller.
type view struct {
	User      int64  `json:"user"`
	Temporary bool   `json:"temporary"`
	Trusted   bool   `json:"trusted"`
	Scope     string `json:"scope"`
	Call      int    `json:"call"`
}

var (
	registered = string(session.NewToken(5))
	temporary  = string(session.NewToken(6))
)

// clientFace serves a route of each standing, one for access tokens and one for logins.
func clientFace(t *testing.T) http.Handler {
	t.Helper()
	calls := 0
	call := httpapi.Call(func(ctx context.Context, _ httpapi.None) (view, error) {
		calls++
		caller := httpapi.From(ctx)
		return view{caller.Subject().User, caller.Subject().Temporary, caller.Trusted, caller.Scope.String(), calls}, nil
	})
	route := func(path string, change func(*httpapi.Route)) httpapi.Route {
		r := httpapi.Route{Method: "POST", Path: path, Access: httpapi.Client, Call: call}
		change(&r)
		return r
	}
	return (&httpapi.API{
		Authenticator: tokens{},
		Clients: sessiontest.Clients{clientID: {
			ID: 7, ClientID: clientID, Environments: map[tenant.EnvID]string{testEnv: "test"},
		}},
		EndUsers: sessiontest.Users{
			registered: {Subject: permission.Subject{User: 5}},
			temporary:  {Subject: permission.Subject{User: 6, Temporary: true}},
		},
		Replay: &idempotency.Service{Store: &claimdb.Store{
			Client: dynamotest.Start(t, "IdempotencyTable"), Table: "IdempotencyTable",
		}},
		Routes: []httpapi.Route{
			route("/hserve/v1/anyone", func(*httpapi.Route) {}),
			route("/hserve/v1/logged-in", func(r *httpapi.Route) { r.Needs = httpapi.LoggedIn }),
			route("/hserve/v1/registered", func(r *httpapi.Route) { r.Needs = httpapi.Registered }),
			route("/hserve/v1/enter", func(r *httpapi.Route) { r.Enters, r.Fresh = true, true }),
			route("/hserve/v1/order", func(r *httpapi.Route) { r.Needs, r.AccessTokens = httpapi.LoggedIn, true }),
		},
	}).Handler()
}

// TestStandings is the table of callers and standings (C2, C4, C5).
func TestStandings(t *testing.T) {
	h := clientFace(t)
	callers := []struct{ name, authorization string }{
		{"nobody", ""}, {"temporary", "Service-r1 " + temporary}, {"registered", "service-R1 " + registered},
		{"stale", "Service-r1 " + string(session.NewToken(5))}, {"access token", "Service-r1 " + goodToken},
		{"wrong scheme", "Bearer " + registered}, {"no token", "Service-r1"},
	}
	for path, want := range map[string][]int{
		"anyone":     {200, 200, 200, 401, 401, 401, 401},
		"logged-in":  {401, 200, 200, 401, 401, 401, 401},
		"registered": {401, 403, 200, 401, 401, 401, 401},
		"enter":      {200, 200, 200, 200, 200, 200, 200},
		"order":      {401, 200, 200, 401, 200, 401, 401},
	} {
		for i, who := range callers {
			header := []string{"X-Service-Client-ID: " + clientID}
			if who.authorization != "" {
				header = append(header, "Authorization: "+who.authorization)
			}
			got := ask(h, "POST", "/hserve/v1/"+path, "", header...)
			if got.Code != want[i] {
				t.Errorf("%s as %s: %d %s, want %d", path, who.name, got.Code, got.Body, want[i])
			}
			trusted := path == "order" && who.name == "access token"
			if got.Code == 200 && strings.Contains(got.Body.String(), `"trusted":true`) != trusted {
				t.Errorf("%s as %s: %s", path, who.name, got.Body)
			}
			if path == "enter" && i > 2 && !strings.Contains(got.Body.String(), `"user":0`) {
				t.Errorf("%s as %s: %s", path, who.name, got.Body)
			}
		}
	}
}

func TestClientNamesTheApplication(t *testing.T) {
	h := clientFace(t)
	for _, c := range []struct {
		header []string
		status int
		scope  string
	}{
		{nil, 401, ""},
		{[]string{"X-Service-Client-ID: "}, 401, ""},
		{[]string{"X-Service-Client-ID: 00000000000000000001"}, 401, ""},
		{[]string{"X-Service-Client-ID: " + clientID}, 200, "7.production"},
		{[]string{"X-Service-Client-ID: " + clientID, "X-Service-Env-ID: " + testEnv}, 200, "7." + testEnv},
		{[]string{"X-Service-Client-ID: " + clientID, "X-Service-Env-ID: bbbbbbbbbbbbbbbbbbbb"}, 400, ""},
	} {
		got := ask(h, "POST", "/hserve/v1/anyone", "", c.header...)
		if got.Code != c.status || c.scope != "" && !strings.Contains(got.Body.String(), `"scope":"`+c.scope+`"`) {
			t.Errorf("%v: %d %s", c.header, got.Code, got.Body)
		}
	}
}

// TestKeysOfEndUsers: an Idempotency-Key belongs to its user; logins and callers without a session have none (C39).
func TestKeysOfEndUsers(t *testing.T) {
	h := clientFace(t)
	send := func(path, authorization string) (body string, replayed bool) {
		t.Helper()
		header := []string{"X-Service-Client-ID: " + clientID, "Idempotency-Key: " + strings.Repeat("k", idempotency.MaxKey)}
		if authorization != "" {
			header = append(header, "Authorization: "+authorization)
		}
		got := ask(h, "POST", path, "", header...)
		if got.Code != 200 {
			t.Fatalf("%s: %d %s", path, got.Code, got.Body)
		}
		return got.Body.String(), got.Header().Get("Idempotency-Replayed") != ""
	}
	for _, c := range []struct {
		path, authorization string
		kept                bool
	}{
		{"/hserve/v1/order", "Service-r1 " + registered, true}, {"/hserve/v1/order", "Service-r1 " + temporary, true},
		{"/hserve/v1/order", "Service-r1 " + goodToken, true}, {"/hserve/v1/enter", "Service-r1 " + registered, false},
		{"/hserve/v1/anyone", "", false},
	} {
		first, replayed := send(c.path, c.authorization)
		if replayed {
			t.Errorf("%s with %s got the answer of another caller: %s", c.path, c.authorization, first)
		}
		again, replayed := send(c.path, c.authorization)
		if replayed != c.kept || (again == first) != c.kept {
			t.Errorf("%s with %s: first %s, then %s", c.path, c.authorization, first, again)
		}
	}
}
