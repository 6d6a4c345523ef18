package check

import (
	"go/ast"
	"maps"
	"slices"
	"strings"

	"minicloud/infra/openapi/routes"
)

// endpoint is one endpoint of the contract.
type endpoint struct {
	number  int
	method  string
	path    string // without a trailing slash, as in route lists
	program string // the program that serves it
}

// endpoints lists the endpoints of the contract in its order.
var endpoints = []endpoint{
	{1, "POST", "/oserve/v1/cloud-function/job", "cloudfunction"},
	{2, "POST", "/oserve/v1.3/cloud-function/{name}/debug", "cloudfunction"},
	{3, "GET", "/oserve/v1.3/cloud-function/{name}/job", "cloudfunction"},
	{4, "POST", "/oserve/v1.3/cloud-function/{name}/job", "cloudfunction"},
	{5, "POST", "/oserve/v1.3/cloud-function", "cloudfunction"},
	{6, "GET", "/oserve/v1.3/cloud-function", "cloudfunction"},
	{7, "GET", "/oserve/v1.3/cloud-function/{name}", "cloudfunction"},
	{8, "PATCH", "/oserve/v1.3/cloud-function/{name}", "cloudfunction"},
	{9, "DELETE", "/oserve/v1.3/cloud-function/{name}", "cloudfunction"},
	{10, "POST", "/api/oauth2/service/openapi/authorize", "oauth"},
	{11, "POST", "/api/oauth2/access_token", "oauth"},
	{12, "POST", "/api/oauth2/access_token", "oauth"},
	{13, "POST", "/oserve/v1/incoming-webhook/{hook}", "incomingwebhook"},
	{14, "GET", "/userve/v2.2/miniapp/user_profile", "user"},
	{15, "GET", "/userve/v1/user-profile", "user"},
	{16, "GET", "/userve/v2.2/miniapp/user_profile/{id}", "user"},
	{17, "PUT", "/userve/v2.6/miniapp/user_profile/{id}", "user"},
	{18, "PUT", "/userve/v2.6/miniapp/user_profile", "user"},
	{19, "PUT", "/userve/v2.2/miniapp/user/account/{id}", "user"},
	{20, "GET", "/hserve/v2.2/idp/pay/order", "order"},
}

// Numbers returns the contract's numbers for a route; none for a route outside the contract.
func Numbers(r routes.Route) []int {
	var numbers []int
	for _, e := range endpoints {
		if r.Is(e.method, e.path) {
			numbers = append(numbers, e.number)
		}
	}
	return numbers
}

// Endpoints reports endpoints of the contract that no program serves, or another program than the list says.
func Endpoints(served []routes.Route, list []endpoint) (problems findings) {
	for _, e := range list {
		i := slices.IndexFunc(served, func(r routes.Route) bool { return r.Is(e.method, e.path) })
		switch {
		case i < 0:
			problems.add("endpoint %d, %s %s, is in no route list of functions/*/api", e.number, e.method, e.path)
		case served[i].Program != e.program:
			problems.add("endpoint %d is served by functions/%s, the list says %s", e.number, served[i].Program, e.program)
		}
	}
	return problems
}

// RouteLists reports programs whose routes are missing in routes.All: tools and tests would skip them.
func RouteLists(t *Tree) (problems findings) {
	has, listed := map[string]bool{}, map[string]bool{}
	for _, source := range t.Go {
		if source.Dir == "infra/openapi/routes" {
			for _, imported := range source.Imports {
				listed[strings.TrimPrefix(imported, Module+"/")] = true
			}
		}
		// The method is found by its name: a method set would need the types of all packages.
		if source.Test || !matchPrefix(source.Dir, "functions/*/api") {
			continue
		}
		for _, d := range source.Syntax.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "Routes" {
				has[source.Dir] = true
			}
		}
	}

	for _, dir := range slices.Sorted(maps.Keys(has)) {
		if !listed[dir] {
			problems = append(problems, dir+" has routes that infra/openapi/routes does not list")
		}
	}
	return problems
}
