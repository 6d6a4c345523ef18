package queue

import (
	"context"
	"encoding/json"
)

// DeadLetters is a queue of events that can never be worked on, for people to look at.
type DeadLetters struct{ Queue }

// Refuse puts an event there with the reason: {"reason", "event"}.
func (q *DeadLetters) Refuse(ctx context.Context, group, reason string, event []byte) error {
	return q.SendJSON(ctx, struct {
		Reason string          `json:"reason"`
		Event  json.RawMessage `json:"event"`
	}{reason, event}, group, 0)
}
