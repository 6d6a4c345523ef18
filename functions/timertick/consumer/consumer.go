// Package consumer handles the schedule that runs every minute.
package consumer

import (
	"context"
	"errors"
	"log/slog"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/clock"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/run"
)

// Group runs engine.Timers and run.Waker on the schedule.
type Group struct {
	Timers engine.Timers
	Waker  run.Waker
	Log    *slog.Logger
}

// Tick fires the timers that are due in the minute of the event, and requests the runs that are due before the next
// minute. A late or repeated tick finds its work done. An error means that some have failed: the next tick retries
// them.
func (g *Group) Tick(ctx context.Context, event events.CloudWatchEvent) error {
	timers := g.Timers
	timers.Clock = clock.Fixed(event.Time)

	fired, err := timers.Tick(ctx)
	// The waker uses its own clock, not the time of the event: workers use the same clock to check when a run is due.
	woken, failed := g.Waker.Tick(ctx)
	if fired > 0 || woken > 0 {
		g.Log.InfoContext(ctx, "tick", "fired", fired, "woken", woken)
	}
	return errors.Join(err, failed)
}
