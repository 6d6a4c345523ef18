// Package compile builds the programs that the template names, all in one run
// of the Go tool, into the layout of Lambda: <dir>/<program>/bootstrap.
package compile

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Bootstrap returns the path of a built program below dir.
func Bootstrap(dir, program string) string { return filepath.Join(dir, program, "bootstrap") }

// Programs builds functions/<name> of the repository at root for each name.
// What is up to date is not built again. report gets one line now and then.
func Programs(ctx context.Context, root, dir string, names []string, report func(line string)) error {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if len(names) == 0 {
		return nil
	}
	if _, err := exec.LookPath("go"); err != nil {
		return fmt.Errorf("the Go tool is not installed or not in PATH: it is needed to build the programs")
	}

	out := filepath.Join(dir, ".out") // the Go tool finds here what it linked before
	// Without -buildvcs=false the commit's name is in every program, and each commit changes them all. The tag leaves out
	// Lambda's old protocol, whose net/rpc makes the linker keep every method: a quarter of a program.
	args := []string{
		"build", "-v", "-trimpath", "-buildvcs=false", "-tags=lambda.norpc", "-ldflags=-s -w",
		"-o", out + string(filepath.Separator),
	}
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(root, "functions", name, "main.go")); err != nil {
			return fmt.Errorf("template.yaml names the program functions/%s, which has no main.go", name)
		}
		args = append(args, "./functions/"+name)
	}

	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	if err := run(ctx, root, args, report); err != nil {
		return err
	}

	for _, name := range names {
		if err := place(filepath.Join(out, name), Bootstrap(dir, name)); err != nil {
			return err
		}
	}

	return nil
}

// run runs the Go tool; its -v lines are packages it had to compile.
func run(ctx context.Context, root string, args []string, report func(string)) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off") // with the product's own go.mod, as they are deployed
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

// tellEvery is how often report says how far the Go tool is.
const tellEvery = 2 * time.Second

// follow reports how the Go tool gets on, also while it links, which it says
// nothing about, and returns its complaints.
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

// place makes the built program available under its Lambda path. A program that
// runs keeps the file it was started from.
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

	next := bootstrap + ".next"
	_ = os.Remove(next)
	if err := os.Link(built, next); err != nil {
		return err
	}

	return os.Rename(next, bootstrap)
}
