package job

import (
	"context"
	"fmt"
	"sync"
	"time"

	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// announceFor is how long an announcement holds; it is renewed at half of that, so it outlives the job it is made for.
const announceFor = 25 * time.Minute

// announceLook is when the announcer has the function looked after: with a tick that is lost, a message that is lost
// would be noticed too late.
const announceLook = ResendAfter + 5*time.Second

// announce tells the store that a function may have open jobs: one write, and one message, in 12 minutes of this
// process. It comes before the job's own write, so that whoever sweeps knows where to look.
func (s *Service) announce(ctx context.Context, scope tenant.Scope, fn id.ID) error {
	until := s.announcements.next(scope, fn, s.Clock.Now())
	if until.IsZero() {
		return nil
	}
	if err := s.Store.Announce(ctx, Active{Scope: scope, Function: fn, Until: until}); err != nil {
		return fmt.Errorf("announce function %d: %w", fn, err)
	}

	s.announcements.done(scope, fn, until)
	if s.Queue == nil {
		return nil
	}
	if err := s.Queue.Send(ctx, Message{Sweep: true}, "platform", announceLook); err != nil {
		s.log().WarnContext(ctx, "a sweep was not planned, the next tick sweeps", "error", err.Error())
	}
	return nil
}

// announcements remembers which functions this process announced lately.
type announcements struct {
	mu    sync.Mutex
	until map[activity]time.Time
}

type activity struct {
	scope    tenant.Scope
	function id.ID
}

// next returns until when to announce a function now, zero when that is not due.
func (a *announcements) next(scope tenant.Scope, fn id.ID, now time.Time) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.until[activity{scope, fn}].After(now.Add(announceFor / 2)) {
		return time.Time{}
	}
	return now.Add(announceFor)
}

// done notes that a function was announced.
func (a *announcements) done(scope tenant.Scope, fn id.ID, until time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.until == nil || len(a.until) > maxRemembered {
		a.until = make(map[activity]time.Time)
	}
	a.until[activity{scope, fn}] = until
}
