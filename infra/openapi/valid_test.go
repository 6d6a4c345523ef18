package openapi_test

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"minicloud/infra/openapi"
)

// TestDocumentIsValid validates the document against the schema of OpenAPI 3.1 (testdata has that of the OpenAPI
// Initiative, of 2021-04-15, under Apache-2.0), its schemas against JSON Schema, and its examples against its
// schemas.
func TestDocumentIsValid(t *testing.T) {
	root, tree, all := repository(t)
	text, err := openapi.Assemble(root, tree, all)
	if err != nil {
		t.Fatal(err)
	}
	document := decoded(t, text)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)

	official, err := os.ReadFile("testdata/openapi-3.1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, resource := range map[string]any{
		"https://x/official": decoded(t, official), "https://x/document": document,
	} {
		if err := compiler.AddResource(name, resource); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := compiler.Compile("https://x/official")
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(document); err != nil {
		t.Errorf("the document is not OpenAPI 3.1: %v", err)
	}

	examples := 0
	walk(document, "", func(at string, object map[string]any) {
		if !isSchema(at) {
			examples += given(t, compiler, at, object)
			return
		}
		s, err := compiler.Compile("https://x/document#" + at)
		if err != nil {
			t.Errorf("%s is no schema: %v", at, err)
			return
		}
		list, _ := object["examples"].([]any)
		for _, example := range list {
			examples++
			if err := s.Validate(example); err != nil {
				t.Errorf("%s: example %v: %v", at, example, err)
			}
		}
	})
	if examples < 40 {
		t.Errorf("only %d examples found", examples)
	}
}

// given validates the examples of a body against its schema and returns their number.
func given(t *testing.T, compiler *jsonschema.Compiler, at string, media map[string]any) (examples int) {
	t.Helper()
	named, _ := media["examples"].(map[string]any)
	if named == nil || media["schema"] == nil {
		return 0
	}
	s, err := compiler.Compile("https://x/document#" + at + "/schema")
	if err != nil {
		t.Errorf("%s is no schema: %v", at, err)
		return 0
	}
	for name, example := range named {
		if err := s.Validate(example.(map[string]any)["value"]); err != nil {
			t.Errorf("%s: example %s: %v", at, name, err)
		}
	}
	return len(named)
}

// isSchema reports whether a pointer leads to a whole schema, not to a part of one.
func isSchema(at string) bool {
	if rest, ok := strings.CutPrefix(at, "/components/schemas/"); ok {
		return !strings.Contains(rest, "/")
	}
	return strings.HasSuffix(at, "/schema")
}

// walk visits every object, with its JSON pointer as a URL fragment.
func walk(v any, at string, visit func(at string, object map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		visit(at, v)
		for name, inner := range v {
			if name == "examples" || name == "example" {
				continue
			}
			name = strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
			walk(inner, at+"/"+strings.NewReplacer("{", "%7B", "}", "%7D").Replace(name), visit)
		}
	case []any:
		for i, inner := range v {
			walk(inner, at+"/"+strconv.Itoa(i), visit)
		}
	}
}

func decoded(t *testing.T, text []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
