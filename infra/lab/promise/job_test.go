package promise

import (
	"testing"
	"time"
)

// TestJob: each way of breaking D19 is noticed, and nothing else is.
func TestJob(t *testing.T) {
	well := Job{ID: "1", Accepted: Must, Begun: 1, Records: 1, Status: "fulfilled"}
	for what, c := range map[string]struct {
		change                func(*Job)
		lost, doubled, late   int
		lostCancel, doubledIt int
	}{
		"well":                    {change: func(*Job) {}},
		"nobody knows of it":      {change: func(j *Job) { *j = Job{} }},
		"rejected":                {change: func(j *Job) { j.Status, j.Begun = "execution_rejected", 0 }},
		"lost":                    {change: func(j *Job) { j.Status, j.Records, j.Begun = "", 0, 0 }, lost: 1},
		"began without a record":  {change: func(j *Job) { j.Status, j.Records, j.Accepted = "", 0, May }, lost: 1},
		"began twice":             {change: func(j *Job) { j.Begun = 2 }, doubled: 1},
		"two records":             {change: func(j *Job) { j.Records = 2 }, doubled: 1},
		"fulfilled without a run": {change: func(j *Job) { j.Begun = 0 }, lost: 1},
		"began and had no slot":   {change: func(j *Job) { j.Status = "schedule_failed" }, doubled: 1},
		"open":                    {change: func(j *Job) { j.Status = "executing" }, late: 1},
		"cancelled": {change: func(j *Job) {
			j.Status, j.Begun, j.Cancelled = "execution_rejected", 0, Must
		}},
		"cancelled and ran": {
			change: func(j *Job) { j.Status, j.Cancelled = "execution_rejected", Must }, doubled: 1, doubledIt: 1,
		},
		"cancellation lost": {change: func(j *Job) { j.Cancelled, j.Begun, j.Status = Must, 0, "schedule_failed" }, lostCancel: 1},
		"refused and cancelled": {
			change:     func(j *Job) { j.Cancelled, j.Begun, j.Status = Never, 0, "execution_rejected" },
			lostCancel: 1,
		},
	} {
		j := well
		c.change(&j)
		got, cancel := j.Judge(), j.JudgeCancelled()
		if got.Lost != c.lost || got.Doubled != c.doubled || got.Late != c.late {
			t.Errorf("%s: %+v", what, got)
		}
		if cancel.Lost != c.lostCancel || cancel.Doubled != c.doubledIt {
			t.Errorf("%s: cancellation %+v", what, cancel)
		}
	}

	if over := (Job{Ready: time.Unix(10, 0), Limit: 5 * time.Second}).Over(); over != time.Unix(45, 0) {
		t.Errorf("it must be over at %v", over)
	}
}
