package ddb

import (
	"fmt"
	"os"
	"path/filepath"
)

// Root returns the nearest folder, from the working directory upwards, that contains template.yaml. It does not look
// for go.mod: the repository has two modules.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "template.yaml")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		// The parent of the root directory is itself.
		if parent == dir {
			return "", fmt.Errorf("no template.yaml above the working directory: start this inside the repository")
		}
		dir = parent
	}
}
