// Package compile builds the programs of the template in one run of the Go tool, into Lambda's layout:
// <dir>/<program>/bootstrap.
//
// On this machine all programs come from three binaries: the programs share text pages in memory, and a change links
// fewer binaries.
//
//	plain     most programs
//	phones    those that link the phone number tables, which take 9 ms to initialize at each start
//	sandbox   only itself: its child process must contain nothing but the engine
package compile

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Bootstrap returns the path of a built program below dir.
func Bootstrap(dir, program string) string { return filepath.Join(dir, program, "bootstrap") }

// Phones lists the programs in binary phones.
var Phones = []string{"actionrunner", "message", "session", "user"}

// shared returns the package main that contains a program on this machine.
func shared(program string) string {
	switch {
	case program == "sandbox":
		return folder(program)
	case slices.Contains(Phones, program):
		return "infra/local/bootstrap/phones"
	}
	return "infra/local/bootstrap/plain"
}

// folder returns the folder of a program, which has its own package main.
func folder(program string) string { return "functions/" + program }

// Programs builds the programs for this machine and skips those that are up to date. It reports progress to report.
func Programs(ctx context.Context, root, dir string, names []string, report func(line string)) error {
	return build(ctx, root, dir, names, shared, report)
}

// Each is Programs with one binary for each program, as deployed to Lambda.
func Each(ctx context.Context, root, dir string, names []string, report func(line string)) error {
	return build(ctx, root, dir, names, folder, report)
}

// build builds the package main(program) for each program and places the binary.
func build(
	ctx context.Context, root, dir string, names []string, main func(program string) string, report func(line string),
) error {
	if len(names) == 0 {
		return nil
	}
	if _, err := exec.LookPath("go"); err != nil {
		return fmt.Errorf("the Go tool is not installed or not in PATH: it is needed to build the programs")
	}

	var packages []string
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(root, folder(name), "main.go")); err != nil {
			return fmt.Errorf("template.yaml names the program functions/%s, which has no main.go", name)
		}
		packages = append(packages, "./"+main(name))
	}
	packages = slices.Compact(slices.Sorted(slices.Values(packages)))

	out := filepath.Join(dir, ".out") // the Go tool finds its earlier binaries here and skips linking
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	if err := run(ctx, root, out, packages, report); err != nil {
		return err
	}

	for _, name := range names {
		if err := place(filepath.Join(out, path.Base(main(name))), Bootstrap(dir, name)); err != nil {
			return err
		}
	}

	return nil
}

// run links the packages into out. It counts progress by the Go tool's -v output, one line per compiled package.
func run(ctx context.Context, root, out string, packages []string, report func(string)) error {
	// Without -buildvcs=false each commit changes every program, which contains the commit ID. The tag omits Lambda's
	// old protocol: its net/rpc makes the linker keep every method, a quarter of a program.
	cmd := exec.CommandContext(ctx, "go", append([]string{
		"build", "-v", "-trimpath", "-buildvcs=false", "-tags=lambda.norpc", "-ldflags=-s -w",
		"-o", out + string(filepath.Separator),
	}, packages...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off") // with the go.mod of the product
	output, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}

	complaints := follow(output, report)
	if err := cmd.Wait(); ctx.Err() != nil {
		return fmt.Errorf("building the programs: %w", ctx.Err())
	} else if err != nil {
		return fmt.Errorf("the programs do not build:\n%s", complaints)
	}

	return nil
}

// tellEvery is the interval of progress reports.
const tellEvery = 2 * time.Second

// follow reports the progress of the Go tool, including a silent link phase, and returns its error messages.
func follow(output io.Reader, report func(string)) (complaints string) {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(output); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	var said strings.Builder
	compiled, begun, now := 0, time.Now(), ""
	ticks := time.NewTicker(tellEvery)
	defer ticks.Stop()
	for {
		select {
		case line, more := <-lines:
			switch {
			case !more:
				return said.String()
			// With -v the Go tool prints bare package paths; a line with any of these characters is an error message.
			case strings.ContainsAny(line, " :\t#"):
				said.WriteString(line + "\n")
			default:
				compiled++
				now = ", now " + line
			}
		case <-ticks.C:
			report(fmt.Sprintf("building for %d s: %d packages compiled%s", int(time.Since(begun).Seconds()), compiled, now))
			now = ", linking"
		}
	}
}

// place links the built program to its Lambda path. A running program keeps the file it was started from.
func place(built, bootstrap string) error {
	a, err := os.Stat(built)
	if err != nil {
		return err
	}
	if b, err := os.Stat(bootstrap); err == nil && os.SameFile(a, b) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(bootstrap), 0o755); err != nil {
		return err
	}

	// Link and rename replace the directory entry, not the file: writing into a running program fails with ETXTBSY.
	next := bootstrap + ".next"
	_ = os.Remove(next)
	if err := os.Link(built, next); err != nil {
		return err
	}

	return os.Rename(next, bootstrap)
}
