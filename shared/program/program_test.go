package program

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestStartFailsNamingMissingVariables(t *testing.T) {
	if os.Getenv("PROGRAM_UNDER_TEST") == "1" {
		p := New()
		p.String("JOBS_TABLE")
		p.String("ROWS_TABLE")
		p.Ready()
		return
	}

	cmd := exec.Command(os.Args[0], "-test.run", t.Name())
	cmd.Env = []string{"PROGRAM_UNDER_TEST=1", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE=many"}
	out, err := cmd.Output()
	if err == nil {
		t.Fatalf("the program starts: %s", out)
	}
	for _, want := range []string{
		"cannot start", "JOBS_TABLE is not set", "ROWS_TABLE is not set", `MEMORY_SIZE is \"many\"`,
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the log does not say %q: %s", want, out)
		}
	}
}

func TestTunesRuntimeToMemory(t *testing.T) {
	threads, percent, limit := runtime.GOMAXPROCS(0), debug.SetGCPercent(-1), debug.SetMemoryLimit(-1)
	defer func() {
		runtime.GOMAXPROCS(threads)
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}()

	tune(512)
	if got := debug.SetMemoryLimit(-1); got != 384<<20 {
		t.Errorf("512 MB have a memory limit of %d", got)
	}
	for memory, want := range map[int]int{128: 1, 512: 1, 1769: 1, 1770: 2, 10240: 6} {
		if got := processors(memory); got != min(want, runtime.NumCPU()) {
			t.Errorf("%d MB run on %d processors, want %d", memory, got, want)
		}
	}
}
