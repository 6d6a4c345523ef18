package queue

import (
	"context"
	"time"

	"minicloud/shared/trigger"
)

// Actions is the trigger.Queue.
type Actions struct{ Queue }

var _ trigger.Queue = (*Actions)(nil)

// Send implements trigger.Queue.
func (q *Actions) Send(ctx context.Context, m trigger.Message, group string, delay time.Duration) error {
	return q.SendJSON(ctx, m, group, delay)
}
