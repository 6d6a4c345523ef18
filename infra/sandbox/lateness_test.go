package sandbox_test

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestLatenessExcludesMachineLoad checks that lateness is the time from the limit to the end of a run, less four times
// the longest neighbour run meanwhile.
func TestLatenessExcludesMachineLoad(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		took time.Duration
		runs []time.Duration // runs of the neighbour, in order, before the end
		late time.Duration
	}{
		"in time":                  {took: 100 * ms, runs: []time.Duration{5 * ms}, late: -20 * ms},
		"late by itself":           {took: 500 * ms, runs: []time.Duration{5 * ms, 5 * ms}, late: 380 * ms},
		"as late as its neighbour": {took: 500 * ms, runs: []time.Duration{100 * ms, 5 * ms}, late: 0},
		"what was busy before is no cause": {
			took: 500 * ms, runs: []time.Duration{600 * ms, 50 * ms, 460 * ms, 50 * ms}, late: 400*ms - 4*460*ms,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, end := &neighbours{}, time.Now()
				for i := range c.runs {
					took := c.runs[len(c.runs)-1-i]
					n.runs = append([]span{{end.Add(-took), end}}, n.runs...)
					end = end.Add(-took)
				}
				a := attempted{limit: 100, took: c.took, busy: n.slowest(time.Now().Add(-c.took))}
				if got := a.late(); got != c.late {
					t.Errorf("late by %v, want %v", got, c.late)
				}
			})
		})
	}

	synctest.Test(t, func(t *testing.T) {
		n := &neighbours{began: time.Now()}
		time.Sleep(time.Second)
		if got := n.slowest(time.Now()); got != time.Second {
			t.Errorf("the run under way counts as %v", got)
		}
	})
}
