package job

import (
	"context"
	"errors"
	"fmt"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// Reaped says what a pass over the open jobs did.
type Reaped struct {
	Functions int // looked at
	Dead      int // jobs whose worker had died, ended
	GivenUp   int // jobs that waited too long, ended
	Resent    int // jobs that waited suspiciously long, sent again
}

// ResendAfter is how long a job waits until its message may be lost.
const ResendAfter = 60 * time.Second

const (
	// tickAhead is how far ahead Tick looks for delayed jobs: to the next tick
	// and a bit, in case that is late.
	tickAhead = 90 * time.Second
	// Passes of Reap are so close that the dead are ended in time although one
	// pass is lost with its worker.
	passes    = 6
	passEvery = 10 * time.Second
	// A pass that failed is tried again soon: the queue alone would bring it back
	// after minutes.
	passTries = 4
	tryAfter  = time.Second
	// One pass of every resendEvery sends a job again that waits for ResendAfter.
	resendEvery = 120 * time.Second
	lineLimit   = 1000 // waiting jobs of one function that one pass looks at
	dueLimit    = 1000
	lateWaiting = 15 * time.Second // after GiveUp, for the worker that gives up by itself
)

// Tick is what happens every minute: delayed jobs whose time comes are sent,
// open jobs are looked after, now and every 10 seconds until the next tick, and
// days that have passed are folded.
func (s *Service) Tick(ctx context.Context) (Reaped, error) {
	sent := s.wake(ctx)
	reaped, active, err := s.reap(ctx)
	// Also when nothing is open now: a run may begin, and its worker die, long
	// before the next tick.
	for pass := range passes - 1 {
		delay := time.Duration(pass+1) * passEvery
		if again := s.Queue.Send(ctx, Message{Reap: true}, "platform", delay); again != nil {
			err = errors.Join(err, fmt.Errorf("plan the next pass: %w", again))
		}
	}
	return reaped, errors.Join(sent, err, s.fold(ctx, active))
}

// wake sends delayed jobs that become ready before the next tick.
func (s *Service) wake(ctx context.Context) error {
	now := s.Clock.Now()
	for {
		due, err := s.Store.Due(ctx, now.Add(tickAhead), dueLimit)
		if err != nil {
			return fmt.Errorf("wake delayed jobs: %w", err)
		}
		for _, d := range due {
			if err := s.wakeOne(ctx, d, now); err != nil {
				return fmt.Errorf("wake job %d: %w", d.Job, err)
			}
		}
		if len(due) < dueLimit {
			return nil
		}
	}
}

// wakeOne announces, sends, then forgets: dying between only sends twice.
func (s *Service) wakeOne(ctx context.Context, d Due, now time.Time) error {
	if err := s.Store.Announce(ctx, Active{Scope: d.Scope, Function: d.Function, Until: now.Add(announceFor)}); err != nil {
		return err
	}
	if err := s.resend(ctx, d.Scope, Record{ID: d.Job, Function: d.Function}, d.RunAt.Sub(now)); err != nil {
		return err
	}
	return s.Store.Drop(ctx, d)
}

// Reap ends jobs whose worker died or that waited too long, sends again those
// whose message may be lost, and forgets functions without open jobs. One that
// fails does not keep it from the others.
func (s *Service) Reap(ctx context.Context) (Reaped, error) {
	done, _, err := s.reap(ctx)
	return done, err
}

// reap is Reap; it also returns the functions it looked at.
func (s *Service) reap(ctx context.Context) (Reaped, []Active, error) {
	var done Reaped
	active, err := s.Store.Active(ctx)
	if err != nil {
		return done, nil, fmt.Errorf("reap: %w", err)
	}
	done.Functions = len(active)
	busy, failed := s.reapSlots(ctx, active, &done)
	failures := []error{failed}
	for _, a := range active {
		waiting, err := s.reapLine(ctx, a, &done)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		if !waiting && !busy[activity{a.Scope, a.Function}] && s.Clock.Now().After(a.Until) {
			failures = append(failures, s.Store.Forget(ctx, a))
		}
	}
	return done, active, errors.Join(failures...)
}

// reapSlots ends the dead and returns which functions still run, or may: where
// slots could not be read, nothing is known.
func (s *Service) reapSlots(ctx context.Context, active []Active, done *Reaped) (map[activity]bool, error) {
	busy := make(map[activity]bool)
	looked := make(map[tenant.AppID]error)
	for _, a := range active {
		app := a.Scope.App
		if _, known := looked[app]; !known {
			looked[app] = s.reapApp(ctx, app, busy, done)
		}
		if looked[app] != nil {
			busy[activity{a.Scope, a.Function}] = true
		}
	}
	var failures []error
	for _, err := range looked {
		failures = append(failures, err)
	}
	return busy, errors.Join(failures...)
}

func (s *Service) reapApp(ctx context.Context, app tenant.AppID, busy map[activity]bool, done *Reaped) error {
	held, err := s.Store.Slots(ctx, app)
	if err != nil {
		return fmt.Errorf("slots of application %d: %w", app, err)
	}
	for _, r := range held {
		if !s.Clock.Now().After(r.Lease) {
			busy[activity{r.Scope, r.Function}] = true
			continue
		}
		if err := s.endDead(ctx, r); err != nil {
			return fmt.Errorf("end dead job %d: %w", r.ID, err)
		}
		done.Dead++
	}
	return nil
}

// reapLine looks after the waiting jobs of a function and reports whether there
// are any that will begin soon. Delayed ones are Tick's.
func (s *Service) reapLine(ctx context.Context, a Active, done *Reaped) (waiting bool, err error) {
	line, err := s.Store.Line(ctx, a.Scope, a.Function, lineLimit)
	if err != nil {
		return true, fmt.Errorf("line of function %d: %w", a.Function, err)
	}
	for _, w := range line {
		age := s.Clock.Now().Sub(w.Ready)
		waiting = waiting || age > -tickAhead
		switch {
		case age > GiveUp+lateWaiting:
			why := &sandbox.Error{Type: TypeSchedule, Message: fmt.Sprintf("the job did not begin within %d minutes", int(GiveUp.Minutes()))}
			_, err := s.settle(ctx, a.Scope, w.Record, InLine, StatusScheduleFailed, why)
			if err != nil && !errs.Is(err, errs.KindNotFound) {
				return true, err
			}
			done.GivenUp++
		case age > ResendAfter && age%resendEvery >= ResendAfter && age%resendEvery < ResendAfter+passEvery:
			if err := s.resend(ctx, a.Scope, w.Record, 0); err != nil {
				return true, fmt.Errorf("send job %d again: %w", w.ID, err)
			}
			done.Resent++
		}
	}
	return waiting, nil
}
