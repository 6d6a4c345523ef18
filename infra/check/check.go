// Package check has the rules of the repository that the compiler does not check: which package may import which,
// that template.yaml and the programs agree in both directions, that every endpoint of the contract is served and has
// a fixture, and that the tree is tidy.
//
// Each rule is a function from the Tree to a list of problems, one line each, so that tests can also apply it to a
// tree that breaks it.
package check

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// Module is the path of the Go module.
const Module = "minicloud"

// Tree is the repository: every file that is committed or could be.
type Tree struct {
	FS    fs.FS
	Files []string // slash-separated, relative to the root
	Go    []Source // the Go files among them
	// Positions has the positions of all syntax.
	Positions *token.FileSet
}

// Source is one Go file.
type Source struct {
	Path    string
	Dir     string    // import path without the module: "shared/errs"
	Syntax  *ast.File // of a file over MaxFileBytes only up to its imports
	Imports []string
	Test    bool // a _test.go file
}

// Open reads the repository at root, without the files that git ignores.
func Open(root string) (*Tree, error) {
	list := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "-z")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		return Read(os.DirFS(root))
	}
	t := &Tree{FS: os.DirFS(root)}
	for name := range bytes.SplitSeq(bytes.TrimRight(out, "\x00"), []byte{0}) {
		// git still lists a file that was deleted without a commit.
		if info, err := os.Lstat(filepath.Join(root, string(name))); err == nil && info.Mode().IsRegular() {
			t.Files = append(t.Files, string(name))
		}
	}
	return t, t.parse()
}

// Read reads a repository without git, such as an unpacked archive. It skips the folders that .gitignore names.
func Read(tree fs.FS) (*Tree, error) {
	t := &Tree{FS: tree}
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}

		switch {
		case !entry.IsDir():
			if entry.Type().IsRegular() {
				t.Files = append(t.Files, name)
			}
		case entry.Name() == ".git" || entry.Name() == "node_modules" || name == ".local" || name == ".aws-sam" ||
			name == "bin":
			return fs.SkipDir
		}

		return nil
	})
	if err != nil {
		return nil, err
	}

	return t, t.parse()
}

// parse sets t.Go.
func (t *Tree) parse() error {
	t.Positions = token.NewFileSet()
	for _, name := range t.Files {
		// testdata may contain invalid Go on purpose.
		if !strings.HasSuffix(name, ".go") || strings.Contains(name, "testdata/") {
			continue
		}

		source, err := fs.ReadFile(t.FS, name)
		if err != nil {
			return err
		}

		mode := parser.ParseComments | parser.SkipObjectResolution
		if len(source) > MaxFileBytes { // the JavaScript engine takes as long as all other files together
			mode |= parser.ImportsOnly
		}
		syntax, err := parser.ParseFile(t.Positions, name, source, mode)
		if err != nil {
			return err
		}

		s := Source{Path: name, Dir: path.Dir(name), Syntax: syntax, Test: strings.HasSuffix(name, "_test.go")}
		for _, spec := range syntax.Imports {
			if imported, err := strconv.Unquote(spec.Path.Value); err == nil {
				s.Imports = append(s.Imports, imported)
			}
		}

		t.Go = append(t.Go, s)
	}
	return nil
}

// findings are the problems that a rule has found, one line each.
type findings []string

func (f *findings) add(format string, a ...any) { *f = append(*f, fmt.Sprintf(format, a...)) }

// Text returns the text of a file of the tree.
func (t *Tree) Text(name string) (string, error) {
	content, err := fs.ReadFile(t.FS, name)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return string(content), nil
}

// under reports whether dir is the package prefix or lies below it.
func under(dir, prefix string) bool {
	return dir == prefix || strings.HasPrefix(dir, prefix+"/")
}
