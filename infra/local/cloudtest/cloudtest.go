// Package cloudtest gives a test, or a benchmark, a whole local cloud of its
// own: the programs of template.yaml, built as `make run` builds them, on a
// data directory of the test's.
package cloudtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/compile"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/seeder"
	"minicloud/infra/local/template"
)

// Start builds what has changed and starts a cloud that ends with the test,
// which fails when a program was denied by its own policies. Each change is
// applied to the configuration before.
func Start(t testing.TB, changes ...func(*cloud.Config)) *cloud.Cloud {
	t.Helper()
	cfg, err := Config(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range changes {
		change(&cfg)
	}
	c, err := cloud.Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Stop()
		if err := Denied(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// denials holds the messages of denied calls in the clouds of this process.
var denials sync.Map

// Denied returns the calls that programs' own policies denied since the last call of Denied, in all clouds of this
// process that Config describes. An error means that template.yaml lacks a grant.
func Denied() error {
	var all []error
	for _, denied := range denials.Range {
		all = append(all, denied.(error))
	}
	denials.Clear()
	if len(all) == 0 {
		return nil
	}
	return fmt.Errorf("template.yaml lacks a grant: %w", errors.Join(all...))
}

// Config builds what has changed and returns how to start a cloud on dataDir
// and a free port.
func Config(ctx context.Context, dataDir string) (cloud.Config, error) {
	root, err := ddb.Root()
	if err != nil {
		return cloud.Config{}, err
	}
	bin, err := build(ctx, root)
	return cloud.Config{
		Root: root, DataDir: dataDir, BinDir: bin, Seed: seeder.Demo,
		Denied: func(err error) { denials.Store(err.Error(), err) },
	}, err
}

// build compiles the programs into a folder that all tests of a checkout
// share, one test process after the other.
func build(ctx context.Context, root string) (string, error) {
	bin := filepath.Join(root, ".local", "test-bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", err
	}

	lock, err := os.OpenFile(filepath.Join(bin, ".lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	// go test runs packages at the same time; two builds into one folder would replace each other's programs.
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}

	t, err := template.ReadFile(filepath.Join(root, "template.yaml"), template.Options{})
	if err != nil {
		return "", err
	}

	var programs []string
	for _, f := range t.Functions {
		programs = append(programs, f.Program)
	}

	return bin, compile.Programs(ctx, root, bin, programs, func(string) {})
}
