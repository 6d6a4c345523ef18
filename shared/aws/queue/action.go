package queue

import (
	"context"
	"time"

	"minicloud/shared/trigger/run"
)

// Actions is the run.Queue.
type Actions struct{ Queue }

var _ run.BatchQueue = (*Actions)(nil)

// Send implements run.Queue.
func (q *Actions) Send(ctx context.Context, m run.Message, group string, delay time.Duration) error {
	return q.SendJSON(ctx, m, group, delay)
}

// SendAll implements run.BatchQueue.
func (q *Actions) SendAll(ctx context.Context, all []run.Message, group string) error {
	messages := make([]any, len(all))
	for i, m := range all {
		messages[i] = m
	}
	return q.SendAllJSON(ctx, messages, group)
}
