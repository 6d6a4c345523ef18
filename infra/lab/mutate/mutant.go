package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// outcome is the result of a mutant's tests.
type outcome int

const (
	undecided outcome = iota
	survived
	killed
	timedOut
)

// mutant is one change.
type mutant struct {
	id      int
	place   string // file.go:12
	kind    string
	text    string  // the code that is changed
	tests   []*test // which reach it
	outcome outcome
}

// source is a package, and the edits that compile all of its mutants into it.
type source struct {
	name, dir string
	fset      *token.FileSet
	info      *types.Info
	files     map[string]*file
	mutants   []*mutant
}

// file is one of the package, and what is written into it.
type file struct {
	text  []byte
	edits map[int]*edit
}

// edit is an insertion: close ends the text before it, open begins the text after it, and skip bytes are left out.
type edit struct {
	close, open string
	skip        int
}

// load reads a package with the types of its expressions, and finds its mutants.
func load(name string) (*source, error) {
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles", name)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}

	type listed struct {
		ImportPath, Export, Dir string
		GoFiles                 []string
	}
	exports := map[string]string{}
	var last listed // dependencies come before what needs them
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var one listed
		if err := decoder.Decode(&one); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		exports[one.ImportPath], last = one.Export, one
	}

	s := &source{
		name: name, dir: last.Dir, fset: token.NewFileSet(), files: map[string]*file{},
		info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}},
	}
	var parsed []*ast.File
	for _, base := range last.GoFiles {
		text, err := os.ReadFile(filepath.Join(last.Dir, base))
		if err != nil {
			return nil, err
		}
		tree, err := parser.ParseFile(s.fset, base, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.files[base] = &file{text: text, edits: map[int]*edit{}}
		parsed = append(parsed, tree)
	}

	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	config := types.Config{Importer: importer.ForCompiler(s.fset, "gc", open)}
	if _, err := config.Check(name, s.fset, parsed, s.info); err != nil {
		return nil, err
	}
	for _, tree := range parsed {
		for _, d := range tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				s.function(f.Type, f.Body)
			}
		}
	}
	return s, nil
}

// at returns the edit of a place.
func (s *source) at(pos token.Pos) *edit {
	p := s.fset.Position(pos)
	edits := s.files[p.Filename].edits
	if edits[p.Offset] == nil {
		edits[p.Offset] = &edit{}
	}
	return edits[p.Offset]
}

// text returns the code of a node as it is written.
func (s *source) text(n ast.Node) string {
	from, to := s.fset.Position(n.Pos()), s.fset.Position(n.End())
	return string(s.files[from.Filename].text[from.Offset:to.Offset])
}

// add notes a mutant of a node and returns its number.
func (s *source) add(n ast.Node, kind string) int {
	p := s.fset.Position(n.Pos())
	text := strings.Join(strings.Fields(s.text(n)), " ")
	if len(text) > 90 {
		text = strings.ToValidUTF8(text[:90], "") + "…"
	}
	m := &mutant{id: len(s.mutants) + 1, place: fmt.Sprintf("%s:%d", p.Filename, p.Line), kind: kind, text: text}
	s.mutants = append(s.mutants, m)
	return m.id
}

// wrap writes around a node. Nodes are met from the outside in, so what is written for an outer one stays outside.
func (s *source) wrap(n ast.Node, before, after string) {
	s.at(n.Pos()).open += before
	end := s.at(n.End())
	end.close = after + end.close
}

const (
	mutantVariable = "MUTANT"
	seenVariable   = "MUTANTS_SEEN"
)

// switches is the file that every package gets: it says which mutant is on, and notes which are reached.
const switches = `package %s

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

var (
	mutantOn, _   = strconv.Atoi(os.Getenv("` + mutantVariable + `"))
	mutantSeen    = os.Getenv("` + seenVariable + `")
	mutantsSeen   sync.Map
)

func mutantIs(n int) bool {
	if mutantSeen != "" {
		if _, known := mutantsSeen.LoadOrStore(n, true); !known {
			f, err := os.OpenFile(mutantSeen, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				panic(err)
			}
			fmt.Fprintln(f, n)
			f.Close()
		}
	}
	return n == mutantOn
}

type mutantNumber interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

func mutantFirst[T mutantNumber](n int, a, b T, other func(a, b T) T) T {
	if mutantIs(n) {
		return a
	}
	return other(a, b)
}

func mutantAdd[T mutantNumber](n int, a, b T) T { return mutantFirst(n, a, b, func(a, b T) T { return a + b }) }
func mutantSub[T mutantNumber](n int, a, b T) T { return mutantFirst(n, a, b, func(a, b T) T { return a - b }) }
func mutantMul[T mutantNumber](n int, a, b T) T { return mutantFirst(n, a, b, func(a, b T) T { return a * b }) }
func mutantQuo[T mutantNumber](n int, a, b T) T { return mutantFirst(n, a, b, func(a, b T) T { return a / b }) }
func mutantMin[T mutantNumber](n int, a, b T) T { return mutantFirst(n, a, b, func(a, b T) T { return min(a, b) }) }
func mutantMax[T mutantNumber](n int, a, b T) T { return mutantFirst(n, a, b, func(a, b T) T { return max(a, b) }) }

func mutantError(n int, err error) error {
	if mutantIs(n) {
		return nil
	}
	return err
}
`

// mutated returns the files of the package with all of its mutants in them.
func (s *source) mutated() map[string][]byte {
	out := map[string][]byte{}
	for name, f := range s.files {
		var text bytes.Buffer
		from := 0
		offsets := make([]int, 0, len(f.edits))
		for offset := range f.edits {
			offsets = append(offsets, offset)
		}
		// The edits refer to offsets of the original text, so they are applied from front to back.
		slices.Sort(offsets)
		for _, offset := range offsets {
			e := f.edits[offset]
			text.Write(f.text[from:offset])
			text.WriteString(e.close + e.open)
			from = offset + e.skip
		}
		text.Write(f.text[from:])
		out[name] = text.Bytes()

		if out["mutants.go"] == nil {
			clause, _ := parser.ParseFile(token.NewFileSet(), name, f.text, parser.PackageClauseOnly)
			out["mutants.go"] = fmt.Appendf(nil, switches, clause.Name.Name)
		}
	}
	return out
}
