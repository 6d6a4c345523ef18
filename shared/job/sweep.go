package job

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// Swept says what a sweep of the open jobs did.
type Swept struct {
	Functions int // looked at
	Expired   int // jobs whose lease was over, ended
	GivenUp   int // jobs that waited too long, ended
	Resent    int // jobs that waited suspiciously long, sent again
}

// A job that has waited for ResendAfter is sent again, and then every ResendEvery: its message may be lost with a
// worker, which is noticed so in a minute (D19). One for which there is no free slot is not: its message comes back
// by itself.
const (
	ResendAfter = 30 * time.Second
	ResendEvery = 60 * time.Second
)

const (
	// maxGap is how long nobody sweeps at most while a function is active, also when one tick is lost: a job that
	// waits is met once between ResendAfter and a minute.
	maxGap = 30 * time.Second
	// A sweep that failed is tried again soon: the queue alone would bring it back after minutes.
	sweepTries  = 4
	tryAfter    = time.Second
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
	return s.sweepActive(ctx, active)
}

func (s *Service) sweepActive(ctx context.Context, active []Active) (Swept, error) {
	slots, failed := s.sweepSlots(ctx, active)

	done := Swept{Functions: len(active), Expired: slots.expired}
	var mu sync.Mutex
	failures := sideBySide(active, func(a Active) error {
		waiting, found, err := s.sweepPending(ctx, a, slots)
		mu.Lock()
		done.GivenUp, done.Resent = done.GivenUp+found.GivenUp, done.Resent+found.Resent
		mu.Unlock()

		if err == nil && !waiting && !slots.busy[activity{a.Scope, a.Function}] && s.Clock.Now().After(a.Until) {
			return s.Store.Forget(ctx, a)
		}
		return err
	})

	return done, errors.Join(append(failures, failed)...)
}

// occupied is what a sweep found in slots.
type occupied struct {
	busy    map[activity]bool // functions that run, or may: where slots could not be read, nothing is known
	taken   map[slotGroup]int // slots with a job whose lease holds
	expired int               // jobs whose lease was over
}

// full reports whether there is no slot for a job.
func (o occupied) full(app tenant.AppID, plan sandbox.Plan) bool {
	return o.taken[slotGroup{app, plan}] >= Slots(plan)
}

// sweepSlots expires leases and returns what it found.
func (s *Service) sweepSlots(ctx context.Context, active []Active) (occupied, error) {
	functions := make(map[tenant.AppID][]activity)
	for _, a := range active {
		functions[a.Scope.App] = append(functions[a.Scope.App], activity{a.Scope, a.Function})
	}

	found := occupied{busy: make(map[activity]bool), taken: make(map[slotGroup]int)}
	var mu sync.Mutex
	failures := sideBySide(slices.Collect(maps.Keys(functions)), func(app tenant.AppID) error {
		held, expired, err := s.sweepApp(ctx, app)
		mu.Lock()
		defer mu.Unlock()
		for _, r := range held {
			found.busy[activity{r.Scope, r.Function}] = true
			found.taken[slotGroup{app, r.Plan}]++
		}
		if err != nil {
			for _, f := range functions[app] {
				found.busy[f] = true
			}
		}
		found.expired += expired
		return err
	})

	return found, errors.Join(failures...)
}

// sweepApp expires the leases of an application that are over and returns what runs.
func (s *Service) sweepApp(ctx context.Context, app tenant.AppID) (running []Running, expired int, err error) {
	held, err := s.Store.Slots(ctx, app)
	if err != nil {
		return nil, 0, fmt.Errorf("slots of application %d: %w", app, err)
	}

	var over []Running
	for _, r := range held {
		if r.Overdue(s.Clock.Now()) {
			over = append(over, r)
		} else {
			running = append(running, r)
		}
	}
	failures := sideBySide(over, func(r Running) error { return s.expire(ctx, r.Scope, r.Record) })

	return running, succeeded(failures), errors.Join(failures...)
}

// sweepPending looks after the jobs of a function that wait and reports whether there are any that will begin soon.
// Delayed ones are Tick's.
func (s *Service) sweepPending(ctx context.Context, a Active, slots occupied) (waiting bool, done Swept, err error) {
	now := s.Clock.Now()
	pending, err := s.Store.Pending(ctx, a.Scope, a.Function, now.Add(tickAhead))
	if err != nil {
		return true, done, fmt.Errorf("pending jobs of function %d: %w", a.Function, err)
	}

	var late, lost []Waiting
	for _, w := range pending {
		switch age := now.Sub(w.Ready); {
		case w.Overdue(now):
			late = append(late, w)
		case age >= ResendAfter && (age-ResendAfter)%ResendEvery < maxGap && !slots.full(a.Scope.App, w.Plan):
			lost = append(lost, w)
		}
	}

	unended := sideBySide(late, func(w Waiting) error { return s.expire(ctx, a.Scope, w.Record) })
	unsent := sideBySide(lost, func(w Waiting) error {
		if err := s.resend(ctx, a.Scope, w.Record, 0); err != nil {
			return fmt.Errorf("send job %d again: %w", w.ID, err)
		}
		return nil
	})

	done = Swept{GivenUp: succeeded(unended), Resent: succeeded(unsent)}
	return len(pending) > 0, done, errors.Join(append(unended, unsent...)...)
}

// expire ends an open job whose time is over, as of then. It is fine when others were faster.
//
// The worker of one in a slot died when it had handed the run to the sandbox, or was about to: the function may have
// had effects, or may still have them, so it is not run again.
func (s *Service) expire(ctx context.Context, scope tenant.Scope, r Record) error {
	waited := r.Status == StatusWaiting
	r.FinishedAt = r.Lease

	var err error
	if waited {
		r.Status, r.Error = StatusScheduleFailed, tooLate()
		err = s.Store.End(ctx, scope, r, Pending)
	} else {
		r.Status = StatusExecutionFailed
		r.Error = &sandbox.Error{Type: TypeSandbox, Message: "the run was lost: its worker stopped before it ended"}
		err = s.Store.Expire(ctx, scope, r)
	}

	if err != nil && !errs.Is(err, errs.KindNotFound) {
		return fmt.Errorf("expire job %d: %w", r.ID, err)
	}
	return nil
}

// atOnce is how many things of a kind a sweep, or a tick, looks after side by side.
const atOnce = 8

// sideBySide does f for every item, and returns what each gave. One that fails
// does not keep it from the others.
func sideBySide[T any](items []T, f func(T) error) []error {
	results := make([]error, len(items))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(atOnce, len(items)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(items)); i = next.Add(1) - 1 {
				results[i] = f(items[i])
			}
		})
	}
	wg.Wait()
	return results
}

func succeeded(results []error) int {
	n := 0
	for _, err := range results {
		if err == nil {
			n++
		}
	}
	return n
}
