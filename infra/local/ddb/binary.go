package ddb

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// npmPlatform is the one for which infra/package.json has a binary.
const npmPlatform = "linux/amd64"

// Binary finds dynoxide: $DYNAMODB_BIN, else what `npm ci` in infra/ installed
// below root, the root of the repository. The error is one line saying what to
// do.
func Binary(root string) (string, error) {
	if path := os.Getenv("DYNAMODB_BIN"); path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", fmt.Errorf("DYNAMODB_BIN=%s is not a program that can be started", path)
		}
		return found, nil
	}
	return installed(root, runtime.GOOS+"/"+runtime.GOARCH)
}

func installed(root, platform string) (string, error) {
	if platform != npmPlatform {
		return "", fmt.Errorf("npm has the DynamoDB engine (dynoxide) for %s, not for %s: set DYNAMODB_BIN to its path, or AWS_ENDPOINT_URL_DYNAMODB to another server", npmPlatform, platform)
	}
	found, err := exec.LookPath(filepath.Join(root, "infra", "node_modules", "@dynoxide", "linux-x64", "dynoxide"))
	if err != nil {
		return "", fmt.Errorf("the DynamoDB engine (dynoxide) is not installed: run `npm ci --prefix infra`, or set DYNAMODB_BIN to its path")
	}
	return found, nil
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
