package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"minicloud/shared/sandbox/sandboxtest"
)

// TestThroughInvoke runs the sandbox's suite against the compiled program behind
// the Invoke API, as the platform uses it.
func TestThroughInvoke(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "bootstrap")
	build := exec.Command("go", "build", "-trimpath", "-o", program, "minicloud/functions/sandbox")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build sandbox: %v\n%s", err, out)
	}
	runner, stop, err := Host(program, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	sandboxtest.Run(t, runner)
}
