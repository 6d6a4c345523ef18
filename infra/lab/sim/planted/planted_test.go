package planted_test

import (
	"go/parser"
	"go/token"
	"testing"

	"minicloud/infra/lab/sim/planted"
	"minicloud/infra/local/ddb"
)

// TestPatch: every patch has its place in the source, and leaves source that can be parsed.
func TestPatch(t *testing.T) {
	root, err := ddb.Root()
	if err != nil {
		t.Fatal(err)
	}
	files, err := planted.Patch(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if _, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution); err != nil {
			t.Error(err)
		}
	}

	bugs, err := planted.Bugs()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, b := range bugs {
		if names[b.Name] || b.Play == "" {
			t.Errorf("%q comes twice, or does not say what is played", b.Name)
		}
		names[b.Name] = true
	}
}
