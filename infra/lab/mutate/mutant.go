package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
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
	pkg       string // as its files call it
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

// load reads packages with the types of their expressions.
func load(patterns ...string) ([]*packages.Package, error) {
	return packages.Load(&packages.Config{Mode: packages.LoadSyntax}, patterns...)
}

// mutate finds the mutants of a package.
func mutate(p *packages.Package) (*source, error) {
	if len(p.Errors) > 0 {
		return nil, p.Errors[0]
	}
	s := &source{name: p.PkgPath, dir: p.Dir, pkg: p.Name, fset: p.Fset, info: p.TypesInfo, files: map[string]*file{}}
	for i, tree := range p.Syntax {
		text, err := os.ReadFile(p.CompiledGoFiles[i])
		if err != nil {
			return nil, err
		}
		s.files[filepath.Base(p.CompiledGoFiles[i])] = &file{text: text, edits: map[int]*edit{}}
		for _, d := range tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				s.function(f.Type, f.Body)
			}
		}
	}
	return s, nil
}

// position is a place in a file of the package, called by its base name.
func (s *source) position(pos token.Pos) token.Position {
	p := s.fset.Position(pos)
	p.Filename = filepath.Base(p.Filename)
	return p
}

// at returns the edit of a place.
func (s *source) at(pos token.Pos) *edit {
	p := s.position(pos)
	edits := s.files[p.Filename].edits
	if edits[p.Offset] == nil {
		edits[p.Offset] = &edit{}
	}
	return edits[p.Offset]
}

// text returns the code of a node as it is written.
func (s *source) text(n ast.Node) string {
	from, to := s.position(n.Pos()), s.position(n.End())
	return string(s.files[from.Filename].text[from.Offset:to.Offset])
}

// add notes a mutant of a node and returns its number.
func (s *source) add(n ast.Node, kind string) int {
	p := s.position(n.Pos())
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
	out := map[string][]byte{"mutants.go": fmt.Appendf(nil, switches, s.pkg)}
	for name, f := range s.files {
		var text bytes.Buffer
		from := 0
		// The edits refer to offsets of the original text, so they are applied from front to back.
		for _, offset := range slices.Sorted(maps.Keys(f.edits)) {
			e := f.edits[offset]
			text.Write(f.text[from:offset])
			text.WriteString(e.close + e.open)
			from = offset + e.skip
		}
		text.Write(f.text[from:])
		out[name] = text.Bytes()
	}
	return out
}
