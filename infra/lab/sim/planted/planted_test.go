package planted_test

import (
	"os/exec"
	"testing"

	"minicloud/infra/lab/sim/planted"
	"minicloud/infra/local/ddb"
)

// TestPatch: every patch has its place in the source, and all of them together leave source that compiles.
func TestPatch(t *testing.T) {
	root, err := ddb.Root()
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := planted.Overlay(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// The build links nothing: the compiler alone takes a few seconds, and none while its cache has the result.
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, "minicloud/infra/lab/sim/plays")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("the patched source: %v\n%s", err, out)
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
