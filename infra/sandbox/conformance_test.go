package sandbox_test

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"

	"minicloud/shared/runtime/conformance"
	"minicloud/shared/runtime/sandboxtest"
	"minicloud/shared/sandbox"
)

// expressions is the regression table of the language: one "expression ⇒ JSON of its value" per line; "#" begins a
// comment. The expected values come from other engines.
//
//go:embed expressions.txt
var expressions string

// testConformance runs the programs of package conformance and evaluates every expression, each in its own run.
func testConformance(t *testing.T, runner sandbox.Runner) {
	for _, p := range conformance.Programs() {
		req := sandboxtest.Request(p.Source)
		req.Event = json.RawMessage(conformance.Event)
		r := run(t, runner, req)
		var got string
		if r.Error != nil || json.Unmarshal(r.Data, &got) != nil || got != p.Want {
			t.Errorf("%s\n gave %s %s\n want %q", p.Name, r.Data, failure(r), p.Want)
		}
	}
	evaluate(t, runner)
}

func evaluate(t *testing.T, runner sandbox.Runner) {
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
		req := sandboxtest.Request(
			"exports.main = async () => { const r = await (" + code + "); return r === undefined ? 'undefined' : r }",
		)
		r := run(t, runner, req)
		got := string(r.Data)
		if got == "" && r.Error == nil {
			got = "null"
		}
		if got != want {
			t.Errorf("%s\n gave %s %s, want %s", code, got, failure(r), want)
		}
	}

	// A truncated file would pass without this check.
	if n < 300 {
		t.Errorf("only %d expressions, want 300", n)
	}
}
