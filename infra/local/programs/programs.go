// Package programs runs one of several programs that share a binary on this machine (package compile says which do).
package programs

import (
	"fmt"
	"os"
	"path/filepath"

	"minicloud/shared/program/backend"
)

// Set has the programs of one binary by their names.
type Set map[string]func(*backend.Backend) any

// Run runs the program that the folder of this executable is named after: package compile places it there.
func (s Set) Run() {
	name := filepath.Base(filepath.Dir(os.Args[0]))
	wire, known := s[name]
	if !known {
		fmt.Fprintf(os.Stderr, "%s: there is no program %q in this binary\n", os.Args[0], name)
		os.Exit(2)
	}
	backend.Run(wire)
}
