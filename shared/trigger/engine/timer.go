package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// Due is the planned next minute of a timer. It is stale if its revision is older than the trigger's: saving a trigger
// plans a new Due and leaves the old one in place.
type Due struct {
	Scope    tenant.Scope
	Trigger  trigger.ID
	Revision int64
	At       time.Time
	Shard    int // of the list that has it
	// Fire has the minutes to fire up to Until. If minutes were missed, the choice is stored, so that every retry fires
	// the same ones. A zero Until means that no choice was made.
	Fire  []time.Time
	Until time.Time
	// Failures is the number of consecutive failures to fire it.
	Failures int
}

// Dues stores the next minutes of timers.
type Dues interface {
	// Due returns the dues up to a time, earliest first: fewer than limit are all there are.
	Due(ctx context.Context, until time.Time, limit int) ([]Due, error)
	// Choose stores the minutes to fire up to a time unless a choice is already stored, and returns d with the stored
	// choice. It returns errs.NotFound if d no longer exists.
	Choose(ctx context.Context, d Due, fire []time.Time, until time.Time) (Due, error)
	// Fail increments the number of failures and returns it.
	Fail(ctx context.Context, d Due) (int, error)
	// Move replaces d by a due at next, or deletes d if next is zero. It is no error if another tick has already done
	// so.
	Move(ctx context.Context, d Due, next time.Time) error
}

// Timers fires the timers that are due.
type Timers struct {
	Dues     Dues
	Triggers trigger.Store
	Engine   *Engine
	Clock    clock.Clock
	Log      *slog.Logger
}

const (
	// dueLimit is the page size for reading dues.
	dueLimit = 500
	// lateLimit is how late a missed minute may still fire (D33).
	lateLimit = time.Hour
	// onTime is how late a minute may be without counting as missed, because ticks can be late.
	onTime = 90 * time.Second
	// alarmAfter is the number of consecutive failures after which a timer logs a failed entry and moves on to its next
	// minute.
	alarmAfter = 5
	// giveUpAfter is the number of failures after which it moves on even if the entry cannot be logged.
	giveUpAfter = 10
)

// Tick fires all timers that are due. It may run repeatedly and concurrently, because the event of a timer and minute
// is always the same. A failing timer does not block others.
func (s *Timers) Tick(ctx context.Context) (fired int, err error) {
	for {
		due, err := s.Dues.Due(ctx, s.Clock.Now(), dueLimit)
		if err != nil {
			return fired, fmt.Errorf("tick: %w", err)
		}

		failures := make([]error, len(due))
		counts := make([]int, len(due))
		group := errgroup.Group{}
		group.SetLimit(atOnce)
		for i, d := range due {
			group.Go(func() error {
				counts[i], failures[i] = s.serve(ctx, d)
				return nil
			})
		}
		_ = group.Wait()

		for _, n := range counts {
			fired += n
		}
		if err := errors.Join(failures...); err != nil || len(due) < dueLimit {
			return fired, err
		}
	}
}

// serve fires one timer and plans its next minute.
func (s *Timers) serve(ctx context.Context, d Due) (fired int, err error) {
	t, err := s.Triggers.Trigger(ctx, d.Scope, d.Trigger)
	if errs.Is(err, errs.KindNotFound) {
		return 0, s.Dues.Move(ctx, d, time.Time{})
	}
	if err == nil && (!t.Enabled || t.Revision != d.Revision) {
		if err = s.resume(ctx, t, d); err == nil {
			return 0, s.Dues.Move(ctx, d, time.Time{})
		}
	}
	if err != nil {
		return 0, fmt.Errorf("timer %d: %w", d.Trigger, err)
	}

	d, err = s.choose(ctx, t, d)
	if errs.Is(err, errs.KindNotFound) {
		return 0, nil // another tick has fired it
	}
	if err != nil {
		return 0, fmt.Errorf("timer %d: %w", d.Trigger, err)
	}
	events := make([]trigger.Event, len(d.Fire))
	for i, at := range d.Fire {
		events[i] = trigger.TimerEvent(d.Scope, t.ID, at)
	}
	if fired, err = s.Engine.Fire(ctx, events); err != nil {
		if err = s.failed(ctx, t, d, err); err != nil {
			return fired, err
		}
	}

	// Continue from Until, not from now: the stored choice may be older, and minutes since then must still fire.
	next, err := t.Next(d.Until)
	if err != nil {
		return fired, fmt.Errorf("timer %d: %w", d.Trigger, err)
	}
	return fired, s.Dues.Move(ctx, d, next)
}

// failed counts a failure. After alarmAfter failures it logs an entry and returns nil, so that the timer moves on to
// its next minute. If the entry cannot be logged either, the timer is retried until giveUpAfter failures.
func (s *Timers) failed(ctx context.Context, t trigger.Trigger, d Due, why error) error {
	n, err := s.Dues.Fail(ctx, d)
	if err != nil || n < alarmAfter {
		return errors.Join(fmt.Errorf("timer %d: %w", d.Trigger, why), err)
	}

	message := fmt.Sprintf("the timer could not be fired %d times in a row and goes on with its next minute", n)
	_, err = s.Engine.Runs.Start(
		ctx, notice(t, trigger.TimerEvent(d.Scope, t.ID, d.At), FailedTimer, message), trigger.Frequency{}, s.Clock.Now(),
	)
	if err != nil && n < giveUpAfter {
		return errors.Join(fmt.Errorf("timer %d: %w", d.Trigger, why), err)
	}
	if s.Log != nil {
		s.Log.ErrorContext(ctx, "a timer has failed", "miniapp", d.Scope.App, "env", d.Scope.Env, "trigger", d.Trigger,
			"times", n, "minute", d.At.Format(time.RFC3339), "error", why.Error())
	}
	return nil
}

// choose selects the minutes up to now to fire: the due minute, or, if minutes were missed, those of the timer's Missed
// policy.
func (s *Timers) choose(ctx context.Context, t trigger.Trigger, d Due) (Due, error) {
	if !d.Until.IsZero() {
		return d, nil
	}
	now := s.Clock.Now()
	minutes, all := []time.Time{}, 0
	for at := d.At; !at.IsZero() && !at.After(now); all++ {
		if now.Sub(at) < lateLimit {
			minutes = append(minutes, at)
		}
		next, err := t.Next(maxTime(at, now.Add(-lateLimit)))
		if err != nil {
			return d, err
		}
		at = next
	}

	onlyOne := all == 1 && now.Sub(d.At) < onTime
	if onlyOne {
		d.Fire, d.Until = minutes, now
		return d, nil
	}
	policy := t.Condition.(*trigger.TimerCondition).Missed
	if policy != trigger.MissedAll {
		minutes = minutes[max(len(minutes)-1, 0):] // only the newest
	}
	if policy == trigger.MissedSkip {
		minutes = slices.DeleteFunc(minutes, func(at time.Time) bool { return now.Sub(at) >= onTime })
	}

	if !slices.ContainsFunc(minutes, d.At.Equal) {
		if err := s.resume(ctx, t, d); err != nil {
			return d, err
		}
	}
	return s.Dues.Choose(ctx, d, minutes, now)
}

// resume enqueues the pending runs of a minute that will not fire again, in case a crashed tick had begun to fire it.
func (s *Timers) resume(ctx context.Context, t trigger.Trigger, d Due) error {
	return s.Engine.Resume(ctx, t, trigger.TimerEvent(d.Scope, t.ID, d.At))
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
