package job

import (
	"context"
	"slices"
	"sync"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// memory is an in-memory Store for an application with one function. Its calls take no time and are atomic.
type memory struct {
	Store
	mu      sync.Mutex
	pending map[id.ID]PendingJob
	slots   map[int]Running
	ended   map[id.ID]Record
	due     []Due
	active  map[activity]time.Time
}

func newMemory() *memory {
	return &memory{
		pending: map[id.ID]PendingJob{}, slots: map[int]Running{}, ended: map[id.ID]Record{},
		active: map[activity]time.Time{},
	}
}

func (s *memory) Accept(_ context.Context, scope tenant.Scope, w PendingJob, delayed bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Lease = PendingUntil(w.Ready)
	s.pending[w.ID] = w
	if delayed {
		s.due = append(s.due, Due{Scope: scope, Function: w.Function, Job: w.ID, RunAt: w.Ready})
	}
	return nil
}

func (s *memory) ReadPending(_ context.Context, _ tenant.Scope, _, jobID id.ID) (PendingJob, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, ok := s.pending[jobID]
	if !ok {
		return w, errs.NotFound("not pending")
	}
	return w, nil
}

func (s *memory) Pending(
	_ context.Context, _ tenant.Scope, _ id.ID, before time.Time,
) (pending []PendingJob, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.pending {
		if before.IsZero() || w.Ready.Before(before) {
			pending = append(pending, w)
		}
	}
	return pending, nil
}

func (s *memory) Begin(_ context.Context, r Running, from Place) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.slots[r.Slot]; taken {
		return errs.Conflict("slot is taken")
	}
	if _, waits := s.pending[r.ID]; from == Pending && !waits {
		return errs.NotFound("not pending")
	}
	delete(s.pending, r.ID)
	s.slots[r.Slot] = r
	return nil
}

// held reports whether the same run of a job is in its slot.
func (s *memory) held(r Record) bool {
	h, ok := s.slots[r.Slot]
	return ok && h.ID == r.ID && h.StartedAt.Equal(r.StartedAt)
}

func (s *memory) Renew(_ context.Context, r Running, until time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.held(r.Record) {
		return errs.NotFound("not in the slot")
	}
	r.Lease = until
	s.slots[r.Slot] = r
	return nil
}

// empty removes the jobs from the slots, like a process that expires them.
func (s *memory) empty() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.slots)
}

func (s *memory) PutBack(_ context.Context, r Running, w PendingJob) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.held(r.Record) {
		return errs.NotFound("not in the slot")
	}
	delete(s.slots, r.Slot)
	w.Lease = PendingUntil(w.Ready)
	s.pending[w.ID] = w
	return nil
}

func (s *memory) Slots(context.Context, tenant.AppID) (held []Running, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.slots {
		held = append(held, r)
	}
	return held, nil
}

func (s *memory) End(_ context.Context, _ tenant.Scope, r Record, from Place) (id.ID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, waits := s.pending[r.ID]
	if from == InSlot && !s.held(r) || from == Pending && !waits {
		return r.ID, errs.NotFound("has ended")
	}
	if from == InSlot {
		delete(s.slots, r.Slot)
	}
	delete(s.pending, r.ID)
	for taken := true; taken; {
		if _, taken = s.ended[r.ID]; taken {
			r.ID += 2
		}
	}
	s.ended[r.ID] = r
	return r.ID, nil
}

func (s *memory) Active(context.Context) (active []Active, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for a, until := range s.active {
		active = append(active, Active{Scope: a.scope, Function: a.function, Until: until})
	}
	return active, nil
}

func (s *memory) Announce(_ context.Context, a Active) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active[activity{a.Scope, a.Function}] = a.Until
	return nil
}

func (s *memory) Forget(context.Context, Active) error { return nil }

func (s *memory) Due(_ context.Context, t time.Time, _ int) (due []Due, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.due {
		if d.RunAt.Before(t) {
			due = append(due, d)
		}
	}
	return due, nil
}

func (s *memory) Drop(_ context.Context, d Due) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due = slices.DeleteFunc(s.due, func(other Due) bool { return other == d })
	return nil
}

func (s *memory) Expire(ctx context.Context, scope tenant.Scope, r Record) (id.ID, error) {
	return s.End(ctx, scope, r, InSlot)
}
