// Package consumer is fed by the clock.
package consumer

import (
	"context"
	"log/slog"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/clock"
	"minicloud/shared/trigger"
)

// Group is the clock's face of trigger.Timers.
type Group struct {
	Timers trigger.Timers
	Log    *slog.Logger
}

// Tick fires the timers that are due in the minute of the event. One that is late, or comes twice, finds done what it
// is for. An error says that some have failed: the next minute tries them again.
func (g *Group) Tick(ctx context.Context, event events.CloudWatchEvent) error {
	timers := g.Timers
	timers.Clock = clock.Fixed(event.Time)

	fired, err := timers.Tick(ctx)
	if fired > 0 {
		g.Log.InfoContext(ctx, "tick", "fired", fired)
	}
	return err
}
