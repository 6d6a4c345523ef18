package main

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
)

// TestReportsSurvivingMutants tries a package whose tests check one function, reach another, and leave out a third.
func TestReportsSurvivingMutants(t *testing.T) {
	const name = "minicloud/infra/lab/mutate/testdata/scale"
	found, err := load(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := mutate(found[0])
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{dir: t.TempDir(), source: p.dir}
	if err := b.build(p); err != nil {
		t.Fatal(err)
	}
	if err := b.measure(t.Context(), p.mutants); err != nil {
		t.Fatal(err)
	}
	b.kill(t.Context(), p.mutants)

	if left, _ := filepath.Glob(filepath.Join(p.dir, "testdata", "rapid", "*")); left != nil {
		t.Errorf("mutants leave %v", left)
	}

	if r := (report{}).with(p.mutants); r.covered != 10 || r.killed != 5 || r.survived != 5 {
		t.Errorf("the table says %+v", r)
	}

	got := map[string][]string{}
	for _, m := range p.mutants {
		what := "unreached"
		if len(m.tests) > 0 {
			what = map[outcome]string{killed: "killed", survived: "survived", timedOut: "timed out"}[m.outcome]
		}
		got[what] = append(got[what], m.kind+": "+m.text)
	}
	for what, want := range map[string][]string{
		"killed": {
			"always true: weight < 1", "always false: weight < 1", "boundary: weight < 1", "returned as nil: errLight",
			"second operand left out: weight * per",
		},
		"survived": {
			"always false: weight > 10 && weight <= 100", "always true: weight > 10",
			"always true: weight <= 100", "boundary: weight <= 100", "left out: percent = 5",
		},
		// No test asks what is not over 10.
		"unreached": {"boundary: weight > 10", "second operand left out: min(a, b)"},
	} {
		if !slices.Equal(got[what], want) {
			t.Errorf("%s are\n%q, want\n%q", what, got[what], want)
		}
	}
}

// TestInterruptedRunCountsDecidedMutants interrupts a run before its first mutant is decided.
func TestInterruptedRunCountsDecidedMutants(t *testing.T) {
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	reached := &mutant{tests: []*test{{name: "TestAny"}}}
	b := &bench{dir: t.TempDir()}
	b.kill(interrupted, []*mutant{reached})
	decided := []*mutant{reached, {place: "a.go:1", outcome: survived}, {outcome: killed}, {outcome: timedOut}}
	if r := (report{}).with(decided); r.covered != 3 || r.killed != 2 || r.survived != 1 || r.timedOut != 1 {
		t.Errorf("the table says %+v", r)
	}
}
