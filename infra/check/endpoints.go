package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
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
	{2, "POST", "/oserve/v1.3/cloud-function/{name}/debug", "cloudfunction", ""},
	{3, "GET", "/oserve/v1.3/cloud-function/{name}/job", "cloudfunction", ""},
	{4, "POST", "/oserve/v1.3/cloud-function/{name}/job", "cloudfunction", ""},
	{5, "POST", "/oserve/v1.3/cloud-function", "cloudfunction", ""},
	{6, "GET", "/oserve/v1.3/cloud-function", "cloudfunction", ""},
	{7, "GET", "/oserve/v1.3/cloud-function/{name}", "cloudfunction", ""},
	{8, "PATCH", "/oserve/v1.3/cloud-function/{name}", "cloudfunction", ""},
	{9, "DELETE", "/oserve/v1.3/cloud-function/{name}", "cloudfunction", ""},
	{10, "POST", "/api/oauth2/service/openapi/authorize", "oauth", ""},
	{11, "POST", "/api/oauth2/access_token", "oauth", ""},
	{12, "POST", "/api/oauth2/access_token", "oauth", ""},
	{13, "POST", "/oserve/v1/incoming-webhook/{hook}", "incomingwebhook", ""},
	{14, "GET", "/userve/v2.2/miniapp/user_profile", "user", ""},
	{15, "GET", "/userve/v1/user-profile", "user", ""},
	{16, "GET", "/userve/v2.2/miniapp/user_profile/{id}", "user", ""},
	{17, "PUT", "/userve/v2.6/miniapp/user_profile/{id}", "user", ""},
	{18, "PUT", "/userve/v2.6/miniapp/user_profile", "user", ""},
	{19, "PUT", "/userve/v2.2/miniapp/user/account/{id}", "user", ""},
	{20, "GET", "/hserve/v2.2/idp/pay/order", "order", ""},
}

// Route is one line of a program's route list.
type Route struct {
	Program string // below functions/
	Method  string
	Path    string // with its {wildcards}, without trailing slash
	Access  string // "Public", "Bearer", "ServiceR1", "RunToken" or "Session", as the list spells it
	Role    string // what it asks of an administrator, in small letters: "viewer", "developer" or "owner"
	Fresh   bool   // an Idempotency-Key counts for nothing
}

// Numbers returns the numbers that the contract gives to a route; none for a route beside the contract.
func (r Route) Numbers() []int {
	var numbers []int
	for _, e := range endpoints {
		if e.method == r.Method && shape(e.path) == shape(r.Path) {
			numbers = append(numbers, e.number)
		}
	}
	return numbers
}

// Endpoints reports endpoints that are neither served nor listed as not there
// yet, and those that are both.
func Endpoints(t *Tree, list []endpoint) []string {
	var problems []string
	served := Routes(t)
	for _, e := range list {
		i := slices.IndexFunc(served, func(r Route) bool { return r.Method == e.method && shape(r.Path) == shape(e.path) })
		switch {
		case e.notYet != "" && i >= 0:
			problems = append(
				problems,
				fmt.Sprintf(
					"endpoint %d is listed as not there yet (%s), but functions/%s serves it", e.number, e.notYet, served[i].Program,
				),
			)
		case e.notYet == "" && i < 0:
			problems = append(
				problems, fmt.Sprintf("endpoint %d, %s %s, is in no route list of functions/*/api", e.number, e.method, e.path),
			)
		case e.notYet == "" && served[i].Program != e.program:
			problems = append(
				problems,
				fmt.Sprintf("endpoint %d is served by functions/%s, the list says %s", e.number, served[i].Program, e.program),
			)
		}
	}

	return problems
}

var wildcard = regexp.MustCompile(`\{[^}]*\}`)

// shape is a path without the names of its wildcards.
func shape(p string) string { return wildcard.ReplaceAllString(p, "{}") }

// Routes finds what the programs serve: literals that begin with a method and a
// path.
func Routes(t *Tree) []Route {
	constants := map[string]map[string]ast.Expr{} // per package
	for _, source := range t.Go {
		if !source.Test && matchPrefix(source.Dir, "functions/*/api") {
			constants[source.Dir] = merged(constants[source.Dir], constantsOf(source.Syntax))
		}
	}

	var out []Route
	for _, source := range t.Go {
		if source.Test || constants[source.Dir] == nil {
			continue
		}
		ast.Inspect(source.Syntax, func(n ast.Node) bool {
			if literal, ok := n.(*ast.CompositeLit); ok && len(literal.Elts) >= 2 {
				method, isMethod := methodOf(element(literal, 0, "Method"))
				p, isPath := textOf(element(literal, 1, "Path"), constants[source.Dir])
				if isMethod && isPath && strings.HasPrefix(p, "/") {
					out = append(out, Route{
						Program: programOf(source.Dir), Method: method, Path: strings.TrimSuffix(p, "/"), Access: accessOf(literal),
						Role: roleOf(literal, method), Fresh: isSet(literal, "Fresh"),
					})
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
	if value := keyed(literal, key); value != nil {
		return value
	}
	if _, keyed := literal.Elts[i].(*ast.KeyValueExpr); keyed {
		return nil
	}
	return literal.Elts[i]
}

// roleOf returns the role that a route asks of an administrator, as httpapi does.
func roleOf(literal *ast.CompositeLit, method string) string {
	if s, ok := keyed(literal, "Role").(*ast.SelectorExpr); ok {
		return strings.ToLower(s.Sel.Name)
	}
	if method == "GET" || isSet(literal, "Reads") {
		return "viewer"
	}
	return "developer"
}

// isSet reports whether a literal has a member that is true.
func isSet(literal *ast.CompositeLit, name string) bool {
	value, ok := keyed(literal, name).(*ast.Ident)
	return ok && value.Name == "true"
}

// keyed is the member of that name, nil where a literal has none.
func keyed(literal *ast.CompositeLit, name string) ast.Expr {
	for _, e := range literal.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok && key.Name == name {
				return pair.Value
			}
		}
	}
	return nil
}

// accessOf returns the name of a route's access, "" when it says none.
func accessOf(literal *ast.CompositeLit) string {
	if len(literal.Elts) < 3 {
		return ""
	}
	if s, ok := element(literal, 2, "Access").(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}

// methodOf understands "POST" and http.MethodPost.
func methodOf(e ast.Expr) (string, bool) {
	if s, ok := textOf(e, nil); ok {
		return s, slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, s)
	}
	if s, ok := e.(*ast.SelectorExpr); ok {
		name, ok := strings.CutPrefix(s.Sel.Name, "Method")
		return strings.ToUpper(name), ok
	}
	return "", false
}

// textOf returns the value of a text: a literal, a constant of the package, or
// several of them added up.
func textOf(e ast.Expr, constants map[string]ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, e.Kind == token.STRING && err == nil
	case *ast.Ident:
		return textOf(constants[e.Name], constants)
	case *ast.BinaryExpr:
		left, isLeft := textOf(e.X, constants)
		right, isRight := textOf(e.Y, constants)
		return left + right, e.Op == token.ADD && isLeft && isRight
	}
	return "", false
}

// constantsOf returns the constants of a file by name, those inside functions
// too.
func constantsOf(file *ast.File) map[string]ast.Expr {
	out := map[string]ast.Expr{}
	ast.Inspect(file, func(n ast.Node) bool {
		if group, ok := n.(*ast.GenDecl); ok && group.Tok == token.CONST {
			for _, spec := range group.Specs {
				value := spec.(*ast.ValueSpec)
				for i, name := range value.Names {
					if i < len(value.Values) {
						out[name.Name] = value.Values[i]
					}
				}
			}
		}
		return true
	})
	return out
}

// merged is a with what b has.
func merged(a, b map[string]ast.Expr) map[string]ast.Expr {
	if a == nil {
		return b
	}
	maps.Copy(a, b)
	return a
}
