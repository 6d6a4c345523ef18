package job

import (
	"context"
	"errors"
	"fmt"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/retry"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

const (
	// grace is how long a worker may take after the time limit to give up and end the job. lease is the latest end of a
	// lease, counted from the time limit.
	grace = 4 * time.Second
	lease = grace + time.Second

	// runLease is the duration of a lease. Longer runs renew it every renewEvery, so that a run of up to 25 s needs no
	// extra write, and a lost worker is noticed in less than a minute (D19). A failed renewal is retried after
	// renewAgain.
	runLease   = 40 * time.Second
	renewEvery = 25 * time.Second
	renewAgain = 2 * time.Second

	// lateStart is how late an asynchronous run may begin and still get its full time limit; a later run gets the
	// remainder, but at least minLimit.
	lateStart = 5 * time.Second
	minLimit  = time.Second
)

// syncPatience is how long a synchronous run waits for a slot (D20).
const syncPatience = 2 * time.Second

// errNoSlot means that begin found no free slot: the job is in no slot.
var errNoSlot = errors.New("every slot is taken")

// errFull means that all slots are taken. Any other errs.Conflict means that another process took the chosen slot
// first, so another slot may be free.
var errFull = errs.Conflict("every slot is taken")

// racePatience extends the patience of a run that lost every race for a free slot, as happens if many runs begin at the
// same instant: a run must not fail while slots are free.
const racePatience = 3 * time.Second

// slotRetries does not limit the tries: begin stops after its patience.
var slotRetries = retry.Policy{First: 4 * time.Millisecond, Longest: 150 * time.Millisecond}

// begin moves r into a free slot and returns it as executing. It returns errNoSlot, an errs.Unavailable, if all slots
// stay taken until patience is over. After any other errs.Unavailable the job may or may not be in a slot.
func (s *Service) begin(ctx context.Context, r Running, from Place, patience time.Duration) (Running, error) {
	// Pending jobs were announced when they were accepted or woken; only immediate runs announce here.
	if from == Nowhere {
		if err := s.announce(ctx, r.Scope, r.Function); err != nil {
			return r, err
		}
	}

	until := s.Clock.Now().Add(patience)
	again := func(err error) bool {
		if errors.Is(err, errFull) {
			return s.Clock.Now().Before(until)
		}
		return retry.OnConflict(err) && s.Clock.Now().Before(until.Add(racePatience))
	}
	err := s.try(ctx, slotRetries, again, func(try int) (err error) {
		r, err = s.tryBegin(ctx, r, from, try)
		return err
	})
	if retry.OnConflict(err) {
		full := errs.Unavailable(5, "no free slot: %d functions on plan %s are running already", Slots(r.Plan), r.Plan)
		return r, fmt.Errorf("%w: %w", errNoSlot, full)
	}
	return r, err
}

// tryBegin chooses a slot and moves the job there. It returns errs.Conflict if that slot, or every slot, is taken.
func (s *Service) tryBegin(ctx context.Context, r Running, from Place, try int) (Running, error) {
	now := s.Clock.Now()
	r.Status, r.StartedAt = StatusExecuting, now.Truncate(time.Millisecond)
	r.Limit = r.limit(now)
	r.Lease = r.StartedAt.Add(min(r.Limit+lease, runLease))

	// The first try takes a slot that this process released, which saves the query for free slots. Later tries do not:
	// another process may have taken that slot by now.
	known := false
	if try == 0 {
		r.Slot, known = s.takeFreed(r.Scope.App, r.Plan)
	}
	if !known {
		free, err := s.freeSlot(ctx, r.Scope.App, r.Plan, now)
		if err != nil {
			return r, err
		}
		r.Slot = free
	}
	return r, s.Store.Begin(ctx, r, from)
}

// freeSlot returns a free slot. It first expires the jobs whose lease is over, because their workers are dead.
func (s *Service) freeSlot(ctx context.Context, app tenant.AppID, plan sandbox.Plan, now time.Time) (int, error) {
	held, err := s.Store.Slots(ctx, app)
	if err != nil {
		return 0, fmt.Errorf("look for a slot: %w", err)
	}

	taken := make(map[int]bool)
	for _, r := range held {
		if r.Plan != plan {
			continue
		}
		if !r.Overdue(now) || s.expire(ctx, r.Scope, r.Record) != nil {
			taken[r.Slot] = true
		}
	}

	// Choose a random slot: processes that query at the same moment would all compete for the first one.
	var free []int
	for n := range Slots(plan) {
		if !taken[n] {
			free = append(free, n)
		}
	}
	if len(free) == 0 {
		return 0, errFull
	}
	return free[retry.Jitter(int64(len(free)))], nil
}

// slotGroup identifies the slots of one plan of an application.
type slotGroup struct {
	app  tenant.AppID
	plan sandbox.Plan
}

// takeFreed returns a slot that this process released. It is probably free, and no other process prefers it.
func (s *Service) takeFreed(app tenant.AppID, plan sandbox.Plan) (slot int, ok bool) {
	s.freed.Update(slotGroup{app, plan}, func(left []int) []int {
		if ok = len(left) > 0; ok {
			slot, left = left[len(left)-1], left[:len(left)-1]
		}
		return left
	})
	return slot, ok
}

// leave stores a released slot for takeFreed.
func (s *Service) leave(in Slot) {
	s.freed.Update(slotGroup{in.App, in.Plan}, func(left []int) []int {
		if len(left) >= Slots(in.Plan) {
			return left
		}
		return append(left, in.Number)
	})
}
