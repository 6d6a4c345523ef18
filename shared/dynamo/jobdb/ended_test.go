package jobdb_test

import (
	"testing"
	"time"

	"minicloud/shared/job"
	"minicloud/shared/tenant"
)

// TestEndedCountsByTheTime: ended jobs are counted by creation time, to nine minutes, and by status, also across the
// border of a three-day node.
func TestEndedCountsByTheTime(t *testing.T) {
	s := newJobs(t)
	var all []job.Record
	for _, age := range []time.Duration{time.Minute, 2 * time.Minute, time.Hour, 100 * time.Hour, 160 * time.Hour, 180 * time.Hour} {
		status := job.StatusFulfilled
		if age == time.Hour || age == 180*time.Hour {
			status = job.StatusExecutionFailed
		}
		all = append(all, ended(madeAt(noon.Add(-age)), status))
	}
	countJobs(t, s, all)

	for _, c := range []struct {
		back              time.Duration
		fulfilled, failed int
	}{{30 * time.Minute, 2, 0}, {2 * time.Hour, 2, 1}, {110 * time.Hour, 3, 1}, {168 * time.Hour, 4, 1}, {200 * time.Hour, 4, 2}} {
		counted, err := s.Ended(t.Context(), shop, fn, noon.Add(-c.back), noon)
		if err != nil {
			t.Fatal(err)
		}
		got := map[job.Status]int{}
		for _, one := range counted {
			got[one.Status] += one.N
			if one.At.Before(noon.Add(-c.back-9*time.Minute)) || one.At.After(noon) {
				t.Errorf("%v back: some at %v", c.back, one.At)
			}
		}
		if got[job.StatusFulfilled] != c.fulfilled || got[job.StatusExecutionFailed] != c.failed {
			t.Errorf("%v back: %v", c.back, got)
		}
	}
	if other, err := s.Ended(t.Context(), tenant.Scope{App: shop.App, Env: "0123456789abcdef0123"}, fn, noon.Add(-time.Hour), noon); err != nil || len(other) > 0 {
		t.Errorf("another environment: %v, %v", other, err)
	}
}
