package sandboxtest

import (
	_ "embed"
	"strings"
	"testing"

	"minicloud/shared/sandbox"
)

// expressions is the regression table of the language: "expression ⇒ JSON of
// its value" on each line; "#" begins a comment. The values are those of other
// engines, not of ours.
//
//go:embed expressions.txt
var expressions string

// Conformance evaluates every expression in a run of its own.
func Conformance(t *testing.T, runner sandbox.Runner) {
	n := 0
	for line := range strings.SplitSeq(expressions, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		code, want, found := strings.Cut(line, " ⇒ ")
		if !found {
			t.Fatalf("no value: %s", line)
		}
		n++
		req := Request("exports.main = async () => { const r = await (" + code + "); return r === undefined ? 'undefined' : r }")
		r := run(t, runner, req)
		got := string(r.Data)
		if got == "" && r.Error == nil {
			got = "null"
		}
		if got != want {
			t.Errorf("%s\n gave %s %s, want %s", code, got, failure(r), want)
		}
	}
	if n < 300 {
		t.Errorf("only %d expressions, want 300", n)
	}
}
