package job

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// Swept is the result of a sweep of the open jobs.
type Swept struct {
	Functions int // checked
	Expired   int // jobs ended because their lease was over
	GivenUp   int // jobs ended because they were pending too long
	Resent    int // pending jobs whose message was sent again
}

// A sweep sends a new message for a job that is pending for ResendAfter, and then every ResendEvery: its worker may
// have died with the message, which must be noticed within a minute (D19). It sends none while all slots of the job's
// plan are taken: a worker that finds no slot sends the message again itself.
const (
	ResendAfter = 30 * time.Second
	ResendEvery = 60 * time.Second

	// maxGap is the longest time between two sweeps while a function is active, even if one tick is lost. So a sweep
	// sees each pending job at least once between ResendAfter and a minute.
	maxGap      = 30 * time.Second
	lateWaiting = 5 * time.Second // added to GiveUp, so that a live worker ends the job before a sweep does
)

// Sweep ends jobs whose lease is over or that waited too long, sends possibly lost messages again, and forgets
// functions without open jobs. A failure with one job does not stop the others.
//
// Correct responses do not depend on sweeps: reads, lists and the search for a slot expire overdue jobs themselves.
func (s *Service) Sweep(ctx context.Context) (Swept, error) {
	active, err := s.Store.Active(ctx)
	if err != nil {
		return Swept{}, fmt.Errorf("sweep: %w", err)
	}
	return s.sweep(ctx, active)
}

func (s *Service) sweep(ctx context.Context, active []Active) (Swept, error) {
	// Slots belong to an application, so sweep all its functions together, with one query for the slots.
	apps := make(map[tenant.AppID][]Active)
	for _, a := range active {
		apps[a.Scope.App] = append(apps[a.Scope.App], a)
	}

	done := Swept{Functions: len(active)}
	var mu sync.Mutex
	_, err := each(slices.Sorted(maps.Keys(apps)), func(app tenant.AppID) error {
		some, err := s.sweepApp(ctx, app, apps[app])
		mu.Lock()
		defer mu.Unlock()
		done.Expired += some.Expired
		done.GivenUp += some.GivenUp
		done.Resent += some.Resent
		return err
	})
	return done, err
}

// sweepApp expires overdue jobs in the slots of an application, then sweeps the pending jobs of its functions.
func (s *Service) sweepApp(ctx context.Context, app tenant.AppID, active []Active) (done Swept, err error) {
	held, err := s.Store.Slots(ctx, app)
	if err != nil {
		return done, fmt.Errorf("slots of application %d: %w", app, err)
	}

	var overdue []Running
	busy, taken := make(map[activity]bool), make(map[sandbox.Plan]int)
	for _, r := range held {
		busy[activity{r.Scope, r.Function}] = true
		if r.Overdue(s.Clock.Now()) {
			overdue = append(overdue, r)
		} else {
			taken[r.Plan]++
		}
	}
	expired, failed := each(overdue, func(r Running) error { return s.expire(ctx, r.Scope, r.Record) })
	done.Expired = expired

	var mu sync.Mutex
	_, err = each(active, func(a Active) error {
		pending, some, err := s.sweepPending(ctx, a, taken)
		mu.Lock()
		done.GivenUp, done.Resent = done.GivenUp+some.GivenUp, done.Resent+some.Resent
		mu.Unlock()

		// Forget an idle function only when its announcement is over: until then a process may accept a job without
		// announcing the function again.
		if err == nil && pending == 0 && !busy[activity{a.Scope, a.Function}] && s.Clock.Now().After(a.Until) {
			return s.Store.Forget(ctx, a)
		}
		return err
	})
	return done, errors.Join(failed, err)
}

// sweepPending expires or resends the pending jobs of a function and returns their number. It leaves delayed jobs to
// Tick.
func (s *Service) sweepPending(
	ctx context.Context, a Active, taken map[sandbox.Plan]int,
) (n int, done Swept, err error) {
	now := s.Clock.Now()
	pending, err := s.Store.Pending(ctx, a.Scope, a.Function, now.Add(tickAhead))
	if err != nil {
		return 0, done, fmt.Errorf("pending jobs of function %d: %w", a.Function, err)
	}

	var late, lost []PendingJob
	for _, w := range pending {
		switch age := now.Sub(w.Ready); {
		case w.Overdue(now):
			late = append(late, w)
		// The remainder is below maxGap once per ResendEvery, so sweeps need not store when they sent the message.
		case age >= ResendAfter && (age-ResendAfter)%ResendEvery < maxGap && taken[w.Plan] < Slots(w.Plan):
			lost = append(lost, w)
		}
	}

	var unended, unsent error
	done.GivenUp, unended = each(late, func(w PendingJob) error { return s.expire(ctx, a.Scope, w.Record) })
	done.Resent, unsent = each(lost, func(w PendingJob) error {
		if err := s.resend(ctx, a.Scope, w.Record, 0); err != nil {
			return fmt.Errorf("send job %d again: %w", w.ID, err)
		}
		return nil
	})
	return len(pending), done, errors.Join(unended, unsent)
}

// expire ends an overdue job; FinishedAt is the end of its lease. It succeeds if another process ended the job first.
//
// The worker of an executing job died around the moment it started the sandbox. The function may have had effects, or
// may still have them, so the job fails instead of running again.
func (s *Service) expire(ctx context.Context, scope tenant.Scope, r Record) error {
	end := func() (id.ID, error) { return s.Store.Expire(ctx, scope, r) }
	if r.Status == StatusWaiting {
		end = func() (id.ID, error) { return s.Store.End(ctx, scope, r, Pending) }
		r.Status, r.Error = StatusScheduleFailed, tooLate()
	} else {
		r.Status, r.Error = StatusExecutionFailed, lost()
	}
	r.FinishedAt = r.Lease

	// The process that ends the job first also sends its callback message.
	recorded, err := end()
	switch {
	case errs.Is(err, errs.KindNotFound):
		return nil
	case err != nil:
		return fmt.Errorf("expire job %d: %w", r.ID, err)
	}
	r.ID = recorded
	s.callBack(ctx, scope, r)
	return nil
}

func lost() *sandbox.Error {
	return &sandbox.Error{Type: TypeSandbox, Message: "the run was lost: its worker stopped before it ended"}
}

// each calls f for every item, a few in parallel. An error does not stop the others. It returns the number of successes
// and all errors.
func each[T any](items []T, f func(T) error) (done int, err error) {
	const atOnce = 8
	failures := make([]error, len(items))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, item := range items {
		group.Go(func() error {
			failures[i] = f(item) // returning it would drop all errors but the first
			return nil
		})
	}
	group.Wait()

	for _, failed := range failures {
		if failed == nil {
			done++
		}
	}
	return done, errors.Join(failures...)
}
