package check

import (
	"bytes"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// topLevel lists the allowed entries at the top level, besides those whose name begins with a dot.
var topLevel = []string{
	"functions", "shared", "infra", "events",
	"template.yaml", "samconfig.toml", "Makefile", "go.mod", "go.sum", "README.md", "LICENSE",
}

// TopLevel reports files and folders at the top level that do not belong there.
func TopLevel(t *Tree) (problems findings) {
	for _, name := range t.Files {
		top, _, _ := strings.Cut(name, "/")
		problem := top + ": does not belong at the top level"
		if !strings.HasPrefix(top, ".") && !slices.Contains(topLevel, top) && !slices.Contains(problems, problem) {
			problems = append(problems, problem)
		}
	}
	return problems
}

// MaxFileBytes limits the size of a file that is not in largeFiles.
const MaxFileBytes = 1 << 20

// largeFiles lists the files that may be larger, each with the reason.
var largeFiles = map[string]string{
	"shared/runtime/quickjs/generated.go": "the JavaScript engine, translated from C, so that a build needs no C compiler",
}

// binaries are the first bytes of compiled programs and object archives.
var binaries = []struct{ magic, kind string }{
	{"\x7fELF", "Linux program"},
	{"MZ", "Windows program"},
	{"\xcf\xfa\xed\xfe", "Mac program"},
	{"\xca\xfe\xba\xbe", "Mac program or Java class"},
	{"\x00asm", "WebAssembly program"},
	{"!<arch>\n", "object archive"},
}

// TrackedFiles reports compiled programs, and large files without a reason: git keeps them in every clone forever.
func TrackedFiles(t *Tree) (problems findings) {
	for _, name := range t.Files {
		about, err := fs.Stat(t.FS, name)
		if err != nil {
			return append(problems, err.Error())
		}
		if _, known := largeFiles[name]; about.Size() > MaxFileBytes && !known {
			problems.add("%s: %d bytes, at most %d; say why in infra/check/files.go or leave it out",
				name, about.Size(), MaxFileBytes)
		}
		head, err := firstBytes(t.FS, name)
		if err != nil {
			return append(problems, err.Error())
		}
		// By content, not by name: a Go program has no file name extension.
		for _, p := range binaries {
			if bytes.HasPrefix(head, []byte(p.magic)) {
				problems = append(problems, name+": a "+p.kind+", which a build makes: remove it and ignore it")
			}
		}
	}
	return problems
}

func firstBytes(tree fs.FS, name string) ([]byte, error) {
	file, err := tree.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, 8))
}
