// Package validate_test runs validate.sh on a machine without sam.
package validate_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// machine creates a tree with validate.sh and returns the PATH of a machine whose Go tool always succeeds and whose
// Python cannot create a virtual environment.
func machine(t *testing.T) (script, path string) {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(filepath.Join(root, "infra", "validate"), os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	tools := filepath.Join(root, "tools")
	for name, text := range map[string]string{"go": "#!/bin/sh\nexit 0\n", "python3": "#!/bin/sh\nexit 1\n"} {
		if err := os.MkdirAll(tools, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(tools, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(root, "infra", "validate", "validate.sh"), tools + string(os.PathListSeparator) +
		os.Getenv("PATH")
}

// TestValidatesWithoutSAM: without sam, only the strict check runs on a laptop; in CI that is a failure.
func TestValidatesWithoutSAM(t *testing.T) {
	for ci, want := range map[string]struct {
		fails bool
		says  string
	}{
		"":     {false, "the strict Go check of template.yaml stands alone"},
		"true": {true, "in CI sam and cfn-lint must run"},
	} {
		script, path := machine(t)
		cmd := exec.Command("bash", script)
		cmd.Env = append(os.Environ(), "CI="+ci, "PATH="+path)
		out, err := cmd.CombinedOutput()
		if (err != nil) != want.fails || !strings.Contains(string(out), want.says) {
			t.Errorf("CI=%q: %v, want failure %v and %q\n%s", ci, err, want.fails, want.says, out)
		}
	}
}
