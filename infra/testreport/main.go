// Command testreport reads the output of `go test -json` and writes that of `go test`: a line for each package, and
// all output of failed tests. It ends with the skipped tests, each with its reason, and the slowest packages. Its
// exit status is 1 if a test failed or none ran.
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

// event is one line of test2json's output, or a message of the compiler.
type event struct {
	Action     string
	Package    string
	Test       string
	Elapsed    float64 // seconds
	Output     string
	ImportPath string // of the package being built
}

func main() {
	if !report(os.Stdin, os.Stdout) {
		os.Exit(1)
	}
}

// key identifies a test, or a package if test is "".
type key struct{ pkg, test string }

// longest is the number of slowest packages in the summary.
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
			fmt.Fprintln(out, lines.Text()) // output of go before the first event
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

	// These tests never ended because their program died.
	for k, text := range said {
		fmt.Fprintf(out, "unfinished: %s %s\n%s", k.pkg, k.test, text)
	}
	summary(out, leftOut, packages)
	return passed
}

// finish prints the output of a failed test, or the last line of a package.
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

// reason returns the message of a skipped test: its last output line without the source position.
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
