package job

import (
	"context"
	"time"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

const (
	recentFor = time.Second
	maxRecent = 50 // functions; code of each may be 1 MB
)

type recentFunction struct {
	cloudfunction.Function
	read time.Time
}

// function returns a function at that revision or a later one, so that a job never runs older code than was current
// when it was accepted. It caches functions for a second: a worker with many jobs of one function reads it once.
func (s *Service) function(
	ctx context.Context, scope tenant.Scope, fn id.ID, revision int64,
) (cloudfunction.Function, error) {
	key, now := activity{scope, fn}, s.Clock.Now()
	known := s.recent.get(key)
	if revision > 0 && known.Revision >= revision && now.Sub(known.read) < recentFor {
		return known.Function, nil
	}

	f, err := s.Functions.ReadID(ctx, scope, fn)
	if err == nil {
		s.recent.put(key, recentFunction{f, now}, maxRecent)
	}
	return f, err
}
