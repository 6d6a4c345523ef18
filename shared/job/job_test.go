package job

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/sandbox"
)

func TestBilling(t *testing.T) {
	for _, c := range []struct {
		execution float64
		want      int64
	}{{0, 0}, {0.01, 100}, {99.999, 100}, {100, 100}, {100.001, 200}, {5000, 5000}, {299_950.5, 300_000}} {
		if got := (Record{Execution: c.execution}).Billing(); got != c.want {
			t.Errorf("%v ms are billed as %d, want %d", c.execution, got, c.want)
		}
	}
}

func TestTerminalStates(t *testing.T) {
	for i, s := range Statuses {
		if s.Terminal() != (i >= 2) {
			t.Errorf("%s: terminal %v", s, s.Terminal())
		}
	}
}

func TestFilterTakesWholeSeconds(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 999e6, time.UTC)
	r := Record{ID: id.First(at), Status: StatusFulfilled, Source: SourceSDK, Service: Batch}
	second := at.Truncate(time.Second)
	for _, c := range []struct {
		filter Filter
		want   bool
	}{
		{Filter{}, true},
		{Filter{From: second}, true},
		{Filter{From: second.Add(time.Second)}, false},
		{Filter{To: second}, true},
		{Filter{To: second.Add(-time.Second)}, false},
		{Filter{Source: SourceSDK, Status: StatusFulfilled, Service: Batch}, true},
		{Filter{Source: SourceTimer}, false},
		{Filter{Status: StatusWaiting}, false},
		{Filter{Service: TimeSensitive}, false},
	} {
		if got := c.filter.Matches(r); got != c.want {
			t.Errorf("%+v: %v", c.filter, got)
		}
	}
}

func TestTakesEachFreedSlotOnce(t *testing.T) {
	var s Service
	for n := range 20 {
		s.leave(Slot{App: 7, Plan: sandbox.PlanPersonal, Number: n % 10})
	}
	if _, known := s.takeFreed(8, sandbox.PlanPersonal); known {
		t.Error("another application has its slots")
	}
	if _, known := s.takeFreed(7, sandbox.PlanFree); known {
		t.Error("another plan has its slots")
	}
	var mu sync.Mutex
	seen := map[int]int{}
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			if n, known := s.takeFreed(7, sandbox.PlanPersonal); known {
				mu.Lock()
				seen[n]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for n, times := range seen {
		if times != 1 {
			t.Errorf("slot %d was given %d times", n, times)
		}
	}
	if len(seen) != 10 {
		t.Errorf("%d slots", len(seen))
	}
}

// TestRenewsAnnouncementsAtHalfTheirTime, per function, and immediately after a failure.
func TestRenewsAnnouncementsAtHalfTheirTime(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	began, store := now, &announcements{}
	s := &Service{Store: store, Clock: func() time.Time { return now }}

	for _, c := range []struct {
		what     string
		after    time.Duration
		function id.ID
		down     bool
		made     int
	}{
		{"the first", 0, 1, false, 1},
		{"at once", 0, 1, false, 1},
		{"before half of its time", announceFor/2 - time.Second, 1, false, 1},
		{"another function", announceFor/2 - time.Second, 2, false, 2},
		{"that fails", announceFor / 2, 1, true, 2},
		{"at half of its time", announceFor / 2, 1, false, 3},
		{"soon after", announceFor/2 + time.Second, 1, false, 3},
	} {
		now, store.down = began.Add(c.after), c.down
		err := s.announce(t.Context(), shop, c.function)
		if (err != nil) != c.down || len(store.made) != c.made {
			t.Fatalf("%s: %v, %d announcements, want %d", c.what, err, len(store.made), c.made)
		}
		if last := store.made[len(store.made)-1]; !c.down && last.Until.Before(now.Add(announceFor/2)) {
			t.Errorf("%s: until %v", c.what, last.Until)
		}
	}
}

// announcements is a fake Store that records announcements.
type announcements struct {
	Store
	made []Active
	down bool
}

func (s *announcements) Announce(_ context.Context, a Active) error {
	if s.down {
		return errs.Unavailable(1, "down")
	}
	s.made = append(s.made, a)
	return nil
}

// TestLeasesFitTheTimeLimit checks the durations of the package comment against D19: every job is terminal 30 s after
// its time limit, counted from the moment it may run, and a lost worker is noticed within a minute even if a tick is
// lost.
func TestLeasesFitTheTimeLimit(t *testing.T) {
	// Reads and lists expire overdue jobs themselves, so they need not wait for a sweep.
	if worst := syncPatience + racePatience + lease; worst > 30*time.Second {
		t.Errorf("a synchronous run may be open for its limit and %v", worst)
	}
	if worst := lateStart + lease; worst > 30*time.Second {
		t.Errorf("an asynchronous run may be open for its limit and %v", worst)
	}
	if worst := GiveUp + lateWaiting; worst > AsyncTime+30*time.Second {
		t.Errorf("a job may wait for %v", worst)
	}
	if worst := runLease; worst > time.Minute {
		t.Errorf("a lost run is noticed after %v", worst)
	}
	if worst := ResendAfter + maxGap; worst > time.Minute {
		t.Errorf("a lost message is noticed after %v", worst)
	}
	if sandboxPatience >= grace || grace >= lease || renewEvery+endPatience > runLease {
		t.Error("a worker outlives its lease")
	}
	if announceFor/2 < AsyncTime+lease+GiveUp {
		t.Error("an announcement may end before the job it is for")
	}
}

// TestSweepsContinueAfterALostTick: sweeps are at most maxGap apart while a function is active, even if one tick is
// lost, and the first sweep after ResendAfter sends a pending job again.
func TestSweepsContinueAfterALostTick(t *testing.T) {
	for lost := 1; lost < 4; lost++ {
		var at []time.Duration
		for tick := range 5 {
			if tick == lost {
				continue
			}
			for _, delay := range append([]time.Duration{0}, planned...) {
				at = append(at, time.Duration(tick)*time.Minute+delay)
			}
		}
		slices.Sort(at)
		for i, next := range at[1:] {
			if gap := next - at[i]; gap > maxGap {
				t.Errorf("without tick %d none looks for %v at %v", lost, gap, at[i])
			}
		}
	}
}

// TestLateRunsHaveLessTime, so that they also end within 30 s after the time limit.
func TestLateRunsHaveLessTime(t *testing.T) {
	ready := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	async := Running{Record: Record{Service: Batch}, Ready: ready}
	for _, c := range []struct {
		what string
		r    Running
		late time.Duration
		want time.Duration
	}{
		{"a synchronous run", Running{Record: Record{Service: TimeSensitive}}, time.Hour, SyncTime},
		{"at once", async, 0, AsyncTime},
		{"a little late", async, lateStart, AsyncTime},
		{"late", async, lateStart + 40*time.Second, AsyncTime - 40*time.Second},
		{"at the last moment", async, GiveUp, lateStart},
		{"after it", async, GiveUp + racePatience + lateStart, minLimit},
	} {
		if got := c.r.limit(ready.Add(c.late)); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}
