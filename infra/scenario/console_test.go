package scenario_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"minicloud/infra/openapi/routes"
	"minicloud/shared/httpapi"
)

// readsByPost are the POST requests that change nothing, which a viewer may send.
var readsByPost = []string{
	"/oserve/v2.2/file/query", "/userve/v2.2/file/query",
	"/oserve/v2.4/table/{table}/record/query", "/userve/v2.4/table/{table}/record/query",
	"/userve/v2.2/miniapp/user_profile/query",
	"/hserve/v2.0/table/{table}/record/query", "/hserve/v2.2/table/{table}/record/query",
	"/hserve/v2.4/table/{table}/record/query", "/hserve/v2.5/table/{table}/record/query",
	"/hserve/v2.0/user/info/query", "/hserve/v2.1/user/info/query", "/hserve/v2.2/user/info/query", "/hserve/v2.5/user/info/query",
	"/oserve/v2.2/miniapp/user_profile/query", "/oserve/v1.3/cloud-function-check", "/oserve/v3/trigger-check",
	"/oserve/v3/trigger/{trigger}/back-test",
}

// ownersOnly are the paths of the open API that require the role of an owner. The test has its own list, so that a
// route that loses its role fails it.
var ownersOnly = []string{"/oserve/v3/order/erase"}

// signIn returns a caller with the console session of an account: its cookie and CSRF token.
func signIn(t *testing.T, c stage, email, password string) caller {
	t.Helper()
	page := caller{c.URL, http.Header{}}
	answer := page.ask(t, "POST", "/console/api/session/", fmt.Sprintf(`{"email":%q,"password":%q}`, email, password))
	cookie, _, _ := strings.Cut(answer.header.Get("Set-Cookie"), ";")
	return page.with("Cookie", cookie).with("X-CSRF-Token", find(t, answer, "csrf_token"))
}

// member creates an account with a role and returns a caller with its console session.
func member(t *testing.T, c stage, owner caller, role string) caller {
	t.Helper()
	email := role + "@example.com"
	answer := owner.ask(t, "POST", "/console/api/account/", fmt.Sprintf(
		`{"email":%q,"name":%q,"password":"long enough","role":%q,"applications":[%d]}`, email, role, role, c.Credentials.Miniapp))
	if answer.status != http.StatusCreated {
		t.Fatalf("create %s: %d %s", role, answer.status, answer.body)
	}
	return signIn(t, c, email, "long enough")
}

// rolesOfTheConsole sends every request with console tokens: a viewer cannot change anything, a developer can change
// all that is not for owners only, and the audit log has the changes and not what was refused.
func rolesOfTheConsole(t *testing.T, c stage) {
	owner := signIn(t, c, c.Credentials.ConsoleEmail, c.Credentials.ConsolePassword)
	viewer, developer := member(t, c, owner, "viewer"), member(t, c, owner, "developer")
	application := fmt.Sprintf(`{"application_id":%d}`, c.Credentials.Miniapp)
	changes := 0
	for name, page := range map[string]caller{"viewer": viewer, "developer": developer, "owner": owner} {
		token := find(t, page.ask(t, "POST", "/console/api/token/", application), "token")
		as := caller{c.URL, http.Header{}}.with("Authorization", "Console "+token).
			with("X-Service-Env-ID", string(c.Credentials.Environments["test"]))
		for _, route := range routes.All() {
			if slices.Contains([]httpapi.Access{httpapi.Public, httpapi.Session, httpapi.Client}, route.Access) {
				continue
			}
			answer := as.ask(t, route.Method, anyPath(route.Path)+"/", "{}")
			if !wanted(name, route, answer) {
				t.Errorf("%s as %s: %d %s", key(route), name, answer.status, answer.body)
			}
			if name == "developer" && route.Access != httpapi.RunToken && changing(route) &&
				!slices.Contains(ownersOnly, route.Path) {
				changes++
			}
		}
	}

	log := owner.ask(t, "GET", fmt.Sprintf("/console/api/application/%d/audit/?limit=1000", c.Credentials.Miniapp), "")
	if got := strings.Count(log.body, `"email":"developer@example.com"`); got != changes || changes < 20 {
		t.Errorf("the developer asked for %d changes, %d are in the log: %s", changes, got, log.body)
	}
	if strings.Contains(log.body, "viewer@example.com") {
		t.Errorf("what a viewer was refused is in the log: %s", log.body)
	}
}

func changing(route routes.Route) bool {
	return route.Method != http.MethodGet && !slices.Contains(readsByPost, route.Path)
}

// wanted reports whether a route gives an administrator the expected response.
func wanted(name string, route routes.Route, answer reply) bool {
	refused := answer.status == http.StatusForbidden && strings.Contains(answer.body, "your role is "+name)
	switch {
	case route.Access == httpapi.RunToken:
		return answer.status == http.StatusNotFound
	case name == "viewer" && changing(route), name != "owner" && slices.Contains(ownersOnly, route.Path):
		return refused
	}
	return answer.status < 500 && answer.status != http.StatusUnauthorized && !refused
}

// storyOfTheConsole plays an owner's work, from the first application to the audit log.
func storyOfTheConsole(t *testing.T, c stage) {
	owner := signIn(t, c, c.Credentials.ConsoleEmail, c.Credentials.ConsolePassword)
	must := func(status int, method, path, body string) reply {
		t.Helper()
		answer := owner.ask(t, method, "/console/api/"+path, body)
		if answer.status != status {
			t.Errorf("%s %s: %d %s", method, path, answer.status, answer.body)
		}
		return answer
	}

	must(200, "GET", "session/", "")
	must(200, "GET", "application/", "")
	application := "application/" + find(t, must(201, "POST", "application/", `{"name":"shop"}`), "id") + "/"
	must(200, "GET", application, "")
	must(200, "PATCH", application, `{"name":"store"}`)
	must(200, "POST", application+"secret/", "{}")
	must(204, "POST", application+"revoke-tokens/", "{}")
	must(200, "POST", application+"signing-key/", `{"overlap_minutes":5}`)
	environment := application + "environment/" +
		find(t, must(201, "POST", application+"environment/", `{"name":"staging"}`), "id") + "/"
	must(200, "PATCH", environment, `{"name":"stage"}`)
	must(404, "PUT", environment+"function/none/audit/", `{"audit_status":"rejected"}`)
	must(204, "DELETE", environment, `{"name":"stage"}`)
	audit := fmt.Sprintf("application/%d/environment/production/function/owned/audit/", c.Credentials.Miniapp)
	for _, status := range []string{"rejected", "approved"} {
		got := must(200, "PUT", audit, fmt.Sprintf(`{"audit_status":%q}`, status))
		if find(t, got, "audit_status") != status {
			t.Errorf("the function was to be %s: %s", status, got.body)
		}
	}

	account := "account/" + find(t, must(201, "POST", "account/",
		`{"email":"ada@example.com","name":"Ada","password":"long enough","role":"viewer","applications":[]}`), "id") + "/"
	must(200, "GET", "account/", "")
	must(200, "PATCH", account, `{"name":"Ada L."}`)
	must(204, "PUT", account+"password/", `{"new_password":"longer than that"}`)
	ada := signIn(t, c, "ada@example.com", "longer than that")
	if answer := ada.ask(t, "DELETE", "/console/api/session/", ""); answer.status != http.StatusNoContent {
		t.Errorf("sign out: %d %s", answer.status, answer.body)
	}
	tokensEndWithTheirSession(t, c)
	must(200, "GET", account, "")
	must(200, "GET", account+"session/", "")
	must(204, "DELETE", account+"session/", "")
	must(204, "DELETE", account, "")
	must(200, "GET", application+"overview/", "")
	must(400, "GET", application+"overview/?env="+string(c.Credentials.Environments["test"]), "") // of another application
	must(400, "GET", application+"overview/?hours=169", "")
	demo := must(200, "GET", fmt.Sprintf("application/%d/overview/?hours=2", c.Credentials.Miniapp), "")
	if find(t, demo, "runs") == "0" {
		t.Errorf("nothing ran: %s", demo.body)
	}
	names := must(200, "GET", fmt.Sprintf("application/%d/name/?name__contains=", c.Credentials.Miniapp), "")
	if !strings.Contains(names.body, `"_userprofile"`) {
		t.Errorf("names: %s", names.body)
	}
	actsAsAUser(t, c, must)
	must(200, "GET", application+"audit/", "")
	must(200, "GET", "audit/?limit=2", "")
}

// actsAsAUser runs a function as a user, and the function sees that user as its caller.
func actsAsAUser(t *testing.T, c stage, must func(status int, method, path, body string) reply) {
	t.Helper()
	demo := c.owner(t)
	users := demo.ask(t, "GET", "/userve/v2.2/miniapp/user_profile/?limit=1&keys=id", "")
	_, user, _ := strings.Cut(users.body, `"id":`)
	if user, _, _ = strings.Cut(user, "}"); user == "" {
		t.Fatalf("there are no users: %s", users.body)
	}
	name := "seen-" + user
	find(t, demo.ask(t, "POST", "/oserve/v1.3/cloud-function/", fmt.Sprintf(
		`{"name":%q,"function_code":"exports.main = async (event) => event.request.user.id"}`, name)), "id")

	path := fmt.Sprintf("application/%d/environment/production/user/%s/token/", c.Credentials.Miniapp, user)
	given := must(200, "POST", path, "{}")
	as := demo.with("Authorization", "Console "+find(t, given, "token"))
	run := as.ask(t, "POST", "/oserve/v1.3/cloud-function/"+name+"/job/", `{"data":{}}`)
	if find(t, run, "data") != user {
		t.Errorf("the function saw %s, not %s", run.body, user)
	}
	if w := as.ask(t, "GET", "/oserve/v1.3/cloud-function/"+name+"/", ""); w.status != http.StatusForbidden {
		t.Errorf("acting as a user reads functions: %d %s", w.status, w.body)
	}
	must(404, "POST", strings.Replace(path, user, "5", 1), "{}")
	rowsAsUser(t, demo, as, user)
	log := must(200, "GET", fmt.Sprintf("application/%d/audit/?limit=100", c.Credentials.Miniapp), "")
	if !strings.Contains(log.body, "/hserve/v2.4/table/acted/record/") {
		t.Errorf("the audit log does not have the write as a user: %s", log.body)
	}
}

// rowsAsUser reads and writes rows as a user, whose permissions count (C46).
func rowsAsUser(t *testing.T, demo, as caller, user string) {
	find(t, demo.ask(t, "POST", "/oserve/v1.8/table/", `{"name":"acted","schema":{"fields":[{"name":"n","type":"integer"}]},`+
		`"write_perm":["user:anonymous"],"row_read_perm":["user:{created_by}"],"row_write_perm":["user:{created_by}"]}`), "id")
	theirs := find(t, demo.ask(t, "POST", "/oserve/v2.4/table/acted/record/", `{"n":1}`), "id")
	const rows = "/hserve/v2.4/table/acted/record/"
	made := as.ask(t, "POST", rows, `{"n":2}`)
	if made.status != http.StatusCreated || find(t, made, "created_by") != user {
		t.Errorf("a row as user %s: %d %s", user, made.status, made.body)
	}
	list := as.ask(t, "GET", rows+"?return_total_count=1", "")
	if !strings.Contains(list.body, `"total_count":1`) || list.header.Get("X-Service-Plan") == "" {
		t.Errorf("rows as user %s: %v %s", user, list.header, list.body)
	}
	for path, want := range map[string]int{
		rows + theirs + "/": 404, "/hserve/v2.5/user/info/" + user + "/": 200, "/hserve/v3/session/": 403,
		"/hserve/v2.0/table/": 200, "/oserve/v2.4/table/acted/record/": 403,
	} {
		if got := as.ask(t, "GET", path, ""); got.status != want {
			t.Errorf("GET %s as user %s: %d %s, want %d", path, user, got.status, got.body, want)
		}
	}
	if got := as.ask(t, "PUT", "/hserve/v2.2/user/account/", `{"username":"taken"}`); got.status != http.StatusForbidden {
		t.Errorf("an account as user %s: %d %s", user, got.status, got.body)
	}
}

// tokensEndWithTheirSession: the open API refuses the console token of a session that has signed out.
func tokensEndWithTheirSession(t *testing.T, c stage) {
	page := signIn(t, c, c.Credentials.ConsoleEmail, c.Credentials.ConsolePassword)
	body := fmt.Sprintf(`{"application_id":%d}`, c.Credentials.Miniapp)
	token := find(t, page.ask(t, "POST", "/console/api/token/", body), "token")
	api := caller{c.URL, http.Header{}}.with("Authorization", "Console "+token)

	ask := func(want int) {
		t.Helper()
		for _, path := range []string{"/oserve/v1.8/table/", "/oserve/v1.3/cloud-function/", "/oserve/v3/trigger/"} {
			if answer := api.ask(t, "GET", path, ""); answer.status != want {
				t.Errorf("GET %s: %d %s, want %d", path, answer.status, answer.body, want)
			}
		}
	}
	ask(http.StatusOK)
	page.ask(t, "DELETE", "/console/api/session/", "")
	ask(http.StatusUnauthorized)
	if answer := api.ask(t, "POST", "/oserve/v1/user-group/", `{"name":"late"}`); answer.status != http.StatusUnauthorized {
		t.Errorf("a write after signing out: %d %s", answer.status, answer.body)
	}
}
