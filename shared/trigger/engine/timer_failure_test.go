package engine_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/run"
)

// oneTimer is a fake store with one due timer.
type oneTimer struct {
	trigger.Store
	timer trigger.Trigger
	due   engine.Due
}

func (s *oneTimer) Trigger(context.Context, tenant.Scope, trigger.ID) (trigger.Trigger, error) {
	return s.timer, nil
}

func (s *oneTimer) Candidates(context.Context, tenant.Scope, string) ([]trigger.Trigger, error) {
	return []trigger.Trigger{s.timer}, nil
}

func (s *oneTimer) Due(_ context.Context, until time.Time, _ int) ([]engine.Due, error) {
	if s.due.At.After(until) {
		return nil, nil
	}
	return []engine.Due{s.due}, nil
}

func (s *oneTimer) Choose(_ context.Context, d engine.Due, fire []time.Time, until time.Time) (engine.Due, error) {
	if s.due.Until.IsZero() {
		s.due.Fire, s.due.Until = fire, until
	}
	return s.due, nil
}

func (s *oneTimer) Fail(context.Context, engine.Due) (int, error) {
	s.due.Failures++
	return s.due.Failures, nil
}

func (s *oneTimer) Move(_ context.Context, d engine.Due, next time.Time) error {
	s.due = engine.Due{Scope: d.Scope, Trigger: d.Trigger, Revision: d.Revision, At: next}
	return nil
}

// notices is a fake log that stores only entries without an action, and nothing while down. Runs cannot be stored.
type notices struct {
	run.Store
	list []run.Run
	down bool
}

func (n *notices) Start(
	_ context.Context, r run.Run, _ trigger.Frequency, _ time.Time,
) (run.Started, error) {
	if r.Action != 0 || n.down {
		return run.Started{}, errors.New("no log")
	}
	n.list = append(n.list, r)
	return run.Started{Run: r}, nil
}

func (n *notices) Run(_ context.Context, _ tenant.Scope, ref run.Ref) (run.Run, error) {
	return run.Run{}, errs.NotFound("there is no log entry %q", ref.ID)
}

// TestLogsFailingTimer checks that a timer logs an entry after five consecutive failures and moves on to its next
// minute.
func TestLogsFailingTimer(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		logDown    bool
		ticks      int
		said, next int // number of entries, and the minute due at the end; missed minutes are chosen once
	}{
		"four times":         {false, 4, 0, 0},
		"five times":         {false, 5, 1, 2},
		"the next one, too":  {false, 10, 2, 6},
		"without a log":      {true, 9, 0, 0},
		"without a log, ten": {true, 10, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			now := noon
			scope := tenant.Scope{App: 7, Env: tenant.Production}
			store := &oneTimer{
				timer: trigger.Trigger{
					ID: 11, Enabled: true, Type: trigger.TypeTimer, Revision: 1, Timezone: trigger.DefaultTimezone,
					Condition: &trigger.TimerCondition{Cron: "* * * * *", Missed: trigger.MissedOnce},
					Actions:   []trigger.Action{{ID: 1, Type: trigger.CloudFunction}},
				},
				due: engine.Due{Scope: scope, Trigger: 11, Revision: 1, At: noon},
			}
			runs := &notices{down: c.logDown}
			tick := clock.Clock(func() time.Time { return now })
			timers := engine.Timers{
				Dues: store, Triggers: store, Clock: tick, Engine: &engine.Engine{Triggers: store, Runs: runs, Clock: tick},
			}

			for i := range c.ticks {
				now = noon.Add(time.Duration(i) * time.Minute)
				_, err := timers.Tick(t.Context())
				givenUp := store.due.Failures == 0
				if (err == nil) != givenUp {
					t.Errorf("tick %d: given up %v, answer %v", i, givenUp, err)
				}
			}
			if len(runs.list) != c.said || !store.due.At.Equal(noon.Add(time.Duration(c.next)*time.Minute)) {
				t.Errorf("%d entries, next %v", len(runs.list), store.due.At)
			}
			for _, r := range runs.list {
				if r.Error.Type != engine.FailedTimer || r.Status != run.Failed || r.Event.Kind != trigger.OnTimer {
					t.Errorf("entry %+v", r)
				}
			}
		})
	}
}

// begun is a fake log with one run that a crashed tick has stored but not enqueued; it is also the queue.
type begun struct {
	run.Store
	status run.Status
	asked  int
}

func (b *begun) Start(
	_ context.Context, r run.Run, _ trigger.Frequency, _ time.Time,
) (run.Started, error) {
	return run.Started{Run: r}, nil
}

func (b *begun) Run(_ context.Context, _ tenant.Scope, ref run.Ref) (run.Run, error) {
	if b.status == "" {
		return run.Run{}, errs.NotFound("there is no log entry %q", ref.ID)
	}
	return run.Run{Status: b.status}, nil
}

func (b *begun) Send(_ context.Context, _ time.Duration, all ...run.Message) error {
	for _, m := range all {
		if m.At == noonOfTimers.UnixMilli() {
			b.asked++
		}
	}
	return nil
}

var noonOfTimers = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// TestFinishesBegunMinute checks that the run of a tick that crashed before it sent the message is enqueued, even if
// the minute was missed or the timer has changed since.
func TestFinishesBegunMinute(t *testing.T) {
	for name, c := range map[string]struct {
		missed   trigger.Missed
		status   run.Status
		revision int64
		asked    int
	}{
		"skipped":          {trigger.MissedSkip, run.Pending, 1, 1},
		"only the newest":  {trigger.MissedOnce, run.Pending, 1, 1},
		"changed":          {trigger.MissedOnce, run.Pending, 2, 1},
		"nothing begun":    {trigger.MissedSkip, "", 1, 0},
		"changed, nothing": {trigger.MissedSkip, "", 2, 0},
		"over":             {trigger.MissedSkip, run.Succeeded, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			scope := tenant.Scope{App: 7, Env: tenant.Production}
			store := &oneTimer{
				timer: trigger.Trigger{
					ID: 11, Enabled: true, Type: trigger.TypeTimer, Revision: c.revision, Timezone: trigger.DefaultTimezone,
					Condition: &trigger.TimerCondition{Cron: "* * * * *", Missed: c.missed},
					Actions:   []trigger.Action{{ID: 1, Type: trigger.CloudFunction}},
				},
				due: engine.Due{Scope: scope, Trigger: 11, Revision: 1, At: noonOfTimers},
			}
			log, tick := &begun{status: c.status}, clock.Fixed(noonOfTimers.Add(2*time.Minute))
			timers := engine.Timers{
				Dues: store, Triggers: store, Clock: tick,
				Engine: &engine.Engine{Triggers: store, Runs: log, Queue: log, Clock: tick},
			}
			if _, err := timers.Tick(t.Context()); err != nil || log.asked != c.asked {
				t.Errorf("asked %d times, want %d: %v", log.asked, c.asked, err)
			}
		})
	}
}

// firedMinutes is a fake log that records which minutes fired.
type firedMinutes struct {
	begun
	minutes map[string]bool
}

func (f *firedMinutes) Start(
	_ context.Context, r run.Run, _ trigger.Frequency, _ time.Time,
) (run.Started, error) {
	f.minutes[r.Event.At.UTC().Format("15:04")] = true
	return run.Started{Run: r}, nil
}

// TestFiresMissedMinutesByPolicy checks which minutes fire at the first tick after an outage (D33). MissedSkip fires at
// most once, and no minute fires that is an hour late.
func TestFiresMissedMinutesByPolicy(t *testing.T) {
	const second, minute, hour = time.Second, time.Minute, time.Hour
	last := func(n int) string { // the last n minutes up to noon, one per minute
		all := make([]string, n)
		for i := range all {
			all[i] = noonOfTimers.Add(time.Duration(i+1-n) * minute).Format("15:04")
		}
		return strings.Join(all, " ")
	}

	for _, c := range []struct {
		cron            string
		due, tick       time.Duration // the due minute and the tick, relative to noon
		once, skip, all string
	}{
		{"* * * * *", 0, 0, "12:00", "12:00", "12:00"},
		{"* * * * *", 0, 89 * second, "12:01", "12:01", "12:00 12:01"}, // the tick is late
		{"* * * * *", -minute, 20 * second, "12:00", "12:00", last(2)}, // one tick was lost
		{"* * * * *", -30 * minute, 20 * second, "12:00", "12:00", last(31)},
		{"* * * * *", -3 * hour, 20 * second, "12:00", "12:00", last(60)},
		{"0 * * * *", 0, 20 * second, "12:00", "12:00", "12:00"},
		{"0 * * * *", 0, 90 * second, "12:00", "", "12:00"},
		{"0 * * * *", 0, 59 * minute, "12:00", "", "12:00"},
		{"0 * * * *", -hour, 20 * second, "12:00", "12:00", "12:00"},
		{"0 * * * *", -hour, 30 * minute, "12:00", "", "12:00"},
		{"0 8 * * *", -12 * hour, 20 * second, "", "", ""}, // 08:00 in Shanghai is midnight
		{"*/7 * * * *", -25 * minute, 2 * minute, "12:00", "", "11:35 11:42 11:49 11:56 12:00"},
		{"*/7 * * * *", -25 * minute, -3 * minute, "11:56", "11:56", "11:35 11:42 11:49 11:56"},
	} {
		for policy, want := range map[trigger.Missed]string{
			trigger.MissedOnce: c.once, trigger.MissedSkip: c.skip, trigger.MissedAll: c.all,
		} {
			store := &oneTimer{
				timer: trigger.Trigger{
					ID: 11, Enabled: true, Type: trigger.TypeTimer, Revision: 1, Timezone: trigger.DefaultTimezone,
					Condition: &trigger.TimerCondition{Cron: c.cron, Missed: policy},
					Actions:   []trigger.Action{{ID: 1, Type: trigger.CloudFunction}},
				},
				due: engine.Due{
					Scope: tenant.Scope{App: 7, Env: tenant.Production}, Trigger: 11, Revision: 1, At: noonOfTimers.Add(c.due),
				},
			}
			log, tick := &firedMinutes{minutes: map[string]bool{}}, clock.Fixed(noonOfTimers.Add(c.tick))
			timers := engine.Timers{
				Dues: store, Triggers: store, Clock: tick,
				Engine: &engine.Engine{Triggers: store, Runs: log, Queue: log, Clock: tick},
			}
			_, err := timers.Tick(t.Context())
			got := strings.Join(slices.Sorted(maps.Keys(log.minutes)), " ")
			if err != nil || got != want || !store.due.At.After(tick.Now()) {
				t.Errorf("%s, %s, due at %v, a tick at %v: fired %q, want %q; next %v, %v",
					c.cron, policy, c.due, c.tick, got, want, store.due.At, err)
			}
		}
	}
}
