package job

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// tickAhead is how far ahead Tick looks for delayed jobs: ticks come every minute, and one may be late.
	tickAhead = 90 * time.Second
	dueBatch  = 100
	// tickSpare is how much time must remain before the deadline for a tick to start another batch.
	tickSpare = 8 * time.Second
)

// Tick runs every minute: it sweeps open jobs and sends delayed jobs that become ready. While functions are active it
// also plans sweeps until after the next tick. It leaves work that exceeds its time to the next tick.
func (s *Service) Tick(ctx context.Context) (Swept, error) {
	// Plan the sweeps first, even if the list could not be read: if this tick dies or runs out of time, the planned
	// sweeps handle the open jobs.
	active, unread := s.Store.Active(ctx)
	var unplanned error
	if len(active) > 0 || unread != nil {
		unplanned = s.plan(ctx)
	}

	var woken error
	var waking sync.WaitGroup
	waking.Go(func() { woken = s.wake(ctx) })
	swept, err := s.sweep(ctx, active)
	waking.Wait()

	return swept, errors.Join(unread, unplanned, woken, err)
}

// planned are the delays of the sweeps that a tick plans. They extend beyond the next tick, which may be lost.
var planned = []time.Duration{20 * time.Second, 40 * time.Second, 70 * time.Second, 95 * time.Second}

// plan sends sweep messages, even if no job is open now: a run may begin, and its worker die, before the next tick.
func (s *Service) plan(ctx context.Context) error {
	_, err := each(planned, func(delay time.Duration) error {
		if err := s.Queue.Send(ctx, delay, Message{Sweep: true}); err != nil {
			return fmt.Errorf("plan the next sweep: %w", err)
		}
		return nil
	})
	return err
}

// wake sends delayed jobs that become ready before the next tick.
func (s *Service) wake(ctx context.Context) error {
	now := s.Clock.Now()
	for {
		due, err := s.Store.Due(ctx, now.Add(tickAhead), dueBatch)
		if err != nil {
			return fmt.Errorf("wake delayed jobs: %w", err)
		}

		// Stop after a batch with a failure: Due would return the failed entry again, in an endless loop.
		_, err = each(due, func(d Due) error {
			if err := s.wakeOne(ctx, d, now); err != nil {
				return fmt.Errorf("wake job %d: %w", d.Job, err)
			}
			return nil
		})
		if err != nil || len(due) < dueBatch {
			return err
		}

		if until, ok := ctx.Deadline(); ok && until.Sub(s.Clock.Now()) < tickSpare {
			s.log().WarnContext(ctx, "more jobs are due than a tick can send")
			return nil
		}
	}
}

// wakeOne announces the function, sends the message and drops the entry, in this order: if the process dies in between,
// the message is sent twice, which has no effect, but never lost.
func (s *Service) wakeOne(ctx context.Context, d Due, now time.Time) error {
	if d.Callback { // an ended job needs no announcement
		if err := s.sendCallback(ctx, d.Scope, d.Function, d.Job, d.RunAt.Sub(now)); err != nil {
			return err
		}
		return s.Store.Drop(ctx, d)
	}

	if err := s.announce(ctx, d.Scope, d.Function); err != nil {
		return err
	}
	if err := s.resend(ctx, d.Scope, Record{ID: d.Job, Function: d.Function}, d.RunAt.Sub(now)); err != nil {
		return err
	}
	return s.Store.Drop(ctx, d)
}
