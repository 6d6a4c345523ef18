// Program house prints figures of the repository's structure: lines, packages, and the depth of imports.
//
// Lines are those of Go without tests, generated files and testdata. A room is a folder of shared, or all programs of
// functions; its floor is one above the highest room that it imports. Rooms that import each other form a circle.
package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"minicloud/infra/check"
)

func main() {
	t, err := check.Open(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	h := read(t)
	for _, line := range h.figures() {
		fmt.Println(line)
	}
}

// house holds the measurements behind the figures.
type house struct {
	lines   map[string]int             // by package
	imports map[string]map[string]bool // by room
	long    int                        // functions over longFunction lines
	told    int                        // long functions with a comment in the body
	main    string                     // the longest main.go
	mainLen int
}

// longFunction limits the lines of a function without a comment in its body.
const longFunction = 15

// largePackage is the number of lines above which a package may have a second subject.
const largePackage = 2000

func read(t *check.Tree) house {
	h := house{lines: map[string]int{}, imports: map[string]map[string]bool{}}
	for _, source := range t.Go {
		if source.Test || ast.IsGenerated(source.Syntax) {
			continue
		}
		text, err := fs.ReadFile(t.FS, source.Path)
		if err != nil {
			continue
		}
		n := strings.Count(string(text), "\n")
		h.lines[source.Dir] += n
		if path.Base(source.Path) == "main.go" && strings.HasPrefix(source.Path, "functions/") && n > h.mainLen {
			h.main, h.mainLen = source.Path, n
		}
		h.functions(source.Syntax, string(text))
		h.look(source)
	}
	return h
}

// functions counts the long functions of a file, and those of them with a comment in the body.
func (h *house) functions(file *ast.File, text string) {
	line := func(at token.Pos) int { return strings.Count(text[:at-file.FileStart], "\n") }
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || line(f.Body.End())-line(f.Pos()) < longFunction {
			continue
		}
		h.long++
		within := func(c *ast.CommentGroup) bool { return c.Pos() > f.Body.Pos() && c.End() < f.Body.End() }
		if slices.ContainsFunc(file.Comments, within) {
			h.told++
		}
	}
}

// look records which rooms a file's room imports.
func (h *house) look(source check.Source) {
	from := room(source.Dir)
	if from == "" {
		return
	}
	if h.imports[from] == nil {
		h.imports[from] = map[string]bool{}
	}
	for _, imported := range source.Imports {
		dir, ours := strings.CutPrefix(imported, check.Module+"/")
		if to := room(dir); ours && to != "" && to != from {
			h.imports[from][to] = true
		}
	}
}

// room returns the folder of shared that contains a package, or functions for a program; "" for any other.
func room(dir string) string {
	parts := strings.Split(dir, "/")
	switch {
	case len(parts) > 1 && parts[0] == "shared":
		return parts[0] + "/" + parts[1]
	case parts[0] == "functions": // infra/check forbids programs to import each other
		return parts[0]
	}
	return ""
}

func (h house) figures() []string {
	sum := func(prefixes ...string) (n int) {
		for dir, lines := range h.lines {
			if slices.ContainsFunc(prefixes, func(p string) bool { return dir == p || strings.HasPrefix(dir, p+"/") }) {
				n += lines
			}
		}
		return n
	}
	lab, infra, product := sum("infra/lab"), sum("infra"), sum("functions", "shared")
	var large []string
	for _, dir := range slices.Sorted(maps.Keys(h.lines)) {
		if h.lines[dir] > largePackage {
			large = append(large, fmt.Sprintf("%s %d", dir, h.lines[dir]))
		}
	}
	floors, circles := h.floors()
	return []string{
		fmt.Sprintf("lines: functions and shared %d, infra without lab %d, lab %d, all %d", product, infra-lab, lab, product+infra),
		fmt.Sprintf("packages over %d lines: %d (%s)", largePackage, len(large), strings.Join(large, ", ")),
		fmt.Sprintf("folders in shared: %d", h.folders()),
		fmt.Sprintf("rooms: %d on %d floors, circles: %s", len(h.imports), floors, orNone(circles)),
		fmt.Sprintf("functions over %d lines with a comment in the body: %d %% of %d", longFunction, 100*h.told/max(h.long, 1), h.long),
		fmt.Sprintf("longest main.go: %d (%s)", h.mainLen, h.main),
	}
}

// folders returns the number of rooms in shared.
func (h house) folders() (n int) {
	for name := range h.imports {
		if strings.HasPrefix(name, "shared/") {
			n++
		}
	}
	return n
}

func orNone(texts []string) string {
	if len(texts) == 0 {
		return "none"
	}
	return strings.Join(texts, ", ")
}

// floors returns the length of the longest import chain, and the imports that close a cycle.
func (h house) floors() (most int, circles []string) {
	height, under := map[string]int{}, map[string]bool{}
	var climb func(name string) int
	climb = func(name string) int {
		if n, known := height[name]; known {
			return n
		}
		under[name] = true
		n := 1
		for _, to := range slices.Sorted(maps.Keys(h.imports[name])) {
			if under[to] {
				circles = append(circles, name+" → "+to)
				continue
			}
			n = max(n, climb(to)+1)
		}
		// Only packages on the current path close a cycle; packages of other paths are merely shared.
		delete(under, name)
		height[name] = n
		return n
	}
	for _, name := range slices.Sorted(maps.Keys(h.imports)) {
		most = max(most, climb(name))
	}
	return most, circles
}
