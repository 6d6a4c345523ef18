package sim

import (
	"slices"
	"testing"
)

// TestPickTellsRunsApart: two runs make the same call at the same instant, and threads decide which comes first.
func TestPickTellsRunsApart(t *testing.T) {
	by := &Instance{Program: "actionrunner", Name: "actionrunner#0"}
	first := func(runs ...string) (of string) {
		w := &World{Calls: map[string]int{}}
		w.faultRandom = w.Random("fates")
		for _, run := range runs {
			w.waiting = append(w.waiting, &call{by: by, operation: "GetItem", of: run, sorted: "{}"})
		}
		return w.pick().of
	}
	runs := []string{"a", "b", "c"}
	want := first(runs...)
	slices.Reverse(runs)
	if got := first(runs...); got != want {
		t.Errorf("the same seed picks the call of %s, or that of %s", want, got)
	}
}
