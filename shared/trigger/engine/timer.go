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

// Due is a timer's next minute. One of an older revision of its trigger is stale: saving a trigger plans its next
// minute again, and nobody looks for what was planned before.
type Due struct {
	Scope    tenant.Scope
	Trigger  trigger.ID
	Revision int64
	At       time.Time
	// Fire are the minutes up to Until that were chosen where some had been missed: a choice stands, however often it
	// is acted on. A zero Until is no choice.
	Fire  []time.Time
	Until time.Time
	// Failures counts how often it could not be fired, one after the other.
	Failures int
}

// Dues remembers the next minutes of timers.
type Dues interface {
	// Due returns those whose time has come, the earliest first, at most limit of them.
	Due(ctx context.Context, until time.Time, limit int) ([]Due, error)
	// Choose notes the minutes to fire up to a time, unless some were chosen, and returns d with what is noted.
	// errs.NotFound when it is gone.
	Choose(ctx context.Context, d Due, fire []time.Time, until time.Time) (Due, error)
	// Fail counts a failure and returns how many there are.
	Fail(ctx context.Context, d Due) (int, error)
	// Move puts the next minute in the place of this one; a zero next is none. It is fine when another has done so.
	Move(ctx context.Context, d Due, next time.Time) error
}

// Timers fires timers.
type Timers struct {
	Dues     Dues
	Triggers trigger.Store
	Engine   *Engine
	Clock    clock.Clock
	Log      *slog.Logger
}

const (
	// dueLimit is how many timers one look brings.
	dueLimit = 500
	// lateLimit is how late a missed minute still fires (D33).
	lateLimit = time.Hour
	// onTime is how late a minute is not missed yet: ticks themselves are late at times.
	onTime = 90 * time.Second
	// alarmAfter is after how many failures in a row a timer goes on without having fired, and says so.
	alarmAfter = 5
	// giveUpAfter is after how many it goes on also when its log cannot say so.
	giveUpAfter = 10
)

// Tick fires all timers that are due. It may be called any number of times, and by several at once: an event of a
// timer and minute is always the same one. One that fails keeps no other from it.
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
		return 0, nil // another tick has served it
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

	// Not after now: a choice may be older, and minutes have passed since.
	next, err := t.Next(d.Until)
	if err != nil {
		return fired, fmt.Errorf("timer %d: %w", d.Trigger, err)
	}
	return fired, s.Dues.Move(ctx, d, next)
}

// failed counts a failure. After some of them the timer goes on with its next minute, once its log says so: that may
// fail for the reason the timer did, and then it is given up some minutes later without.
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

// choose says which minutes up to now are to be fired: the one that is due, or where some were missed what the timer
// wants.
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
		minutes = minutes[max(len(minutes)-1, 0):] // the newest
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

// resume finishes a minute that is not to be fired any more, where a tick had begun to fire it and died.
func (s *Timers) resume(ctx context.Context, t trigger.Trigger, d Due) error {
	return s.Engine.Resume(ctx, t, trigger.TimerEvent(d.Scope, t.ID, d.At))
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
