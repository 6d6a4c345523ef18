package job

import (
	"errors"
	"slices"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/sandbox"
)

// TestSweepForgetsIdleFunctions: functions without pending or executing jobs whose announcement is over.
func TestSweepForgetsIdleFunctions(t *testing.T) {
	for name, c := range map[string]struct {
		until   time.Duration // of the announcement, from now
		fault   func(*books, time.Time)
		forgets bool
	}{
		"idle":       {-time.Second, func(*books, time.Time) {}, true},
		"at its end": {0, func(*books, time.Time) {}, false},
		"announced":  {time.Second, func(*books, time.Time) {}, false},
		"runs": {-time.Second, func(b *books, now time.Time) {
			b.slots[1] = Running{Scope: shop, Record: Record{ID: 4, Function: 1, Status: StatusExecuting, Lease: now.Add(time.Second)}}
		}, false},
		"another's runs": {-time.Second, func(b *books, now time.Time) {
			b.slots[1] = Running{Scope: shop, Record: Record{ID: 4, Function: 2, Status: StatusExecuting, Lease: now.Add(time.Second)}}
		}, true},
		"pending": {-time.Second, func(b *books, now time.Time) {
			b.pending[4] = PendingJob{Record: Record{ID: 4, Function: 1, Status: StatusWaiting}, Ready: now}
		}, false},
	} {
		d, b := withBooks(t)
		b.active[activity{shop, 1}] = d.now.Add(c.until)
		c.fault(b, d.now)
		if _, err := d.Sweep(t.Context()); err != nil || (len(b.active) == 0) != c.forgets {
			t.Errorf("%s: %v, active %v", name, err, b.active)
		}
		if b.fails["Forget"] = errDown; c.forgets {
			b.active[activity{shop, 1}] = d.now.Add(c.until)
			if _, err := d.Sweep(t.Context()); !errors.Is(err, errDown) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestSweepResendsPendingJobs after half a minute, then every minute, unless all slots are taken.
func TestSweepResendsPendingJobs(t *testing.T) {
	for age, again := range map[time.Duration]bool{
		29 * time.Second: false, 30 * time.Second: true, 59 * time.Second: true, 60 * time.Second: false, 89 * time.Second: false,
		90 * time.Second: true, 119 * time.Second: true, 120 * time.Second: false,
	} {
		for _, full := range []bool{false, true} {
			d, b := withBooks(t)
			r, _ := d.start(0, Call{})
			d.take()
			if full {
				b.occupy(sandbox.PlanFree, d.now.Add(time.Hour))
			}
			d.now = d.now.Add(age)
			done, err := d.Sweep(t.Context())
			got := d.take()
			if err != nil || (len(got) == 1) != (again && !full) || done.Resent != len(got) || len(got) == 1 && (got[0].Job != r.ID || got[0].delay != 0) {
				t.Errorf("after %v, no slot %v: %+v, %v, sent %+v", age, full, done, err, got)
			}
			if d.full = errDown; again && !full {
				if _, err := d.Sweep(t.Context()); !errors.Is(err, errDown) {
					t.Errorf("the queue is down: %v", err)
				}
			}
		}
	}
}

// TestExpiresOverdueJobs: an overdue job ends at the end of its lease, and its callback is sent. It is no error if
// another process ended the job first.
func TestExpiresOverdueJobs(t *testing.T) {
	for _, runs := range []bool{true, false} {
		for fails, wrong := range map[error]bool{nil: false, errs.NotFound("has ended"): false, errDown: true} {
			d, b := withBooks(t)
			r, _ := d.start(0, Call{Callback: "https://a.example/"})
			d.take()
			w, want, why := b.pending[r.ID], StatusScheduleFailed, TypeSchedule
			if runs {
				run := Running{Scope: shop, Record: w.Record}
				run.Status, run.Slot, run.Lease, run.StartedAt = StatusExecuting, 3, d.now.Add(40*time.Second), d.now
				delete(b.pending, r.ID)
				b.slots[3], want, why = run, StatusExecutionFailed, TypeSandbox
			} else {
				w.Status = StatusWaiting
				b.pending[r.ID] = w
			}
			d.now = d.now.Add(GiveUp + lateWaiting)
			b.fails["End"], b.fails["Expire"] = fails, fails
			if !runs {
				if _, err := d.Sweep(t.Context()); err != nil || len(b.ended) != 0 {
					t.Errorf("at its last moment: %v, %v", err, b.ended)
				}
			}
			d.take()
			d.now = d.now.Add(time.Millisecond)
			_, err := d.Sweep(t.Context())
			got := slices.DeleteFunc(d.take(), func(m sent) bool { return !m.Callback })
			if (err != nil) != wrong || (len(b.ended) == 1) != (fails == nil) || (len(got) == 1) != (fails == nil) {
				t.Errorf("runs %v, %v: %v, ended %v, sent %+v", runs, fails, err, b.ended, got)
			}
			if e := b.ended[r.ID]; fails == nil && (e.Status != want || e.Error.Type != why || !e.FinishedAt.Equal(e.Lease) || e.FinishedAt.IsZero()) {
				t.Errorf("runs %v: %+v %+v", runs, e, e.Error)
			}
		}
	}
}
