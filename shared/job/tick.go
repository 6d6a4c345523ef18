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

// Tick is what happens every minute: open jobs are looked after, now and every
// 10 seconds until the next tick, delayed jobs whose time comes are sent
// meanwhile, and hours that have passed are folded. The passes are planned first,
// because the dead must be ended in time (D19); what there is no time for is the
// next tick's.
func (s *Service) Tick(ctx context.Context) (Reaped, error) {
	soft := ctx
	if until, ok := ctx.Deadline(); ok {
		limited, cancel := context.WithDeadline(ctx, until.Add(-tickSpare))
		defer cancel()
		soft = limited
	}
	unplanned := s.plan(ctx)
	var woken error
	var waking sync.WaitGroup
	waking.Go(func() { woken = s.wake(ctx, soft) })
	reaped, active, err := s.reap(ctx)
	waking.Wait()
	return reaped, errors.Join(unplanned, woken, err, s.fold(soft, active))
}

// planned are the passes a tick asks for: every ten seconds until the next tick, and
// then, lest that is lost, every twenty until the one after.
var planned = []time.Duration{
	passEvery, 2 * passEvery, 3 * passEvery, 4 * passEvery, 5 * passEvery,
	7 * passEvery, 9 * passEvery, 11 * passEvery,
}

// plan asks for the passes until the next tick and after it, also when nothing is
// open now: a run may begin, and its worker die, long before that.
func (s *Service) plan(ctx context.Context) error {
	var failures []error
	for _, delay := range planned {
		if err := s.Queue.Send(ctx, Message{Reap: true}, "platform", delay); err != nil {
			failures = append(failures, fmt.Errorf("plan the next pass: %w", err))
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
	if until := s.announcements.next(d.Scope, d.Function, now); !until.IsZero() {
		if err := s.Store.Announce(ctx, Active{Scope: d.Scope, Function: d.Function, Until: until}); err != nil {
			return err
		}
		s.announcements.done(d.Scope, d.Function, until)
	}
	if err := s.resend(ctx, d.Scope, Record{ID: d.Job, Function: d.Function}, d.RunAt.Sub(now)); err != nil {
		return err
	}
	return s.Store.Drop(ctx, d)
}
