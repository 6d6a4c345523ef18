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

	// A run waits for both, so they are made side by side.
	var sending sync.WaitGroup
	if s.Queue != nil {
		sending.Go(func() { s.planOne(ctx) })
	}
	err := s.Store.Announce(ctx, Active{Scope: scope, Function: fn, Until: until})
	if err == nil {
		s.announcements.done(scope, fn, until)
	}
	sending.Wait()
	if err != nil {
		return fmt.Errorf("announce function %d: %w", fn, err)
	}
	return nil
}

// planOne asks for one sweep. It does not keep a run from its slot: the next tick sweeps all the same.
func (s *Service) planOne(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if err := s.Queue.Send(ctx, Message{Sweep: true}, "platform", announceLook); err != nil {
		s.log().WarnContext(ctx, "a sweep was not planned", "error", err.Error())
	}
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
