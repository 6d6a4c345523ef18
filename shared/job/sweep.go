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
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// Swept says what a sweep of the open jobs did.
type Swept struct {
	Functions int // looked at
	Expired   int // jobs whose lease was over, ended
	GivenUp   int // pending too long, ended
	Resent    int // pending suspiciously long, sent again
}

// A job that is pending for ResendAfter is sent again, and then every ResendEvery: its message may be lost with a
// worker, which is noticed so in a minute (D19). One for which there is no free slot is not: its message comes back
// by itself.
const (
	ResendAfter = 30 * time.Second
	ResendEvery = 60 * time.Second

	// maxGap is how long nobody sweeps at most while a function is active, also when one tick is lost: a job that
	// waits is met once between ResendAfter and a minute.
	maxGap      = 30 * time.Second
	lateWaiting = 5 * time.Second // after GiveUp, for the worker that gives up by itself
)

// Sweep ends jobs whose lease is over or that waited too long, sends again those whose message may be lost, and
// forgets functions without open jobs. One that fails does not keep it from the others.
//
// Nobody depends on it to see that a job has ended: whoever reads or lists one whose time is over, or wants its slot,
// expires it first.
func (s *Service) Sweep(ctx context.Context) (Swept, error) {
	active, err := s.Store.Active(ctx)
	if err != nil {
		return Swept{}, fmt.Errorf("sweep: %w", err)
	}
	return s.sweep(ctx, active)
}

func (s *Service) sweep(ctx context.Context, active []Active) (Swept, error) {
	apps := make(map[tenant.AppID][]Active)
	for _, a := range active {
		apps[a.Scope.App] = append(apps[a.Scope.App], a)
	}

	done := Swept{Functions: len(active)}
	var mu sync.Mutex
	_, err := each(slices.Collect(maps.Keys(apps)), func(app tenant.AppID) error {
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

// sweepApp looks after the slots of an application, then after what its functions have pending.
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

		if err == nil && pending == 0 && !busy[activity{a.Scope, a.Function}] && s.Clock.Now().After(a.Until) {
			return s.Store.Forget(ctx, a)
		}
		return err
	})
	return done, errors.Join(failed, err)
}

// sweepPending looks after the jobs of a function that are pending, and returns how many there are. Delayed ones are
// Tick's.
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

// expire ends an open job whose time is over, as of then. It is fine when others were faster.
//
// The worker of one in a slot died when it had handed the run to the sandbox, or was about to: the function may have
// had effects, or may still have them, so it is not run again.
func (s *Service) expire(ctx context.Context, scope tenant.Scope, r Record) error {
	end := func() error { return s.Store.Expire(ctx, scope, r) }
	if r.Status == StatusWaiting {
		end = func() error { return s.Store.End(ctx, scope, r, Pending) }
		r.Status, r.Error = StatusScheduleFailed, tooLate()
	} else {
		r.Status, r.Error = StatusExecutionFailed, lost()
	}
	r.FinishedAt = r.Lease

	err := end()
	if err == nil {
		s.callBack(ctx, scope, r)
	}
	if err != nil && !errs.Is(err, errs.KindNotFound) {
		return fmt.Errorf("expire job %d: %w", r.ID, err)
	}
	return nil
}

func lost() *sandbox.Error {
	return &sandbox.Error{Type: TypeSandbox, Message: "the run was lost: its worker stopped before it ended"}
}

// each does f for every item, some side by side: one that fails does not keep it from the others. It returns how many
// succeeded, and all errors.
func each[T any](items []T, f func(T) error) (done int, err error) {
	const atOnce = 8
	failures := make([]error, len(items))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, item := range items {
		group.Go(func() error {
			failures[i] = f(item)
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
