package price

import (
	"math"
	"testing"
	"time"

	"minicloud/shared/job"
	"minicloud/shared/sandbox"
)

// TestRunPaysForTimeAndMemory checks that a run costs its requests, and the time of its environment; a synchronous run
// also that of the program that waits for it.
func TestRunPaysForTimeAndMemory(t *testing.T) {
	for i, c := range []struct {
		service job.ServiceType
		plan    sandbox.Plan
		fixed   float64 // dollars per million
		memory  float64 // GB
	}{
		{job.TimeSensitive, sandbox.PlanFree, synchronous, 0.25 + 0.5},
		{job.TimeSensitive, sandbox.PlanPersonal, synchronous, 0.5 + 0.5},
		{job.Batch, sandbox.PlanFree, asynchronous, 0.25},
		{job.Batch, sandbox.PlanPersonal, asynchronous, 0.5},
	} {
		for _, billed := range []time.Duration{0, 200 * time.Millisecond, time.Minute} {
			want := (c.fixed + billed.Seconds()*c.memory*GigabyteSecond) / 1e6
			if got := Run(c.service, c.plan, billed); math.Abs(got-want) > 1e-15 {
				t.Errorf("%d, %v: $%g, want $%g", i, billed, got, want)
			}
		}
	}
}
