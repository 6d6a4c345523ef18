package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// bench is the test binary of a package with all of its mutants, and what its tests reach.
type bench struct {
	dir    string // of its own
	source string // of the package: tests run there
	tests  []test // the quickest first
}

type test struct {
	name  string
	takes time.Duration
	seen  map[int]bool // mutants
}

func (b *bench) binary() string { return filepath.Join(b.dir, "tests") }

// build compiles the tests of a package with the mutants in the place of its files.
func (b *bench) build(p *source) error {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, text := range p.mutated() {
		path := filepath.Join(b.dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return err
		}
		overlay.Replace[filepath.Join(p.dir, name)] = path
	}
	list, err := json.Marshal(overlay)
	if err != nil {
		return err
	}
	file := filepath.Join(b.dir, "overlay.json")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		return err
	}

	compile := exec.Command("go", "test", "-c", "-vet=off", "-overlay", file, "-o", b.binary(), p.name)
	if out, err := compile.CombinedOutput(); err != nil {
		return fmt.Errorf("compile: %w\n%s", err, out)
	}
	return nil
}

// run runs one test with some variables, and returns why it failed. Tests that try something many times try it less
// often.
func (b *bench) run(ctx context.Context, name string, variables ...string) ([]byte, error) {
	run := exec.CommandContext(ctx, b.binary(), "-test.short", "-test.run", "^"+name+"$", "-test.timeout", "10m")
	run.Dir, run.Env = b.source, append(os.Environ(), variables...)
	// Databases that a test has started end with it, not with its answer.
	run.WaitDelay = time.Second
	return run.CombinedOutput()
}

// measure runs each test without a mutant, and notes how long it takes and which mutants it reaches.
func (b *bench) measure(mutants []*mutant) error {
	list := exec.Command(b.binary(), "-test.list", "^(Test|Fuzz|Example)")
	list.Dir = b.source
	names, err := list.Output()
	if err != nil {
		return fmt.Errorf("list the tests: %w", err)
	}

	seen := filepath.Join(b.dir, "seen")
	for _, name := range strings.Fields(string(names)) {
		_ = os.Remove(seen)
		began := time.Now()
		if out, err := b.run(context.Background(), name, seenVariable+"="+seen); err != nil {
			fmt.Printf("%s is left out, it fails without a mutant:\n%s", name, out) // it counts allocations, say
			continue
		}
		t := test{name: name, takes: time.Since(began), seen: map[int]bool{}}
		text, err := os.ReadFile(seen)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		for _, field := range bytes.Fields(text) {
			if n, err := strconv.Atoi(string(field)); err == nil {
				t.seen[n] = true
			}
		}
		b.tests = append(b.tests, t)
	}
	slices.SortStableFunc(b.tests, func(a, b test) int { return int(a.takes - b.takes) })

	for n, m := range mutants {
		for i, t := range b.tests {
			if t.seen[n+1] {
				m.tests = append(m.tests, i)
			}
		}
	}
	return nil
}

// kill runs the tests that reach each mutant until one fails.
func (b *bench) kill(mutants []*mutant, jobs int) {
	var group errgroup.Group
	group.SetLimit(jobs)
	for _, m := range mutants {
		group.Go(func() error {
			m.outcome = b.outcome(m)
			return nil
		})
	}
	_ = group.Wait()
}

func (b *bench) outcome(m *mutant) outcome {
	for _, i := range m.tests {
		t := b.tests[i]
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second+5*t.takes)
		_, err := b.run(ctx, t.name, fmt.Sprintf("%s=%d", mutantVariable, m.id))
		late := ctx.Err() != nil
		cancel()
		switch {
		case late:
			return timedOut
		case err != nil:
			return killed
		}
	}
	return survived
}
