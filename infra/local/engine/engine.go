// Package engine finds the DynamoDB engine of the local cloud, dynoxide:
//
//	DYNAMODB_BIN ──► the path ──► npm's place in infra/ ──► Cargo's place
//
// The first that answers is taken. Versions from 1.2 on serve; 1.5 is faster.
package engine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// name is the file name of the program.
const name = "dynoxide"

// The oldest version that the tests pass with.
const oldestMajor, oldestMinor = 1, 2

// Engine is a dynoxide that answered.
type Engine struct {
	Path    string
	Version string // "1.5.0"
}

// Find finds the engine for the repository at root. The error lists unusable engines and names the one command that
// installs a good one.
func Find(root string) (Engine, error) {
	if path := os.Getenv("DYNAMODB_BIN"); path != "" {
		// An explicit path that does not serve is an error: falling back would hide the typo.
		found, err := ask(path)
		if err != nil {
			return Engine{}, fmt.Errorf("DYNAMODB_BIN=%s %w", path, err)
		}
		return found, nil
	}

	useless := ""
	for _, path := range places(root) {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		found, err := ask(path)
		if err == nil {
			return found, nil
		}
		useless += fmt.Sprintf(" (%s %v)", path, err)
	}
	return Engine{}, fmt.Errorf("the DynamoDB engine (dynoxide) is not installed%s: run `%s`, or set DYNAMODB_BIN to its path",
		useless, remedy(root))
}

// places are the paths where an engine may lie, the preferred first.
func places(root string) (paths []string) {
	if path, err := exec.LookPath(name); err == nil {
		paths = append(paths, native(path))
	}
	paths = append(paths, filepath.Join(root, "infra", "node_modules", platform(), name))

	cargo := os.Getenv("CARGO_HOME")
	if home, err := os.UserHomeDir(); err == nil && cargo == "" {
		cargo = filepath.Join(home, ".cargo")
	}
	if cargo != "" {
		paths = append(paths, filepath.Join(cargo, "bin", name))
	}
	return paths
}

// native is the program itself where path is npm's script that starts it. The
// script needs node on the path, and would outlive what it started.
func native(path string) string {
	script, err := filepath.EvalSymlinks(path)
	if err != nil {
		return path
	}
	own := filepath.Dir(filepath.Dir(script)) // <own>/bin/dynoxide
	for _, modules := range []string{filepath.Join(own, "node_modules"), filepath.Dir(own)} {
		program := filepath.Join(modules, platform(), name)
		if _, err := os.Stat(program); err == nil {
			return program
		}
	}
	return path
}

// platform is npm's package with the program for this machine.
func platform() string {
	cpu := runtime.GOARCH
	if cpu == "amd64" {
		cpu = "x64"
	}
	return filepath.Join("@dynoxide", runtime.GOOS+"-"+cpu)
}

// ask starts the program with --version and checks the answer. The environment is empty, as in the local cloud.
func ask(path string) (Engine, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	// A foreign program must not see the credentials of the environment.
	cmd.Env = []string{}
	said, err := cmd.Output()
	if err != nil {
		return Engine{}, fmt.Errorf("cannot be started: %w", err)
	}

	e := Engine{Path: cmd.Path}
	var major, minor int
	if _, err := fmt.Sscanf(string(said), name+" %s", &e.Version); err != nil {
		return Engine{}, fmt.Errorf("is not a dynoxide: it says %.100q", said)
	}
	if _, err := fmt.Sscanf(e.Version, "%d.%d", &major, &minor); err != nil {
		return Engine{}, fmt.Errorf("has the version %.100q", e.Version)
	}
	if major < oldestMajor || (major == oldestMajor && minor < oldestMinor) {
		return Engine{}, fmt.Errorf("is version %s, want %d.%d or later", e.Version, oldestMajor, oldestMinor)
	}
	return e, nil
}

// remedy is the one command that brings an engine to this machine.
func remedy(root string) string {
	has := func(program string) bool {
		_, err := exec.LookPath(program)
		return err == nil
	}
	// infra/package.json has the program for this platform; npm writes that file last.
	_, err := os.Stat(filepath.Join(root, "infra", "node_modules", ".package-lock.json"))
	ours := platform() == "@dynoxide/linux-x64" && err != nil
	switch {
	case has("brew"):
		return "brew install nubo-db/tap/dynoxide"
	case has("npm") && ours:
		return "npm ci --prefix infra"
	case has("npm"):
		return "npm install --global dynoxide"
	case has("cargo"):
		return "cargo install dynoxide-rs  # four minutes"
	case runtime.GOOS == "darwin":
		return "brew install nubo-db/tap/dynoxide  # Homebrew: https://brew.sh"
	default:
		return "npm install --global dynoxide  # npm: https://nodejs.org"
	}
}
