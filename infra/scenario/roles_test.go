package scenario_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	document "minicloud/shared/httpapi/openapi"

	"minicloud/infra/openapi/routes"
)

// operation is an operation of the description.
type operation struct {
	method, path string
	role         string // the lowest role of an administrator; "" if administrators cannot use it
	own          bool   // for the console's page: with its cookie, not with a console token
	run          bool   // for functions, with a run token
	public       bool   // without authentication
	client       bool   // for end users, with a session token
	parameters   []parameter
}

// parameter is a parameter of an operation.
type parameter struct {
	Name, In string
	Ref      string `json:"$ref"`
	Schema   struct {
		Ref     string `json:"$ref"`
		Enum    []any
		Maximum int
	}
}

// allOperations returns the operations of the description, sorted by path.
func allOperations(t *testing.T) []operation {
	t.Helper()
	var described struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct {
			Parameters map[string]parameter
			Schemas    map[string]struct{ Enum []any }
		}
	}
	if err := json.Unmarshal(document.Document, &described); err != nil {
		t.Fatal(err)
	}
	name := func(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }
	var all []operation
	for _, path := range slices.Sorted(maps.Keys(described.Paths)) {
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			var o struct {
				Role       string `json:"x-role"`
				Security   []map[string]any
				Parameters []parameter
			}
			if text, there := described.Paths[path][method]; !there || json.Unmarshal(text, &o) != nil {
				continue
			}
			run := len(o.Security) > 0 && o.Security[0]["run"] != nil
			client := slices.ContainsFunc(o.Security, func(s map[string]any) bool { return s["endUser"] != nil })
			for i, p := range o.Parameters {
				if p.Ref != "" {
					p = described.Components.Parameters[name(p.Ref)]
				}
				if p.Schema.Ref != "" {
					p.Schema.Enum = described.Components.Schemas[name(p.Schema.Ref)].Enum
				}
				o.Parameters[i] = p
			}
			all = append(all, operation{
				strings.ToUpper(method), path, o.Role, strings.HasPrefix(path, "/console/"), run, len(o.Security) == 0, client,
				o.Parameters,
			})
		}
	}
	return all
}

// operations returns the operations that administrators may use.
func operations(t *testing.T) []operation {
	t.Helper()
	all := slices.DeleteFunc(allOperations(t), func(o operation) bool { return o.role == "" })
	if len(all) < 100 {
		t.Fatalf("only %d operations with a role", len(all))
	}
	return all
}

// asked returns the queries and bodies that reading operations require.
func asked(c stage) map[string]string {
	check := attempts["POST /oserve/v1.3/cloud-function-check"]
	return map[string]string{
		"GET /console/api/application/{application}/compare/": "?from=" + string(c.Credentials.Environments["test"]) + "&to=production",
		"POST /oserve/v1.3/cloud-function-check/":             check.body,
		"POST /oserve/v3/trigger/{trigger}/back-test/":        `{"days":1}`,
		"POST /console/api/token/":                            fmt.Sprintf(`{"application_id":%d}`, c.Credentials.Miniapp),
	}
}

// everyRoleEverywhere sends every operation, with the ids of existing objects, as each role that is too low: the
// response is 403, and nothing has changed. A viewer can use all reading operations. Operations that end the caller's
// session come last.
func everyRoleEverywhere(t *testing.T, c stage, client caller, has owned) {
	owner := signIn(t, c, c.Credentials.ConsoleEmail, c.Credentials.ConsolePassword)
	application, rest := fmt.Sprint(c.Credentials.Miniapp), asked(c)
	touching, removing, free := sorted(routes.All())
	all := slices.Concat(touching, removing, free)
	before := holdings(t, client, has, all)
	names := func() string {
		return owner.ask(t, "GET", "/console/api/application/"+application+"/", "").body +
			owner.ask(t, "GET", "/console/api/account/", "").body
	}
	people := map[string]person{}
	for _, role := range []string{"viewer", "developer"} {
		people[role] = newPerson(t, c, owner, role)
	}
	known := names()

	for _, o := range operations(t) {
		for role, p := range people {
			ids := maps.Clone(has)
			ids["application/{application}"], ids["account/{account}"] = application, p.account
			ids["environment/{env}"] = string(c.Credentials.Environments["test"])
			path := wildcard.ReplaceAllStringFunc(o.path, func(pair string) string {
				before, _, _ := strings.Cut(pair, "/")
				if value, there := ids[pair]; there {
					return before + "/" + value
				}
				return before + "/1"
			})
			want, body := rest[o.method+" "+o.path], "{}"
			if strings.HasPrefix(want, "?") {
				path += want
			} else if want != "" {
				body = want
			}
			switch {
			case !enough(role, o.role):
				refused(t, role, o, p.as(o).ask(t, o.method, path, body))
			case role == "viewer" && (o.method == "GET" || strings.Contains(o.path, "/query/") || want != ""):
				looks(t, o, p.as(o).ask(t, o.method, path, body))
			}
		}
	}

	if now := names(); now != known {
		t.Errorf("the console's things were\n%s\nand are\n%s", known, now)
	}
	for path, now := range holdings(t, client, has, all) {
		if now != before[path] {
			t.Errorf("GET %s has changed\nfrom %s\nto   %s", path, before[path], now)
		}
	}
}

// enough reports whether a role includes the lowest required one.
func enough(role, least string) bool {
	order := []string{"viewer", "developer", "owner"}
	return slices.Index(order, role) >= slices.Index(order, least)
}

func refused(t *testing.T, role string, o operation, answer reply) {
	t.Helper()
	if answer.status != http.StatusForbidden || !strings.Contains(answer.body, "your role is "+role) {
		t.Errorf("%s %s as %s: %d %s", o.method, o.path, role, answer.status, answer.body)
	}
}

// looks expects a success, or a 404 for a missing setting.
func looks(t *testing.T, o operation, answer reply) {
	t.Helper()
	unset := answer.status == http.StatusNotFound && strings.HasSuffix(o.path, "-setting/") // it was never stored
	if answer.status != http.StatusOK && !unset {
		t.Errorf("%s %s as viewer: %d %s", o.method, o.path, answer.status, answer.body)
	}
}

// person is an administrator who is signed in.
type person struct {
	account   string
	page, api caller // with the cookie, with a console token
}

func (p person) as(o operation) caller {
	if o.own {
		return p.page
	}
	return p.api
}

// newPerson creates an account with a role and access to the demo application only.
func newPerson(t *testing.T, c stage, owner caller, role string) person {
	t.Helper()
	email := "every-" + role + "@example.com"
	made := owner.ask(t, "POST", "/console/api/account/", fmt.Sprintf(
		`{"email":%q,"name":%q,"password":"long enough","role":%q,"applications":[%d]}`, email, role, role,
		c.Credentials.Miniapp))
	p := person{account: find(t, made, "id"), page: signIn(t, c, email, "long enough")}
	token := p.page.ask(t, "POST", "/console/api/token/", fmt.Sprintf(`{"application_id":%d}`, c.Credentials.Miniapp))
	p.api = caller{c.URL, http.Header{}}.with("Authorization", "Console "+find(t, token, "token"))
	return p
}
