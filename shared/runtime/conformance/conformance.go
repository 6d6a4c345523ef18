// Package conformance holds about four hundred small programs with their expected output: regression tests of the
// language and of the prelude for every engine that runs cloud functions.
//
// The programs are in programs/, one block each:
//
//	=== title [kind]
//	code
//	---
//	expected output
//
// Without a kind the code is the body of an async function with print(…) and require; [function] is a whole
// CommonJS function and [module] a whole ES module, whose main is called with {data: {n: 1}}. generate.mjs writes
// the output of the first kind with Node. engine.txt lists where QuickJS deviates from the standard, so that an
// upgrade shows what changed; sandbox.txt and modules.txt test this sandbox and are written by hand.
package conformance

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed programs/*.txt
var files embed.FS

// Program is one function and its expected output.
type Program struct {
	// Name is "<file>/<title>".
	Name string
	// Source is a whole cloud function whose main returns a string.
	Source string
	// Want is the expected string.
	Want string
	// Module reports whether Source is an ES module; otherwise it is CommonJS.
	Module bool
}

// Event is the JSON of the event that every program receives.
const Event = `{"data":{"n":1}}`

// The code around a function body: main returns the printed lines. The helpers are captured first, so that a
// program may replace the globals they use.
const (
	before = `const show = (v) => (typeof v === "string" ? v
  : typeof v === "object" && v !== null && !(v instanceof Error) ? JSON.stringify(v, (k, x) => (typeof x === "bigint" ? x + "n" : x))
  : Object.is(v, -0) ? "-0" : String(v));
exports.main = async () => {
  const lines = [];
  const print = (...values) => { lines.push(values.map(show).join(" ")); };
  await (async () => {
`
	after = `
  })();
  return lines.join("\n");
};
`
)

// Programs returns all programs, in the order of their files. It panics if a block has no output: the embedded
// files are part of the binary.
func Programs() []Program {
	entries, err := files.ReadDir("programs")
	if err != nil {
		panic(err)
	}

	var programs []Program
	for _, entry := range entries {
		text, err := files.ReadFile("programs/" + entry.Name())
		if err != nil {
			panic(err)
		}

		group := strings.TrimSuffix(entry.Name(), ".txt")
		for _, block := range strings.Split("\n"+string(text), "\n=== ")[1:] {
			programs = append(programs, parse(group, block))
		}
	}

	return programs
}

func parse(group, block string) Program {
	title, rest, _ := strings.Cut(block, "\n")
	code, want, ok := strings.Cut(rest, "\n---\n")
	if !ok {
		panic(fmt.Sprintf("%s: %q has no result", group, title))
	}
	p := Program{Source: before + code + after, Want: strings.TrimSuffix(want, "\n")}
	if name, found := strings.CutSuffix(title, " [module]"); found {
		title, p.Source, p.Module = name, code, true
	} else if name, found := strings.CutSuffix(title, " [function]"); found {
		title, p.Source = name, code
	}
	p.Name = group + "/" + title
	return p
}
