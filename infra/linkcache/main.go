// Program linkcache is the -toolexec of `make test`: it links a test binary only if something in it has changed.
//
// The Go tool caches compiled packages, but links every test binary in each run: 219 binaries, 100 s of processor time. The
// build ID that it gives to the linker is a hash of all that the binary is made of.
//
//	LINKCACHE=folder go test -toolexec linkcache ./...
//
// The folder has one file for each test binary: <package>@<hash of the build ID>, a hard link to the file in the Go tool's
// work folder. Both must be in one file system; otherwise every binary is linked as without this program.
package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: LINKCACHE=folder go test -toolexec linkcache ./...")
		os.Exit(2)
	}
	tool := exec.Command(os.Args[1], os.Args[2:]...)
	tool.Stdin, tool.Stdout, tool.Stderr = os.Stdin, os.Stdout, os.Stderr

	err := run(os.Getenv("LINKCACHE"), os.Getenv("TOOLEXEC_IMPORTPATH"), os.Args[2:], tool.Run)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		os.Exit(max(exit.ExitCode(), 1))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run takes the output of the tool from folder, or runs the tool and keeps its output there. It only runs a tool that links
// no test binary.
func run(folder, importPath string, flags []string, tool func() error) error {
	output, id := value(flags, "-o"), value(flags, "-buildid")
	if folder == "" || output == "" || id == "" || value(flags, "-X") != "testing.testBinary=1" {
		return tool()
	}

	name := strings.ReplaceAll(importPath, "/", "_") + "@"
	kept := filepath.Join(folder, name+fmt.Sprintf("%x", sha256.Sum256([]byte(id)))[:32])
	if os.Link(kept, output) == nil {
		return nil
	}
	if err := tool(); err != nil {
		return err
	}

	// Without this the folder would grow by a binary for each change of a package.
	earlier, err := filepath.Glob(filepath.Join(folder, name+"*"))
	if err != nil {
		return err
	}
	for _, file := range earlier {
		_ = os.Remove(file)
	}
	_ = os.Link(output, kept) // another file system: the next run links again
	return nil
}

// value returns what is given to a flag, as the next argument or after "="; "" without the flag.
func value(flags []string, flag string) string {
	for i, f := range flags {
		if given, ok := strings.CutPrefix(f, flag+"="); ok {
			return given
		}
		if f == flag && i+1 < len(flags) {
			return flags[i+1]
		}
	}
	return ""
}
