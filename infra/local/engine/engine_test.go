package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// machine simulates a bare machine with an empty path and home. It returns the root of a repository and the only
// folder on the path.
func machine(t *testing.T) (root, path string) {
	t.Helper()
	root, path = t.TempDir(), t.TempDir()
	t.Setenv("DYNAMODB_BIN", "")
	t.Setenv("PATH", path)
	t.Setenv("HOME", filepath.Join(root, "home"))
	t.Setenv("CARGO_HOME", "")
	return root, path
}

// program writes a program that prints a version.
func program(t *testing.T, said string, elements ...string) string {
	t.Helper()
	path := filepath.Join(elements...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho "+said+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPlacesInOrder(t *testing.T) {
	root, path := machine(t)
	find := func(want, version string) {
		t.Helper()
		got, err := Find(root)
		if err != nil || got != (Engine{want, version}) {
			t.Errorf("found %+v, %v, want %s", got, err, want)
		}
	}
	find(program(t, "dynoxide 1.5.0", root, "home", ".cargo", "bin", "dynoxide"), "1.5.0")
	find(program(t, "dynoxide 1.2.1", root, "infra", "node_modules", platform(), "dynoxide"), "1.2.1")
	find(program(t, "dynoxide 1.6.0", path, "dynoxide"), "1.6.0")
	other := program(t, "dynoxide 2.0.0", root, "other")
	t.Setenv("DYNAMODB_BIN", other)
	find(other, "2.0.0")
}

// TestTriesNextPlace: programs that are not dynoxide or too old are skipped.
func TestTriesNextPlace(t *testing.T) {
	root, path := machine(t)
	program(t, "dynoxide 0.9.13", path, "dynoxide")
	program(t, "something else", root, "infra", "node_modules", platform(), "dynoxide")
	want := program(t, "dynoxide 1.5.0", root, "home", ".cargo", "bin", "dynoxide")
	if got, err := Find(root); err != nil || got.Path != want {
		t.Errorf("found %+v, %v", got, err)
	}
}

// TestIgnoresScriptOfNpm: a global npm install puts a start script on the path.
func TestIgnoresScriptOfNpm(t *testing.T) {
	root, path := machine(t)
	script := program(t, "I need node", root, "lib", "node_modules", "dynoxide", "bin", "dynoxide")
	if err := os.Symlink(script, filepath.Join(path, "dynoxide")); err != nil {
		t.Fatal(err)
	}
	beside := program(t, "dynoxide 1.4.0", root, "lib", "node_modules", platform(), "dynoxide")
	if got, err := Find(root); err != nil || !same(t, got.Path, beside) {
		t.Errorf("found %+v, %v, want %s", got, err, beside)
	}
	below := program(t, "dynoxide 1.5.0", root, "lib", "node_modules", "dynoxide", "node_modules", platform(), "dynoxide")
	if got, err := Find(root); err != nil || !same(t, got.Path, below) {
		t.Errorf("found %+v, %v, want %s", got, err, below)
	}
}

func same(t *testing.T, a, b string) bool {
	t.Helper()
	one, err := os.Stat(a)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.Stat(b)
	if err != nil {
		t.Fatal(err)
	}
	return os.SameFile(one, other)
}

func TestNamesInstallCommand(t *testing.T) {
	root, path := machine(t)
	expect := func(want ...string) {
		t.Helper()
		_, err := Find(root)
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%v, want %q", err, w)
			}
		}
	}
	expect("not installed", "DYNAMODB_BIN")
	program(t, "", path, "cargo")
	expect("`cargo install dynoxide-rs ", "four minutes")
	program(t, "", path, "npm")
	if platform() == "@dynoxide/linux-x64" {
		expect("`npm ci --prefix infra`")
		program(t, "", root, "infra", "node_modules", ".package-lock.json") // npm has run, but the program is missing
	}
	expect("`npm install --global dynoxide`")
	program(t, "", path, "brew")
	expect("`brew install nubo-db/tap/dynoxide`")

	program(t, "dynoxide 0.9.13", path, "dynoxide")
	expect(filepath.Join(path, "dynoxide")+" is version 0.9.13, want 1.2 or later", "brew install")
	program(t, "hello", path, "dynoxide")
	expect("is not a dynoxide: it says", "brew install")
	t.Setenv("DYNAMODB_BIN", "/no/such/program")
	expect("DYNAMODB_BIN=/no/such/program cannot be started")
}
