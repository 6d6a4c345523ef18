// Package conformance holds some four hundred small programs with what they
// must print: the regression table of the language and of the prelude, run by
// every engine that is to run cloud functions.
//
// The programs lie in programs/, a block each:
//
//	=== title [kind]
//	code
//	---
//	what it gives
//
// Without a kind the code is the body of an async function with print(…) and
// require; [function] is a whole CommonJS function and [module] a whole ES
// module, of which main is called with {data: {n: 1}}. generate.mjs writes the
// results of the first kind with Node. What QuickJS does otherwise than the
// standard stands in engine.txt, so that an upgrade shows what changed;
// sandbox.txt and modules.txt are about this sandbox and written by hand.
package conformance

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed programs/*.txt
var files embed.FS

// Program is one function and what it gives.
type Program struct {
	// Name is "<file>/<title>".
	Name string
	// Source is a whole cloud function: main gives one string.
	Source string
	// Want is that string.
	Want string
	// Module says that Source is an ES module, not CommonJS.
	Module bool
}

// Event is the JSON of the event every program is called with.
const Event = `{"data":{"n":1}}`

// The frame of a body: what it prints is what main gives. The helpers are
// captured first, so that a program may replace them.
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

// Programs returns all programs, in the order of their files. It panics if a
// block has no result: the embedded files are part of the program.
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
