package queue

import (
	"context"
	"time"

	"minicloud/shared/trigger"
)

// Actions is the trigger.Queue.
type Actions struct{ Queue }

var _ trigger.Together = (*Actions)(nil)

// Send implements trigger.Queue.
func (q *Actions) Send(ctx context.Context, m trigger.Message, group string, delay time.Duration) error {
	return q.SendJSON(ctx, m, group, delay)
}

// SendAll implements trigger.Together.
func (q *Actions) SendAll(ctx context.Context, all []trigger.Message, group string) error {
	messages := make([]any, len(all))
	for i, m := range all {
		messages[i] = m
	}
	return q.SendAllJSON(ctx, messages, group)
}
