package gateway

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"minicloud/infra/local/template"
	"minicloud/infra/openapi/routes"
)

// TestSlashLeadsToSameProgram requests every path of the API with and without a trailing slash: reports differ on
// whether API Gateway ignores the slash or {proxy+} matches it (decision 2). Both must reach the program of the path.
func TestSlashLeadsToSameProgram(t *testing.T) {
	tmpl, err := template.ReadFile(filepath.Join("..", "..", "..", "template.yaml"), template.Options{})
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string]string{}
	for _, f := range tmpl.Functions {
		programs[f.Name] = f.Program
	}
	all, variable := targets(tmpl.Functions), regexp.MustCompile(`\{[^}]*\}`)

	for _, r := range routes.All() {
		path := strings.TrimSuffix(variable.ReplaceAllString(r.Path, "1"), "/")
		for _, asked := range []string{path, path + "/"} {
			if strings.Contains(filepath.Base(asked), ".") && asked != path {
				continue // file paths are never requested with a trailing slash
			}
			target, _ := find(all, r.Method, asked)
			if target == nil || programs[target.function] != r.Program {
				t.Errorf("%s %s of %s leads to %+v", r.Method, asked, r.Program, target)
			}
		}
	}
}
