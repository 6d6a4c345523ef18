package scenario_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"minicloud/infra/openapi/routes"
	"minicloud/shared/httpapi"
)

// everyEndpoint sends every route, with and without a trailing slash (D3), the requests for which the contract has
// one rule: which callers are refused (Authentication 6), which methods exist (D2), and that pages may call (D5). The
// rules do not depend on the objects in the path.
func everyEndpoint(t *testing.T, c stage, known caller) {
	token := strings.TrimPrefix(known.header.Get("Authorization"), "Bearer ")
	nobody := caller{c.URL, http.Header{}}
	methods := map[string][]string{}
	for _, route := range routes.All() {
		if route.Access == httpapi.RunToken {
			onlyFunctions(t, nobody, known, route)
			continue
		}
		methods[route.Path] = append(methods[route.Path], route.Method)
		if route.Access == httpapi.Public {
			continue
		}
		if route.Access == httpapi.Session {
			onlyThePage(t, nobody, known, route)
			continue
		}
		if route.Access == httpapi.Client {
			onlyEndUsers(t, c, known, route)
			continue
		}
		path, scheme, wrong := anyPath(route.Path), "Bearer ", "Service-r1 "
		if route.Access == httpapi.ServiceR1 {
			scheme, wrong = wrong, scheme
		}
		for name, authorization := range map[string]string{
			"missing": "", "wrong scheme": wrong + token, "no scheme": token, "another's scheme": "Basic " + token,
			"unknown": scheme + strings.Repeat("0", 40), "not a token": scheme + "../" + token,
			"no token": strings.TrimSpace(scheme),
		} {
			answer := nobody.with(
				"X-Service-Client-ID", c.Credentials.ClientID,
			).with("Authorization", authorization).ask(t, route.Method, path, "{}")
			if answer.status != http.StatusUnauthorized || !answer.isError() || answer.header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s %s, Authorization %s: %d %s", route.Method, path, name, answer.status, answer.body)
			}
		}
		answer := known.as(
			route.Access,
		).with("X-Service-Env-ID", strings.Repeat("0", 20)).ask(t, route.Method, path+"/", "{}")
		if answer.status != http.StatusBadRequest || !answer.isError() {
			t.Errorf("%s %s in an unknown environment: %d %s", route.Method, path, answer.status, answer.body)
		}
	}
	for pattern, served := range methods {
		path := anyPath(pattern)
		// A file has no trailing slash, and a page with one redirects.
		if !strings.HasSuffix(path, ".ts") && !strings.HasSuffix(path, ".json") && path != "/docs" {
			path += "/"
		}
		// A GET of a hook fires it, and one of a callback spends its state.
		effect := strings.Contains(path, "/incoming-webhook/") || strings.HasSuffix(path, "/callback/")
		if slices.Contains(served, "GET") && !effect {
			served = append(served, "HEAD")
		}
		allow := strings.Join(slices.Sorted(slices.Values(append(served, "OPTIONS"))), ", ")
		if answer := nobody.ask(t, "BREW", path, "{}"); answer.status != http.StatusMethodNotAllowed ||
			answer.header.Get("Allow") != allow || !answer.isError() {
			t.Errorf("BREW %s: %d, Allow %q, want %q: %s", path, answer.status, answer.header.Get("Allow"), allow, answer.body)
		}
		answer := nobody.with("Origin", "https://page.example").with("Access-Control-Request-Method", served[0]).
			with(
				"Access-Control-Request-Headers", "authorization,content-type,x-date,x-service-env-id,x-other",
			).ask(t, "OPTIONS", path, "")
		headers := strings.Split(strings.ToLower(answer.header.Get("Access-Control-Allow-Headers")), ", ")
		for _, want := range []string{"authorization", "content-type", "x-date", "x-service-env-id"} {
			if !slices.Contains(headers, want) {
				t.Errorf("preflight of %s allows the headers %v, not %s", path, headers, want)
			}
		}
		if answer.status != http.StatusNoContent || answer.header.Get("Access-Control-Allow-Origin") != "*" ||
			answer.header.Get("Access-Control-Allow-Methods") != allow {
			t.Errorf("preflight of %s: %d %v", path, answer.status, answer.header)
		}
	}
	// Also at the end of greedy routes, and on unknown paths.
	for _, path := range []string{
		"/", "/userve", "/userve/", "/oserve/v1.3/", "/oserve/v2.4/table/", "/api/oauth2/", "/nowhere/at/all/", "//",
		"/favicon.ico",
	} {
		answer := nobody.with(
			"Origin", "https://page.example",
		).with("Access-Control-Request-Method", "PUT").ask(t, "OPTIONS", path, "")
		if answer.status != http.StatusNoContent || answer.header.Get("Access-Control-Allow-Origin") != "*" ||
			!strings.Contains(answer.header.Get("Access-Control-Allow-Methods"), "PUT") {
			t.Errorf("preflight of %s, which does not exist: %d %v", path, answer.status, answer.header)
		}
	}
}

// onlyFunctions checks a path for functions only (F10): for every other caller and every other method, it does not
// exist.
func onlyFunctions(t *testing.T, nobody, known caller, route routes.Route) {
	t.Helper()
	path := anyPath(route.Path) + "/"
	run := known.as(route.Access).header.Get("Authorization")
	for _, authorization := range []string{
		"", known.header.Get("Authorization"), known.as(httpapi.ServiceR1).header.Get("Authorization"), run + "0", "Run", "Run a.b.c",
		strings.Replace(run, "Run", "Bearer", 1),
	} {
		answer := known.with("Authorization", authorization).ask(t, route.Method, path, "{}")
		if answer.status != http.StatusNotFound || !answer.isError() {
			t.Errorf("%s %s with %q: %d %s", route.Method, path, authorization, answer.status, answer.body)
		}
	}
	for _, who := range []caller{nobody, known, known.as(route.Access)} {
		if answer := who.ask(t, "BREW", path, "{}"); answer.status != http.StatusNotFound || answer.header.Get("Allow") != "" {
			t.Errorf("BREW %s: %d %v %s", path, answer.status, answer.header, answer.body)
		}
	}
}

// onlyEndUsers checks the authentication of a path for end users: the application needs X-Service-Client-ID, and an
// invalid token is 401 except where one logs in (C4).
func onlyEndUsers(t *testing.T, c stage, known caller, route routes.Route) {
	t.Helper()
	path, nobody := anyPath(route.Path)+"/", caller{c.URL, http.Header{}}
	for _, id := range []string{"", strings.Repeat("0", 20), "../" + c.Credentials.ClientID} {
		answer := known.as(route.Access).with("X-Service-Client-ID", id).ask(t, route.Method, path, "{}")
		if answer.status != http.StatusUnauthorized || !answer.isError() {
			t.Errorf("%s %s of the client %q: %d %s", route.Method, path, id, answer.status, answer.body)
		}
	}
	accessToken := strings.TrimPrefix(known.header.Get("Authorization"), "Bearer ")
	token := known.header.Get(sessionToken)
	refused := []string{
		"Service-r1 " + strings.Repeat("0", 32), "Service-r1 " + token[:31], "Service-r1 " + strings.ToUpper(token),
		"Service-r1", "Basic " + token, "Bearer " + token, token,
	}
	if !route.AccessTokens {
		refused = append(refused, "Service-r1 "+accessToken, "Bearer "+accessToken)
	}
	if route.Needs != httpapi.Anyone {
		refused = append(refused, "")
	}
	for _, authorization := range refused {
		answer := nobody.with("X-Service-Client-ID", c.Credentials.ClientID).with("Authorization", authorization).
			ask(t, route.Method, path, "{}")
		if (answer.status == http.StatusUnauthorized) == route.Enters {
			t.Errorf("%s %s with %q: %d %s", route.Method, path, authorization, answer.status, answer.body)
		}
	}
	answer := known.as(route.Access).with("X-Service-Env-ID", strings.Repeat("0", 20)).ask(t, route.Method, path, "{}")
	if answer.status != http.StatusBadRequest || !answer.isError() {
		t.Errorf("%s %s in an unknown environment: %d %s", route.Method, path, answer.status, answer.body)
	}
}

// onlyThePage requests a path of the console's page without a cookie, with one of no session, and with an access
// token.
func onlyThePage(t *testing.T, nobody, known caller, route routes.Route) {
	t.Helper()
	for _, who := range []caller{nobody, known, nobody.with("Cookie", "minicloud_session=1."+strings.Repeat("0", 40))} {
		answer := who.ask(t, route.Method, anyPath(route.Path)+"/", "{}")
		if answer.status != http.StatusUnauthorized || !answer.isError() {
			t.Errorf("%s %s without a session: %d %s", route.Method, route.Path, answer.status, answer.body)
		}
	}
}

// anyPath returns a path of the pattern that names no object.
func anyPath(pattern string) string {
	return wildcard.ReplaceAllString(pattern, "$1/1")
}
