package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/local/template"
)

// endpoint is one endpoint of the contract. Exactly one of the last two is
// given.
type endpoint struct {
	number  int
	method  string
	path    string // as in a route list: no trailing slash
	program string // whose api group serves it
	notYet  string // which part of the work will bring it
}

// endpoints is the contract, in its order.
var endpoints = []endpoint{
	{1, "POST", "/oserve/v1/cloud-function/job", "cloudfunction", ""},
	{2, "POST", "/oserve/v1.3/cloud-function/{name}/debug", "", "part 3, jobs"},
	{3, "GET", "/oserve/v1.3/cloud-function/{name}/job", "", "part 3, jobs"},
	{4, "POST", "/oserve/v1.3/cloud-function/{name}/job", "cloudfunction", ""},
	{5, "POST", "/oserve/v1.3/cloud-function", "cloudfunction", ""},
	{6, "GET", "/oserve/v1.3/cloud-function", "cloudfunction", ""},
	{7, "GET", "/oserve/v1.3/cloud-function/{name}", "cloudfunction", ""},
	{8, "PATCH", "/oserve/v1.3/cloud-function/{name}", "cloudfunction", ""},
	{9, "DELETE", "/oserve/v1.3/cloud-function/{name}", "cloudfunction", ""},
	{10, "POST", "/api/oauth2/service/openapi/authorize", "oauth", ""},
	{11, "POST", "/api/oauth2/access_token", "oauth", ""},
	{12, "POST", "/api/oauth2/access_token", "oauth", ""},
	{13, "POST", "/oserve/v1/incoming-webhook/{hook}", "", "the part on triggers"},
	{14, "GET", "/userve/v2.2/miniapp/user_profile", "", "part 4, users"},
	{15, "GET", "/userve/v1/user-profile", "", "part 4, users"},
	{16, "GET", "/userve/v2.2/miniapp/user_profile/{id}", "", "part 4, users"},
	{17, "PUT", "/userve/v2.6/miniapp/user_profile/{id}", "", "part 4, users"},
	{18, "PUT", "/userve/v2.6/miniapp/user_profile", "", "part 4, users"},
	{19, "PUT", "/userve/v2.2/miniapp/user/account/{id}", "", "part 4, users"},
	{20, "GET", "/hserve/v2.2/idp/pay/order", "", "the part on orders"},
}

// route is one line of a program's route list.
type route struct{ program, method, path string }

// Endpoints reports endpoints that are neither served nor listed as not there
// yet, and those that are both.
func Endpoints(t *Tree, list []endpoint) []string {
	var problems []string
	served := routesServed(t)
	for _, e := range list {
		i := slices.IndexFunc(served, func(r route) bool { return r.method == e.method && r.path == shape(e.path) })
		switch {
		case e.notYet != "" && i >= 0:
			problems = append(problems, fmt.Sprintf("endpoint %d is listed as not there yet (%s), but functions/%s serves it", e.number, e.notYet, served[i].program))
		case e.notYet == "" && i < 0:
			problems = append(problems, fmt.Sprintf("endpoint %d, %s %s, is in no route list of functions/*/api", e.number, e.method, e.path))
		case e.notYet == "" && served[i].program != e.program:
			problems = append(problems, fmt.Sprintf("endpoint %d is served by functions/%s, the list says %s", e.number, served[i].program, e.program))
		}
	}
	return problems
}

var wildcard = regexp.MustCompile(`\{[^}]*\}`)

// shape is a path without the names of its wildcards.
func shape(p string) string { return wildcard.ReplaceAllString(p, "{}") }

// routesServed finds the route lists: literals that begin with a method and a
// path.
func routesServed(t *Tree) []route {
	var out []route
	for _, source := range t.Go {
		if source.Test || !matchPrefix(source.Dir, "functions/*/api") {
			continue
		}
		ast.Inspect(source.Syntax, func(n ast.Node) bool {
			if literal, ok := n.(*ast.CompositeLit); ok && len(literal.Elts) >= 2 {
				method, isMethod := methodOf(element(literal, 0, "Method"))
				p, isPath := textOf(element(literal, 1, "Path"))
				if isMethod && isPath && strings.HasPrefix(p, "/") {
					out = append(out, route{program(source.Dir), method, shape(strings.TrimSuffix(p, "/"))})
				}
			}
			return true
		})
	}
	return out
}

// element is the i-th element of a literal without keys, or the one of that
// key.
func element(literal *ast.CompositeLit, i int, key string) ast.Expr {
	for _, e := range literal.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			if name, ok := pair.Key.(*ast.Ident); ok && name.Name == key {
				return pair.Value
			}
		}
	}
	if _, keyed := literal.Elts[i].(*ast.KeyValueExpr); keyed {
		return nil
	}
	return literal.Elts[i]
}

// methodOf understands "POST" and http.MethodPost.
func methodOf(e ast.Expr) (string, bool) {
	if s, ok := textOf(e); ok {
		return s, slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, s)
	}
	if s, ok := e.(*ast.SelectorExpr); ok {
		name, ok := strings.CutPrefix(s.Sel.Name, "Method")
		return strings.ToUpper(name), ok
	}
	return "", false
}

func textOf(e ast.Expr) (string, bool) {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(literal.Value)
	return s, err == nil
}

// fixtureName is "04-run-function.json".
var fixtureName = regexp.MustCompile(`^(\d\d)-[a-z0-9]+(-[a-z0-9]+)*\.json$`)

// Fixtures reports served endpoints without a fixture in events/apigateway,
// and fixtures that API Gateway would not send to that endpoint's program.
func Fixtures(t *Tree, tmpl *template.Template, list []endpoint) []string {
	var problems []string
	have := map[int]bool{}
	for _, name := range t.Files {
		if path.Dir(name) != "events/apigateway" {
			continue
		}
		match := fixtureName.FindStringSubmatch(path.Base(name))
		if match == nil {
			problems = append(problems, name+": the name must be <endpoint, two digits>-<words>.json")
			continue
		}
		number, _ := strconv.Atoi(match[1])
		i := slices.IndexFunc(list, func(e endpoint) bool { return e.number == number })
		if i < 0 || list[i].notYet != "" {
			problems = append(problems, fmt.Sprintf("%s: endpoint %d is not served", name, number))
			continue
		}
		have[number] = true
		for _, why := range fixture(t, name, list[i], tmpl) {
			problems = append(problems, name+": "+why)
		}
	}
	for _, e := range list {
		if e.notYet == "" && !have[e.number] {
			problems = append(problems, fmt.Sprintf("endpoint %d has no fixture events/apigateway/%02d-….json", e.number, e.number))
		}
	}
	return problems
}

// fixture reports what is wrong with one fixture of endpoint e.
func fixture(t *Tree, name string, e endpoint, tmpl *template.Template) []string {
	source, err := t.read(name)
	if err != nil {
		return []string{err.Error()}
	}
	var event events.APIGatewayV2HTTPRequest
	decoder := json.NewDecoder(bytes.NewBufferString(source))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&event); err != nil {
		return []string{err.Error()}
	}
	problems := consistent(event)
	call := event.RequestContext.HTTP
	if call.Method != e.method || !fits(e.path, strings.TrimSuffix(event.RawPath, "/")) {
		problems = append(problems, fmt.Sprintf("is %s %s, endpoint %d is %s %s/", call.Method, event.RawPath, e.number, e.method, e.path))
	}
	for _, f := range tmpl.Functions {
		for _, r := range f.Routes {
			if r.Key() == event.RouteKey {
				if f.Program != e.program {
					problems = append(problems, fmt.Sprintf("its route leads to functions/%s, the endpoint is served by functions/%s", f.Program, e.program))
				}
				return problems
			}
		}
	}
	return append(problems, fmt.Sprintf("template.yaml has no route %q", event.RouteKey))
}

// consistent reports where the parts of a payload 2.0 event contradict each
// other: the gateway says several things twice.
func consistent(event events.APIGatewayV2HTTPRequest) []string {
	var problems []string
	check := func(ok bool, format string, a ...any) {
		if !ok {
			problems = append(problems, fmt.Sprintf(format, a...))
		}
	}
	call := event.RequestContext.HTTP
	check(event.Version == "2.0", "version is %q, want 2.0", event.Version)
	check(event.RouteKey == event.RequestContext.RouteKey, "two route keys")
	check(event.RawPath == call.Path, "two paths: %s and %s", event.RawPath, call.Path)
	check(strings.HasSuffix(event.RawPath, "/"), "the path does not end in a slash")
	check(event.RequestContext.RequestID != "", "no request id")
	_, pattern, _ := strings.Cut(event.RouteKey, " ")
	prefix := strings.TrimSuffix(pattern, "{proxy+}")
	check(event.RawPath == prefix+event.PathParameters["proxy"], "pathParameters.proxy is not the rest of the path")
	at, err := time.Parse("02/Jan/2006:15:04:05 -0700", event.RequestContext.Time)
	check(err == nil && at.UnixMilli() == event.RequestContext.TimeEpoch, "time and timeEpoch differ")
	query, err := url.ParseQuery(event.RawQueryString)
	check(err == nil && len(query) == len(event.QueryStringParameters), "rawQueryString and queryStringParameters differ")
	for key, value := range event.QueryStringParameters {
		check(strings.Join(query[key], ",") == value, "queryStringParameters.%s is not what rawQueryString says", key)
	}
	for name := range event.Headers {
		check(name == strings.ToLower(name), "header %s is not in lower case", name)
	}
	if event.Headers["content-type"] == "application/json" {
		check(json.Valid([]byte(event.Body)), "the body is not JSON")
	}
	check(call.Method == http.MethodGet || call.Method == http.MethodDelete || event.Body != "", "no body")
	return problems
}

// fits tells whether p is a path of the pattern, each {wildcard} one element.
func fits(pattern, p string) bool {
	have, want := strings.Split(p, "/"), strings.Split(pattern, "/")
	if len(have) != len(want) {
		return false
	}
	for i, element := range want {
		if have[i] == "" && i > 0 || !strings.HasPrefix(element, "{") && element != have[i] {
			return false
		}
	}
	return true
}
