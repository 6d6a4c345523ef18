package job

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

const (
	// grace is what a worker has after the time limit to give up and end the job,
	// and lease is when its lease is over at the latest, a second later.
	grace = 4 * time.Second
	lease = grace + time.Second

	// runLease is how long a lease holds. Longer runs renew it, every renewEvery, so
	// that a run of up to 25 s writes nothing more, and a lost worker is noticed in
	// less than a minute (D19); a renewal that fails is tried again after renewAgain.
	runLease   = 40 * time.Second
	renewEvery = 25 * time.Second
	renewAgain = 2 * time.Second

	// lateStart is how late an asynchronous run may begin and still have its whole
	// time limit; one that begins later has what is left, and minLimit at least.
	lateStart = 5 * time.Second
	minLimit  = time.Second
)

// syncPatience is how long a synchronous run waits for a slot (D20).
const syncPatience = 2 * time.Second

// errNoSlot says that every slot was taken, so the job is in none.
var errNoSlot = errors.New("every slot is taken")

// errFull says that a look found every slot taken; another conflict means that
// somebody else was faster.
var errFull = errs.Conflict("every slot is taken")

// racePatience is how much longer than its patience a run tries while there are
// free slots and others are faster, as when many runs begin at the same instant.
const racePatience = 3 * time.Second

// begin finds a slot for r and moves it there. It returns r as it runs, or
// errNoSlot, an errs.Unavailable, when all slots were taken until patience was
// over. After any other errs.Unavailable the job may be in a slot or not.
func (s *Service) begin(ctx context.Context, r Running, from Place, patience time.Duration) (Running, error) {
	// What waited was announced when it was accepted, or woken.
	if from == Nowhere {
		if err := s.announce(ctx, r.Scope, r.Function); err != nil {
			return r, err
		}
	}

	until := s.Clock.Now().Add(patience)
	for try := 0; ; try++ {
		began, err := s.tryBegin(ctx, r, from, try)
		if !errs.Is(err, errs.KindConflict) {
			return began, err
		}
		if try < len(guesses) {
			continue
		}
		wait, give := rand.N(10*time.Millisecond), until.Add(racePatience)
		if errors.Is(err, errFull) {
			wait, give = 50*time.Millisecond+rand.N(100*time.Millisecond), until
		}
		if !s.Clock.Now().Before(give) {
			return r, fmt.Errorf("%w: %w", errNoSlot, errs.Unavailable(5, "no free slot: %d functions on plan %s are running already", Slots(r.Plan), r.Plan))
		}
		if err := s.pause(ctx, wait); err != nil {
			return r, err
		}
	}
}

// guesses are the numbers of slots the first tries choose from: low numbers
// first, so that a quiet application uses few, then wider. Later tries look.
var guesses = []int{1, 8, 32}

// tryBegin is one try, errs.Conflict when the slot it chose, or every slot, is taken.
func (s *Service) tryBegin(ctx context.Context, r Running, from Place, try int) (Running, error) {
	now := s.Clock.Now()
	r.Status, r.StartedAt = StatusExecuting, now.Truncate(time.Millisecond)
	r.Limit = r.limit(now)
	r.Lease = r.StartedAt.Add(min(r.Limit+lease, runLease))
	number, known := 0, false
	if try == 0 {
		number, known = s.slots.take(r.Scope.App, r.Plan)
	}
	switch {
	case known:
		r.Slot = number
	case try < len(guesses):
		r.Slot = rand.N(min(guesses[try], Slots(r.Plan)))
	default:
		free, err := s.look(ctx, r.Scope.App, r.Plan, now)
		if err != nil {
			return r, err
		}
		r.Slot = free
	}

	return r, s.Store.Begin(ctx, r, from)
}

// look returns a slot that is free. A slot whose lease is over is freed first:
// its worker is dead.
func (s *Service) look(ctx context.Context, app tenant.AppID, plan sandbox.Plan, now time.Time) (int, error) {
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
	var free []int
	for n := range Slots(plan) {
		if !taken[n] {
			free = append(free, n)
		}
	}
	if len(free) == 0 {
		return 0, errFull
	}
	return free[rand.N(len(free))], nil
}

// slotMemory remembers slots this process left, for its next runs: they are
// likely to be free, and no other process prefers them.
type slotMemory struct {
	mu   sync.Mutex
	left map[slotGroup][]int
}

type slotGroup struct {
	app  tenant.AppID
	plan sandbox.Plan
}

// maxRemembered bounds the memory of a process that serves many applications.
const maxRemembered = 1000

func (m *slotMemory) take(app tenant.AppID, plan sandbox.Plan) (int, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := slotGroup{app, plan}
	left := m.left[key]
	if len(left) == 0 {
		return 0, false
	}
	m.left[key] = left[:len(left)-1]
	return left[len(left)-1], true
}

func (m *slotMemory) leave(s Slot) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left == nil || len(m.left) > maxRemembered {
		m.left = make(map[slotGroup][]int)
	}
	key := slotGroup{s.App, s.Plan}
	if len(m.left[key]) < Slots(s.Plan) {
		m.left[key] = append(m.left[key], s.Number)
	}
}
