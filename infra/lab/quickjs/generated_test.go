package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGeneratedEngineMatchesItsSources compares the sources of the engine, and the engine that is checked in, with the
// digests that make quickjs wrote.
func TestGeneratedEngineMatchesItsSources(t *testing.T) {
	written, err := os.ReadFile("generated.sum")
	if err != nil {
		t.Fatal(err)
	}

	listed := map[string]bool{}
	for line := range strings.Lines(string(written)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		listed[name] = true
		data, err := os.ReadFile(name)
		if err != nil || fmt.Sprintf("%x", sha256.Sum256(data)) != sum {
			t.Errorf("%s differs from the file that the engine was made with (%v): run make quickjs", name, err)
		}
	}

	for _, pattern := range []string{"*.go", "build.sh", "tools.sum", "c/*", "../../../shared/runtime/quickjs/generated.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			if !listed[name] && !strings.HasSuffix(name, "_test.go") {
				t.Errorf("generated.sum does not list %s: run make quickjs", name)
			}
		}
	}
}
