package manage

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// Limits of enqueuePending.
const (
	pendingSince   = 10 * time.Minute
	maxPending     = 1000
	pendingSenders = 8 // messages in parallel
)

// enqueuePending sends the messages of the pending runs of a trigger before the trigger changes. A program that dies
// between storing a run and sending its message sends it when the event is delivered again; by then the changed trigger
// may not match that event. It costs one Query of the runs of the last ten minutes: two read units for a trigger that
// seldom fires, about 250 per thousand runs.
func (s *Service) enqueuePending(ctx context.Context, scope tenant.Scope, number trigger.ID) error {
	now := s.Clock.Now()
	pending := run.Filter{Statuses: []run.Status{run.Pending}, From: now.Add(-pendingSince), To: now}
	runs, err := s.Runs.List(ctx, scope, number, pending, maxPending)
	if err != nil {
		return fmt.Errorf("pending runs of trigger %d: %w", number, err)
	}

	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(pendingSenders)
	for _, r := range runs {
		if r.NextAttempt.After(now) {
			continue // its message or wake-up is already scheduled
		}
		group.Go(func() error {
			return s.Queue.Send(ctx, 0, run.MessageOf(r.Ref(), scope))
		})
	}
	return group.Wait()
}
