// Package consumer is fed by the clock.
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

// Group is the clock's face of trigger.Timers and run.Waker.
type Group struct {
	Timers engine.Timers
	Waker  run.Waker
	Log    *slog.Logger
}

// Tick fires the timers that are due in the minute of the event, and asks for the runs whose time comes until the next
// one. One that is late, or comes twice, finds done what it is for. An error says that some have failed: the next
// minute tries them again.
func (g *Group) Tick(ctx context.Context, event events.CloudWatchEvent) error {
	timers := g.Timers
	timers.Clock = clock.Fixed(event.Time)

	fired, err := timers.Tick(ctx)
	// Runs wait by the clock of those who work on them, whatever minute the event is of.
	woken, failed := g.Waker.Tick(ctx)
	if fired > 0 || woken > 0 {
		g.Log.InfoContext(ctx, "tick", "fired", fired, "woken", woken)
	}
	return errors.Join(err, failed)
}
