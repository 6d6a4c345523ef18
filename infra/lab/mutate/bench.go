package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// bench is the test binary of a package with all of its mutants, and what its tests reach.
type bench struct {
	dir    string // of its own
	source string // of the package: tests run there
	flags  []string
	tests  []*test
}

type test struct {
	name          string
	takes         time.Duration
	seen          map[int]bool // mutants
	tried, killed int          // mutants
}

// cost is the expected run time of a test for each mutant that it kills.
func (t *test) cost() time.Duration {
	return t.takes * time.Duration(t.tried+2) / time.Duration(t.killed+1)
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

	// Vet is off: it reports some mutants, and one of them would keep all from being compiled.
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
	run.Args = append(run.Args, b.flags...)
	run.Dir, run.Env = b.source, append(os.Environ(), variables...)
	// Databases that a test has started end with it, not with its answer.
	run.WaitDelay = time.Second
	return run.CombinedOutput()
}

// measure runs each test without a mutant, and notes how long it takes and which mutants it reaches.
func (b *bench) measure(ctx context.Context, mutants []*mutant) error {
	list := exec.Command(b.binary(), "-test.list", "^(Test|Fuzz|Example)")
	list.Dir = b.source
	names, err := list.Output()
	if err != nil {
		return fmt.Errorf("list the tests: %w", err)
	}
	// A property that a mutant breaks would leave its counterexample in the package, for every later run of the test.
	if help, _ := exec.Command(b.binary(), "-help").CombinedOutput(); bytes.Contains(help, []byte("rapid.nofailfile")) {
		b.flags = []string{"-rapid.nofailfile"}
	}

	seen := filepath.Join(b.dir, "seen")
	for _, name := range strings.Fields(string(names)) {
		_ = os.Remove(seen)
		began := time.Now()
		if out, err := b.run(ctx, name, seenVariable+"="+seen); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			fmt.Printf("%s is left out, it fails without a mutant:\n%s", name, out) // it counts allocations, say
			continue
		}
		t := &test{name: name, takes: time.Since(began), seen: map[int]bool{}}
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

	for n, m := range mutants {
		for _, t := range b.tests {
			if t.seen[n+1] {
				m.tests = append(m.tests, t)
			}
		}
	}
	return nil
}

// kill runs the tests that reach each mutant until one fails. It stops when its context ends; the order is random,
// so that the mutants decided until then are a sample.
func (b *bench) kill(ctx context.Context, mutants []*mutant) {
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(len(mutants)) {
		mutants[i].outcome = b.outcome(ctx, mutants[i])
	}
}

// outcome tries the tests that cost least for each mutant they kill first.
func (b *bench) outcome(ctx context.Context, m *mutant) outcome {
	if ctx.Err() != nil || len(m.tests) == 0 {
		return undecided
	}
	tests := slices.SortedFunc(slices.Values(m.tests), func(a, b *test) int { return cmp.Compare(a.cost(), b.cost()) })

	for _, t := range tests {
		limited, cancel := context.WithTimeout(ctx, 5*time.Second+5*t.takes)
		_, err := b.run(limited, t.name, fmt.Sprintf("%s=%d", mutantVariable, m.id))
		late := limited.Err() != nil
		cancel()

		// An interrupt of the terminal also ends the test, which says nothing about the mutant.
		exit, _ := errors.AsType[*exec.ExitError](err)
		interrupted := exit != nil && exit.ExitCode() < 0 && !late
		if ctx.Err() != nil || interrupted {
			return undecided
		}

		if t.tried++; err != nil {
			t.killed++
		}
		switch {
		case late:
			return timedOut
		case err != nil:
			return killed
		}
	}
	return survived
}
