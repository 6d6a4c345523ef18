// Package cloudtest starts a whole local cloud for one test or benchmark: the programs of template.yaml, built as
// `make run` builds them, on a data directory of the test.
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
	"minicloud/infra/local/unkind"
)

// Start builds what has changed and starts a cloud that stops when the test ends. The test fails if a program's own
// policies denied one of its calls. Start applies changes to the configuration first.
func Start(t testing.TB, changes ...func(*cloud.Config)) *cloud.Cloud {
	t.Helper()
	cfg, err := Config(t.TempDir())
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
		if hits := c.Stats().Unkind; len(hits) > 0 {
			t.Logf("unkindness of AWS that struck: %v", hits)
		}
		if err := Denied(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// denials is the set of denied calls in all clouds of this process.
var denials sync.Map

// Denied returns, and forgets, the calls that programs' own policies denied since its last call, in all clouds of this
// process made from Config. An error means that template.yaml lacks a grant.
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

// Config builds what has changed and returns the configuration of a cloud on dataDir with free ports.
func Config(dataDir string) (cloud.Config, error) {
	root, err := ddb.Root()
	if err != nil {
		return cloud.Config{}, err
	}
	bin, err := built()
	if err != nil {
		return cloud.Config{}, err
	}
	// UNKIND=all go test ./infra/scenario plays tests under the unkindness of AWS.
	numbers, err := unkind.Parse(os.Getenv("UNKIND"))
	return cloud.Config{
		Root: root, DataDir: dataDir, BinDir: bin, Seed: seeder.Demo, Unkind: numbers,
		Denied: func(err error) { denials.Store(err.Error(), err) },
	}, err
}

// built compiles the programs, once in each process, into a folder shared by all tests of a checkout; a file lock lets
// one test process build at a time. Even if nothing has changed, the Go tool takes half a second of processor time to
// find out, and some tests start several clouds.
var built = sync.OnceValues(func() (string, error) {
	root, err := ddb.Root()
	if err != nil {
		return "", err
	}

	bin := filepath.Join(root, ".local", "test-bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", err
	}

	lock, err := os.OpenFile(filepath.Join(bin, ".lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	// go test runs packages concurrently; two builds into one folder would replace each other's programs.
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}

	t, err := template.ReadFile(filepath.Join(root, "template.yaml"), template.Options{})
	if err != nil {
		return "", err
	}
	return bin, compile.Programs(context.Background(), root, bin, t.Programs(), func(string) {})
})
