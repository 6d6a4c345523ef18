// Package engine finds the DynamoDB engine of the local cloud, dynoxide. DYNAMODB_BIN names its path; if it is not set,
// Find returns the first working program of:
//
//	the path ──► npm's folder in infra/ ──► Cargo's folder
//
// Versions from 1.2 work; 1.5 is faster.
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

// oldestMajor and oldestMinor are the oldest version that passes the tests.
const oldestMajor, oldestMinor = 1, 2

// Engine is a working dynoxide program.
type Engine struct {
	Path    string
	Version string // "1.5.0"
}

// Find finds the engine for the repository at root. The error lists unusable engines and names the one command that
// installs a good one.
func Find(root string) (Engine, error) {
	if path := os.Getenv("DYNAMODB_BIN"); path != "" {
		// An explicit path that does not work is an error: falling back would hide a typo.
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

// places returns the paths where the engine may be installed, the preferred first.
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

// native resolves npm's start script to the program itself. The script needs node on the path and would keep running
// after the program was killed.
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

// platform returns the path of npm's package with the program for this machine.
func platform() string {
	cpu := runtime.GOARCH
	if cpu == "amd64" {
		cpu = "x64"
	}
	return filepath.Join("@dynoxide", runtime.GOOS+"-"+cpu)
}

// ask runs the program with --version and checks its output.
func ask(path string) (Engine, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	// An unknown program must not see the credentials of the environment.
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

// remedy returns the one command that installs the engine on this machine.
func remedy(root string) string {
	has := func(program string) bool {
		_, err := exec.LookPath(program)
		return err == nil
	}
	// infra/package.json installs the program for linux-x64; npm writes this file last.
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
