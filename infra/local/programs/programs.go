// Package programs runs one of the programs that share a binary on this machine; package compile assigns them.
package programs

import (
	"fmt"
	"os"
	"path/filepath"

	"minicloud/shared/program/backend"
)

// Set maps the names of the programs in one binary to the functions that create their handlers.
type Set map[string]func(*backend.Backend) any

// Run runs the program named by the folder of this executable, in which package compile places it.
func (s Set) Run() {
	name := filepath.Base(filepath.Dir(os.Args[0]))
	wire, known := s[name]
	if !known {
		fmt.Fprintf(os.Stderr, "%s: there is no program %q in this binary\n", os.Args[0], name)
		os.Exit(2)
	}
	backend.Run(wire)
}
