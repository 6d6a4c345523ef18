//go:build !linux || portable

package process

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// withoutFilter is what native code can do in a child where the kernel filters no
// system calls. infra/docs/deploy.md says so.
var withoutFilter = []string{"open a file", "read the parent's environment", "start a program", "open a socket"}

// tryMore tries what the limits of every Unix forbid.
func tryMore(try func(name string, err error)) {
	for range maxDescriptors { // without closing: the last ones are over the limit
		if _, err := unix.Dup(1); err != nil {
			return
		}
	}
	try("open any number of descriptors", nil)
}

func soften() {}

// oldKernel is a test of Linux alone.
func oldKernel() {}

// TestNamesMissingWalls, which the log of a sandbox lists.
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
