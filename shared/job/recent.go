package job

import (
	"context"
	"sync"
	"time"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// recentFunctions keeps functions for a second, so that a worker with many jobs
// of one function does not read it for each. A job runs at least the revision
// its function had when it was accepted: what a caller wrote before, runs.
type recentFunctions struct {
	mu   sync.Mutex
	read map[activity]recentFunction
}

type recentFunction struct {
	function cloudfunction.Function
	at       time.Time
}

const (
	recentFor = time.Second
	maxRecent = 50 // functions; code of each may be 1 MB
)

func (r *recentFunctions) get(key activity, revision int64, now time.Time) (cloudfunction.Function, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, ok := r.read[key]
	ok = ok && revision > 0 && known.function.Revision >= revision && now.Sub(known.at) < recentFor
	return known.function, ok
}

func (r *recentFunctions) put(key activity, f cloudfunction.Function, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.read == nil || len(r.read) >= maxRecent {
		r.read = make(map[activity]recentFunction)
	}
	r.read[key] = recentFunction{f, now}
}

// function returns a function at that revision or a later one.
func (s *Service) function(ctx context.Context, scope tenant.Scope, fn id.ID, revision int64) (cloudfunction.Function, error) {
	key, now := activity{scope, fn}, s.Clock.Now()
	if f, ok := s.recent.get(key, revision, now); ok {
		return f, nil
	}
	f, err := s.Functions.ReadID(ctx, scope, fn)
	if err == nil {
		s.recent.put(key, f, now)
	}
	return f, err
}
