package packages

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"minicloud/shared/runtime/engine"
	"minicloud/shared/runtime/process"
)

// TestParserTestsOfTest262 runs the parser tests of test262 that npm provides, some 3,400 small programs that are
// valid or must be refused. test262.txt lists those on which the engine differs from the 2017 standard.
func TestParserTestsOfTest262(t *testing.T) {
	install(t)
	e, err := process.NewEngine(64 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()

	var differs []string
	for _, kind := range []struct {
		folder string
		right  bool
	}{{"pass", true}, {"fail", false}, {"early", false}} {
		paths, err := filepath.Glob("node_modules/test262-parser-tests/" + kind.folder + "/*.js")
		if err != nil || len(paths) < 600 {
			t.Fatalf("%s has %d programs, %v", kind.folder, len(paths), err)
		}
		for _, path := range paths {
			if compiles(t, e, path) != kind.right {
				differs = append(differs, kind.folder+"/"+filepath.Base(path))
			}
		}
	}

	known, err := os.ReadFile("test262.txt")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for line := range strings.Lines(string(known)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			want = append(want, line)
		}
	}
	slices.Sort(want)
	slices.Sort(differs)
	if !slices.Equal(differs, want) {
		t.Errorf("the engine differs on\n%s\ntest262.txt has\n%s", strings.Join(differs, "\n"), strings.Join(want, "\n"))
	}
}

// compiles reports whether the engine compiles a file as the code of a function.
func compiles(t *testing.T, e *engine.Engine, path string) bool {
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return len(e.Check("f", source)) == 0
}
