package job

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// tickAhead is how far ahead Tick looks for delayed jobs: to the next tick
	// and a bit, in case that is late.
	tickAhead = 90 * time.Second
	dueLimit  = 1000
	// tickSpare is what a tick leaves of its time: it begins nothing after that.
	tickSpare = 5 * time.Second
)

// Tick is what happens every minute: open jobs are looked after, and delayed jobs whose time comes are sent. While
// functions are active it asks for more sweeps, before anything that takes time; what there is no time for is the next
// tick's.
func (s *Service) Tick(ctx context.Context) (Swept, error) {
	soft := ctx
	if until, ok := ctx.Deadline(); ok {
		limited, cancel := context.WithDeadline(ctx, until.Add(-tickSpare))
		defer cancel()
		soft = limited
	}

	active, unread := s.Store.Active(ctx)
	var unplanned error
	if len(active) > 0 || unread != nil {
		unplanned = s.plan(ctx)
	}

	var woken error
	var waking sync.WaitGroup
	waking.Go(func() { woken = s.wake(ctx, soft) })
	swept, err := s.sweepActive(ctx, active)
	waking.Wait()

	return swept, errors.Join(unread, unplanned, woken, err)
}

// planned are the sweeps a tick asks for: until the next tick, and until the one after, lest that is lost.
var planned = []time.Duration{20 * time.Second, 40 * time.Second, 70 * time.Second, 95 * time.Second}

// plan asks for sweeps, also when nothing is open now: a run may begin, and its worker die, long before the next tick.
func (s *Service) plan(ctx context.Context) error {
	var failures []error
	for _, delay := range planned {
		if err := s.Queue.Send(ctx, Message{Sweep: true}, "platform", delay); err != nil {
			failures = append(failures, fmt.Errorf("plan the next sweep: %w", err))
		}
	}
	return errors.Join(failures...)
}

// wake sends delayed jobs that become ready before the next tick, until soft ends.
func (s *Service) wake(ctx, soft context.Context) error {
	now := s.Clock.Now()
	for {
		due, err := s.Store.Due(ctx, now.Add(tickAhead), dueLimit)
		if err != nil {
			return fmt.Errorf("wake delayed jobs: %w", err)
		}

		err = errors.Join(sideBySide(due, func(d Due) error {
			if soft.Err() != nil {
				return nil
			}
			if err := s.wakeOne(ctx, d, now); err != nil {
				return fmt.Errorf("wake job %d: %w", d.Job, err)
			}
			return nil
		})...)

		if soft.Err() != nil {
			s.log().WarnContext(ctx, "more jobs are due than a tick can send")
			return err
		}
		if err != nil || len(due) < dueLimit {
			return err
		}
	}
}

// wakeOne announces, sends, then forgets: dying between only sends twice.
func (s *Service) wakeOne(ctx context.Context, d Due, now time.Time) error {
	if err := s.announce(ctx, d.Scope, d.Function); err != nil {
		return err
	}
	if err := s.resend(ctx, d.Scope, Record{ID: d.Job, Function: d.Function}, d.RunAt.Sub(now)); err != nil {
		return err
	}
	return s.Store.Drop(ctx, d)
}
