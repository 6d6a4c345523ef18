package job

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"minicloud/shared/errs"
)

const (
	// foldAfter is how long after its end an hour is folded: nearly every job made
	// in it has ended by then. Delayed ones that end later are folded an hour later.
	foldAfter = 10 * time.Minute
	// foldFor is how long a tick folds at most; the next tick goes on.
	foldFor = 10 * time.Second
)

// foldMemory remembers of which functions this process has folded all hours that
// have passed.
type foldMemory struct {
	mu     sync.Mutex
	before time.Time
	done   map[activity]bool
}

// due returns the active functions that are still to be folded.
func (m *foldMemory) due(active []Active, before time.Time) []Active {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.before.Equal(before) {
		m.before, m.done = before, make(map[activity]bool)
	}
	var due []Active
	for _, a := range active {
		if !m.done[activity{a.Scope, a.Function}] {
			due = append(due, a)
		}
	}
	return due
}

func (m *foldMemory) note(a Active) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done[activity{a.Scope, a.Function}] = true
}

// fold sums up the hours that have passed of active functions, as many as it can
// until ctx ends; one after another, since a fold is 30 writes and more, and what
// the table can do is for requests. What was not active meanwhile has at most its
// last hours unfolded.
func (s *Service) fold(ctx context.Context, active []Active) error {
	ctx, cancel := context.WithTimeout(ctx, foldFor)
	defer cancel()
	before := s.Clock.Now().Add(-foldAfter).Truncate(time.Hour)
	var failures []error
	for _, a := range s.folds.due(active, before) {
		err := s.Store.Fold(ctx, a.Scope, a.Function, before)
		switch {
		case err == nil:
			s.folds.note(a)
		case ctx.Err() != nil:
			return errors.Join(failures...)
		case !errs.Is(err, errs.KindConflict): // else a job ended just then; the next tick tries again
			failures = append(failures, fmt.Errorf("fold jobs of function %d: %w", a.Function, err))
		}
	}
	return errors.Join(failures...)
}
