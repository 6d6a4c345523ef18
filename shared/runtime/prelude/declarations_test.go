package prelude

import (
	"io/fs"
	"strings"
	"testing"
)

// TestServesAllDeclarations checks that all declaration files are served as one. infra/samples checks with
// TypeScript that they match the prelude.
func TestServesAllDeclarations(t *testing.T) {
	served := Declarations()
	if !strings.HasPrefix(served, "// What a cloud function finds around itself") {
		t.Error("they do not begin with what they are")
	}

	names, err := fs.Glob(declarations, "declarations/*.d.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(declarations, name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "// ") || !strings.Contains(served, string(text)) {
			t.Errorf("%s does not say what it has, or is not served", name)
		}
		if lines := strings.Count(string(text), "\n"); lines > 475 {
			t.Errorf("%s has %d lines; split it by subject", name, lines)
		}
	}
}
