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

// Bounds of the pending runs that are enqueued again.
const (
	pendingSince   = 10 * time.Minute
	maxPending     = 1000
	pendingSenders = 8 // messages at a time
)

// enqueuePending sends the messages of pending runs of a trigger that is about to change. A program that died after it
// had stored a run sends its message when the event comes again; by then the trigger may not match that event any more.
// The cost is a Query of the runs of the last ten minutes: two read units for a trigger that seldom fires, about 250
// for each thousand of its runs.
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
			continue // a message or a wake is on its way
		}
		group.Go(func() error {
			return s.Queue.Send(ctx, run.MessageOf(r.Ref(), scope), fmt.Sprint(int64(scope.App)), 0)
		})
	}
	return group.Wait()
}
