//go:build !linux || portable

package process

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// withoutFilter lists what native code can do in a child on systems without a system call filter, as
// infra/docs/deploy.md says.
var withoutFilter = []string{"open a file", "read the parent's environment", "start a program", "open a socket"}

// tryMore tries operations that the limits of every Unix forbid.
func tryMore(try func(name string, err error)) {
	for range maxDescriptors { // the descriptors stay open, so the last ones exceed the limit
		if _, err := unix.Dup(1); err != nil {
			return
		}
	}
	try("open any number of descriptors", nil)
}

func soften() {}

// oldKernel does nothing: the old kernel is tested on Linux only.
func oldKernel() {}

// TestNamesMissingWalls checks the list of missing walls, which the sandbox logs.
func TestNamesMissingWalls(t *testing.T) {
	w, err := newSupervisor(t).start()
	if err != nil {
		t.Fatal(err)
	}
	defer endWorker(w)
	said := strings.Join(w.absent, " ")
	for _, name := range []string{"not dumpable", "file system filter", "system call filter"} {
		if !strings.Contains(said, name) {
			t.Errorf("%q is not among the missing walls: %s", name, said)
		}
	}
	if slices.ContainsFunc(w.absent, func(s string) bool { return strings.Contains(s, "limit") }) {
		t.Errorf("limits are missing: %s", said)
	}
}
