package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestLinksChangedBinariesOnly: a build ID is linked once, a changed one replaces it, and other tools always run.
func TestLinksChangedBinariesOnly(t *testing.T) {
	folder, work := t.TempDir(), t.TempDir()
	linked := 0
	link := func(output string) func() error {
		return func() error {
			linked++
			return os.WriteFile(output, []byte("binary"), 0o755)
		}
	}
	for i, step := range []struct {
		id     string
		flag   string
		linked int
	}{
		{"a/b", "testing.testBinary=1", 1},
		{"a/b", "testing.testBinary=1", 1},
		{"c/d", "testing.testBinary=1", 2},
		{"c/d", "testing.testBinary=1", 2},
		{"a/b", "testing.testBinary=1", 3}, // one binary is kept for each package
		{"a/b", "main.version=1", 4},
	} {
		output := filepath.Join(work, string(rune('a'+i)))
		flags := []string{"-o", output, "-s", "-buildid=" + step.id, "-X", step.flag, "x.a"}
		if err := run(folder, "house/shared/p.test", flags, link(output)); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(output); err != nil || string(text) != "binary" || linked != step.linked {
			t.Errorf("step %d: %q, %v, linked %d times, want %d", i, text, err, linked, step.linked)
		}
		if files, _ := os.ReadDir(folder); len(files) != 1 {
			t.Errorf("step %d: %d files are kept", i, len(files))
		}
	}

	failed := errors.New("undefined: x")
	flags := []string{"-o", filepath.Join(work, "z"), "-buildid=e/f", "-X", "testing.testBinary=1"}
	if err := run(folder, "house/shared/p.test", flags, func() error { return failed }); err != failed {
		t.Errorf("a linker that fails: %v", err)
	}
}
