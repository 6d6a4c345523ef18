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

// memory is the Store of an application with one function, in memory. Its calls
// happen at once, each as a whole.
type memory struct {
	Store
	mu     sync.Mutex
	line   map[id.ID]Waiting
	slots  map[int]Running
	ended  map[id.ID]Record
	due    []Due
	active map[activity]time.Time
}

func newMemory() *memory {
	return &memory{
		line: map[id.ID]Waiting{}, slots: map[int]Running{}, ended: map[id.ID]Record{}, active: map[activity]time.Time{},
	}
}

func (s *memory) announce(scope tenant.Scope, fn id.ID, until time.Time) {
	if !until.IsZero() {
		s.active[activity{scope, fn}] = until
	}
}

func (s *memory) Accept(_ context.Context, scope tenant.Scope, w Waiting, delayed bool, announce time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line[w.ID] = w
	if delayed {
		s.due = append(s.due, Due{Scope: scope, Function: w.Function, Job: w.ID, RunAt: w.Ready})
	}
	s.announce(scope, w.Function, announce)
	return nil
}

func (s *memory) Waiting(_ context.Context, _ tenant.Scope, _, jobID id.ID) (Waiting, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, ok := s.line[jobID]
	if !ok {
		return w, errs.NotFound("not in the line")
	}
	return w, nil
}

func (s *memory) Line(_ context.Context, _ tenant.Scope, _ id.ID, before time.Time) (line []Waiting, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.line {
		if before.IsZero() || w.Ready.Before(before) {
			line = append(line, w)
		}
	}
	return line, nil
}

func (s *memory) Begin(_ context.Context, r Running, from Place, announce time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.slots[r.Slot]; taken {
		return errs.Conflict("slot is taken")
	}
	if _, waits := s.line[r.ID]; from == InLine && !waits {
		return errs.NotFound("not in the line")
	}
	delete(s.line, r.ID)
	s.slots[r.Slot] = r
	s.announce(r.Scope, r.Function, announce)
	return nil
}

// held reports whether a job is in that slot, as it began.
func (s *memory) held(r Record, slot int) bool {
	h, ok := s.slots[slot]
	return ok && h.ID == r.ID && h.StartedAt.Equal(r.StartedAt)
}

func (s *memory) Renew(_ context.Context, r Running, until time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.held(r.Record, r.Slot) {
		return errs.NotFound("not in the slot")
	}
	r.Lease = until
	s.slots[r.Slot] = r
	return nil
}

func (s *memory) PutBack(_ context.Context, r Running, w Waiting) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.held(r.Record, r.Slot) {
		return errs.NotFound("not in the slot")
	}
	delete(s.slots, r.Slot)
	s.line[w.ID] = w
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

func (s *memory) End(_ context.Context, _ tenant.Scope, r Record, from Place, slot int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, waits := s.line[r.ID]
	if from == InSlot && !s.held(r, slot) || from == InLine && !waits {
		return errs.NotFound("has ended")
	}
	if from == InSlot {
		delete(s.slots, slot)
	}
	delete(s.line, r.ID)
	s.ended[r.ID] = r
	return nil
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
	s.announce(a.Scope, a.Function, a.Until)
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

func (s *memory) Fold(context.Context, tenant.Scope, id.ID, time.Time) error { return nil }
