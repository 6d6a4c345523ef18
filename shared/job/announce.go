package job

import (
	"sync"
	"time"

	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

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
	if until.IsZero() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.until == nil || len(a.until) > maxRemembered {
		a.until = make(map[activity]time.Time)
	}
	a.until[activity{scope, fn}] = until
}
