package job

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// announceFor is how long an announcement is valid. It is renewed at half that time, so it outlives the announced job.
const announceFor = 25 * time.Minute

// activity is a function that may have open jobs.
type activity struct {
	scope    tenant.Scope
	function id.ID
}

// announce stores that a function may have open jobs; each process writes this at most once in 12 minutes per function.
// Callers announce before they write the job, so that a sweep finds the job even if the process dies after that write.
func (s *Service) announce(ctx context.Context, scope tenant.Scope, fn id.ID) error {
	key, now := activity{scope, fn}, s.Clock.Now()
	if until, _ := s.announced.Get(key); until.After(now.Add(announceFor / 2)) {
		return nil
	}

	until := now.Add(announceFor)
	if err := s.Store.Announce(ctx, Active{Scope: scope, Function: fn, Until: until}); err != nil {
		return fmt.Errorf("announce function %d: %w", fn, err)
	}
	s.announced.Put(key, until)
	return nil
}
