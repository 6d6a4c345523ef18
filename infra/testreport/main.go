// Command testreport reads what `go test -json` prints and writes what `go test` would: a line for each package, all
// output of those that fail. It ends with the tests that were left out, each with its reason, and the packages that
// took longest. Its exit status is 1 when a test failed or none was run.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// event is one line of `go doc test2json`, or of what the compiler says.
type event struct {
	Action     string
	Package    string
	Test       string
	Elapsed    float64 // seconds
	Output     string
	ImportPath string // of what is built
}

func main() {
	if !report(os.Stdin, os.Stdout) {
		os.Exit(1)
	}
}

// key names a test, or a package where the test is "".
type key struct{ pkg, test string }

// longest is how many packages the end lists.
const longest = 5

func report(in io.Reader, out io.Writer) (passed bool) {
	said := map[key]*strings.Builder{}
	var leftOut []string
	var packages []event
	passed = true

	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Fprintln(out, lines.Text()) // what go says before it begins
			continue
		}
		k := key{e.Package, e.Test}

		switch e.Action {
		case "output":
			if reason, found := strings.CutPrefix(e.Output, "LEFT OUT: "); found {
				leftOut = append(leftOut, strings.TrimSpace(reason))
			}
			if said[k] == nil {
				said[k] = &strings.Builder{}
			}
			said[k].WriteString(e.Output)
		case "build-output":
			fmt.Fprint(out, e.Output)
		case "build-fail":
			passed = false
		case "skip":
			if e.Test != "" {
				leftOut = append(leftOut, e.Package+" "+e.Test+": "+reason(said[k].String()))
			}
			fallthrough
		case "pass", "fail":
			if e.Action == "fail" {
				passed = false
			}
			finish(out, e, said[k])
			delete(said, k)
			if e.Test == "" && e.Action != "skip" {
				packages = append(packages, e)
			}
		}
	}

	if err := lines.Err(); err != nil {
		fmt.Fprintln(out, "reading the results:", err)
		passed = false
	}
	if len(packages) == 0 {
		fmt.Fprintln(out, "no test was run")
		passed = false
	}

	// Tests that never ended, where their program died.
	for k, text := range said {
		fmt.Fprintf(out, "unfinished: %s %s\n%s", k.pkg, k.test, text)
	}
	summary(out, leftOut, packages)
	return passed
}

// finish prints the output of a test that failed, and the last line of a package.
func finish(out io.Writer, e event, said *strings.Builder) {
	switch {
	case said == nil:
	case e.Action == "fail":
		fmt.Fprint(out, said)
	case e.Test == "":
		for line := range strings.Lines(said.String()) {
			if strings.HasPrefix(line, "ok ") || strings.HasPrefix(line, "LEFT OUT: ") {
				fmt.Fprint(out, line)
			}
		}
	}
}

// reason is what a test said when it was skipped: its last line, without the place in its source.
func reason(said string) string {
	text := ""
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "===") {
			text = line
		}
	}
	if place, rest, found := strings.Cut(text, ": "); found && strings.Contains(place, ".go:") {
		return rest
	}
	return text
}

func summary(out io.Writer, leftOut []string, packages []event) {
	for _, line := range leftOut {
		fmt.Fprintln(out, "left out:", line)
	}
	slices.SortFunc(packages, func(a, b event) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	for _, e := range packages[:min(longest, len(packages))] {
		fmt.Fprintf(out, "longest: %6.1f s %s\n", e.Elapsed, e.Package)
	}
}
