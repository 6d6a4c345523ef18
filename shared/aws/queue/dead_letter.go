package queue

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/shared/console/deadletter"
)

// DeadLetters is a queue of events that can never be worked on, for people to look at.
type DeadLetters struct{ Queue }

// Refuse puts an event there with the reason: {"reason", "event"}. One that somebody has sent again is there with how
// often that was.
func (q *DeadLetters) Refuse(ctx context.Context, group, reason string, event []byte) error {
	body, err := json.Marshal(struct {
		Reason string          `json:"reason"`
		Event  json.RawMessage `json:"event"`
	}{reason, event})
	if err != nil {
		return fmt.Errorf("encode dead letter: %w", err)
	}
	text := string(body)
	_, err = q.Client.SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl: &q.URL, MessageBody: &text, MessageGroupId: &group,
		MessageAttributes: redriven(deadletter.RedrivesOf(ctx)),
	})
	return refused(err)
}
