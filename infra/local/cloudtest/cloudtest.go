// Package cloudtest gives a test, or a benchmark, a whole local cloud of its
// own: the programs of template.yaml, built as `make run` builds them, on a
// data directory of the test's.
package cloudtest

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/compile"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/seeder"
	"minicloud/infra/local/template"
)

// Start builds what has changed and starts a cloud that ends with the test.
// Each change is applied to the configuration before.
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
	t.Cleanup(c.Stop)
	return c
}

// Config builds what has changed and returns how to start a cloud on dataDir
// and a free port.
func Config(ctx context.Context, dataDir string) (cloud.Config, error) {
	root, err := ddb.Root()
	if err != nil {
		return cloud.Config{}, err
	}
	bin, err := build(ctx, root)
	return cloud.Config{Root: root, DataDir: dataDir, BinDir: bin, Seed: seeder.Demo}, err
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
