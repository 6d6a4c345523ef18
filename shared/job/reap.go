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

// A job that has waited for ResendAfter is sent again, and then every ResendEvery:
// its message may be lost with a worker, which is noticed so in a minute (D19). One
// for which there is no free slot is not: its message comes back by itself.
const (
	ResendAfter = 30 * time.Second
	ResendEvery = 50 * time.Second
)

const (
	// Passes of Reap are so close that the dead are ended in time although one
	// pass, or the tick that asks for them, is lost with its worker.
	passEvery = 10 * time.Second
	// A pass that failed is tried again soon: the queue alone would bring it back
	// after minutes.
	passTries   = 4
	tryAfter    = time.Second
	lateWaiting = 5 * time.Second // after GiveUp, for the worker that gives up by itself
)

// Reap ends jobs whose worker died or that waited too long, sends again those
// whose message may be lost, and forgets functions without open jobs. One that
// fails does not keep it from the others.
func (s *Service) Reap(ctx context.Context) (Reaped, error) {
	done, _, err := s.reap(ctx)
	return done, err
}

// reap is Reap; it also returns the functions it looked at.
func (s *Service) reap(ctx context.Context) (Reaped, []Active, error) {
	active, err := s.Store.Active(ctx)
	if err != nil {
		return Reaped{}, nil, fmt.Errorf("reap: %w", err)
	}
	slots, failed := s.reapSlots(ctx, active)
	done := Reaped{Functions: len(active), Dead: slots.ended}
	var mu sync.Mutex
	failures := sideBySide(active, func(a Active) error {
		waiting, found, err := s.reapLine(ctx, a, slots)
		mu.Lock()
		done.GivenUp, done.Resent = done.GivenUp+found.GivenUp, done.Resent+found.Resent
		mu.Unlock()
		if err == nil && !waiting && !slots.busy[activity{a.Scope, a.Function}] && s.Clock.Now().After(a.Until) {
			return s.Store.Forget(ctx, a)
		}
		return err
	})
	return done, active, errors.Join(append(failures, failed)...)
}

// occupied is what a pass found in slots.
type occupied struct {
	busy  map[activity]bool // functions that run, or may: where slots could not be read, nothing is known
	taken map[slotGroup]int // slots with a job whose lease holds
	ended int               // jobs whose worker had died
}

// full reports whether there is no slot for a job.
func (o occupied) full(app tenant.AppID, plan sandbox.Plan) bool {
	return o.taken[slotGroup{app, plan}] >= Slots(plan)
}

// reapSlots ends the dead and returns what it found.
func (s *Service) reapSlots(ctx context.Context, active []Active) (occupied, error) {
	functions := make(map[tenant.AppID][]activity)
	for _, a := range active {
		functions[a.Scope.App] = append(functions[a.Scope.App], activity{a.Scope, a.Function})
	}
	found := occupied{busy: make(map[activity]bool), taken: make(map[slotGroup]int)}
	var mu sync.Mutex
	failures := sideBySide(slices.Collect(maps.Keys(functions)), func(app tenant.AppID) error {
		held, ended, err := s.reapApp(ctx, app)
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
		found.ended += ended
		return err
	})
	return found, errors.Join(failures...)
}

// reapApp ends the dead of an application and returns what runs.
func (s *Service) reapApp(ctx context.Context, app tenant.AppID) (running []Running, ended int, err error) {
	held, err := s.Store.Slots(ctx, app)
	if err != nil {
		return nil, 0, fmt.Errorf("slots of application %d: %w", app, err)
	}
	var dead []Running
	for _, r := range held {
		if s.Clock.Now().After(r.Lease) {
			dead = append(dead, r)
		} else {
			running = append(running, r)
		}
	}
	failures := sideBySide(dead, func(r Running) error {
		if err := s.endDead(ctx, r); err != nil {
			return fmt.Errorf("end dead job %d: %w", r.ID, err)
		}
		return nil
	})
	return running, succeeded(failures), errors.Join(failures...)
}

// reapLine looks after the waiting jobs of a function and reports whether there
// are any that will begin soon. Delayed ones are Tick's.
func (s *Service) reapLine(ctx context.Context, a Active, slots occupied) (waiting bool, done Reaped, err error) {
	now := s.Clock.Now()
	line, err := s.Store.Line(ctx, a.Scope, a.Function, now.Add(tickAhead))
	if err != nil {
		return true, done, fmt.Errorf("line of function %d: %w", a.Function, err)
	}
	var late, lost []Waiting
	for _, w := range line {
		switch age := now.Sub(w.Ready); {
		case age > GiveUp+lateWaiting:
			late = append(late, w)
		case age >= ResendAfter && (age-ResendAfter)%ResendEvery < passEvery && !slots.full(a.Scope.App, w.Plan):
			lost = append(lost, w)
		}
	}
	unended := sideBySide(late, func(w Waiting) error {
		return s.giveUp(ctx, a.Scope, w.Record, StatusScheduleFailed, tooLate())
	})
	unsent := sideBySide(lost, func(w Waiting) error {
		if err := s.resend(ctx, a.Scope, w.Record, 0); err != nil {
			return fmt.Errorf("send job %d again: %w", w.ID, err)
		}
		return nil
	})
	done = Reaped{GivenUp: succeeded(unended), Resent: succeeded(unsent)}
	return len(line) > 0, done, errors.Join(append(unended, unsent...)...)
}

// atOnce is how many things of a kind a pass, or a tick, looks after side by side.
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
