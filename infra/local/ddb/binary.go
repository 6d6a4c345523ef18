package ddb

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// packages names the npm package that holds the binary for a platform.
var packages = map[string]string{
	"linux/amd64":  "linux-x64",
	"linux/arm64":  "linux-arm64",
	"darwin/amd64": "darwin-x64",
	"darwin/arm64": "darwin-arm64",
}

// Binary finds dynoxide: $DYNAMODB_BIN, else what `npm ci` in infra/ installed
// below root, the root of the repository. The error is one line saying what to
// run.
func Binary(root string) (string, error) {
	if path := os.Getenv("DYNAMODB_BIN"); path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", fmt.Errorf("DYNAMODB_BIN=%s is not a program that can be started", path)
		}
		return found, nil
	}
	if name, ok := packages[runtime.GOOS+"/"+runtime.GOARCH]; ok {
		path := filepath.Join(root, "infra", "node_modules", "@dynoxide", name, "dynoxide")
		if found, err := exec.LookPath(path); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("the DynamoDB engine (dynoxide) is not installed: run `npm ci --prefix infra`, or set DYNAMODB_BIN to its path")
}

// Root walks up from the working directory to the folder of go.mod.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no go.mod above the working directory: start this inside the repository")
		}
		dir = parent
	}
}
