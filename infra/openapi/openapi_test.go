package openapi_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"minicloud/infra/check"
	"minicloud/infra/local/ddb"
	"minicloud/infra/openapi"
	"minicloud/infra/openapi/routes"
	"minicloud/shared/httpapi"
)

var update = flag.Bool("update", false, "write shared/httpapi/openapi/openapi.json")

// parsed is the repository; it is parsed once for all tests.
var parsed = sync.OnceValues(func() (*check.Tree, error) {
	root, err := ddb.Root()
	if err != nil {
		return nil, err
	}
	return check.Open(root)
})

// repository returns the root of the repository and the routes of its programs.
func repository(t *testing.T) (root string, tree *check.Tree, all []routes.Route) {
	t.Helper()
	root, err := ddb.Root()
	if err != nil {
		t.Fatal(err)
	}
	tree, err = parsed()
	if err != nil {
		t.Fatal(err)
	}
	return root, tree, routes.All()
}

// TestDocument compares the document, and the page that lists the endpoints, with the result of assembling the
// pieces.
func TestDocument(t *testing.T) {
	root, tree, all := repository(t)
	document, err := openapi.Assemble(root, tree, all)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, openapi.Page))
	if err != nil {
		t.Fatal(err)
	}
	if page, err = openapi.List(page, document, all); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{openapi.Document: document, openapi.Page: page} {
		path := filepath.Join(root, name)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
			t.Errorf("%s is not what its pieces say: run make openapi (%v)", name, err)
		}
	}
}

// internal matches text that a description must not contain: the number of a decision, or the name of a Go field.
var internal = regexp.MustCompile(`\([^()]*\b[DFG][0-9]+\b[^()]*\)|^(?:OK|ID|[A-Z][a-z]+[A-Z]\w*) (?:is|are) `)

// TestGeneratorsReadDocument checks the needs of client generators: a description of every operation, references that
// resolve, and no type lists except those of nullable types. Most generators cannot convert other lists into a type.
func TestGeneratorsReadDocument(t *testing.T) {
	root, _, _ := repository(t)
	text, err := os.ReadFile(filepath.Join(root, openapi.Document))
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}

	var look func(path string, value any)
	look = func(path string, value any) {
		switch value := value.(type) {
		case map[string]any:
			if id, ok := value["operationId"]; ok && value["description"] == nil {
				t.Errorf("%v has no description", id)
			}
			if ref, ok := value["$ref"].(string); ok {
				part := document
				for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
					part, _ = part[name].(map[string]any)
				}
				if part == nil {
					t.Errorf("%s refers to %s, which is not there", path, ref)
				}
			}
			if text, ok := value["description"].(string); ok && internal.MatchString(text) {
				t.Errorf("%s is described for readers of the source: %s", path, text)
			}
			if types, ok := value["type"].([]any); ok && (len(types) != 2 || !slices.Contains(types, any("null"))) {
				t.Errorf("%s has the types %v: use anyOf", path, types)
			}
			for name, member := range value {
				look(path+"/"+name, member)
			}
		case []any:
			for _, element := range value {
				look(path, element)
			}
		}
	}
	look("", document)
}

// TestReportsMissingDescriptions applies the rules to route lists that break them.
func TestReportsMissingDescriptions(t *testing.T) {
	root, tree, all := repository(t)
	more := append(slices.Clone(all), routes.Route{Program: "user", Route: httpapi.Route{Method: "PUT", Path: "/userve/v9/{id}"}})
	_, err := openapi.Assemble(root, tree, more)
	if err == nil || err.Error() != "functions/user/api/openapi.yaml describes no PUT /userve/v9/{id}" {
		t.Errorf("of a route that is not described: %v", err)
	}
	_, err = openapi.Assemble(root, tree, all[1:])
	if err == nil || !strings.Contains(err.Error(), "is described and in no route list") {
		t.Errorf("of a description without a route: %v", err)
	}
}
