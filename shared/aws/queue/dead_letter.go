package queue

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/shared/console/deadletter"
)

// DeadLetters is the SQS queue of events that can never be processed. Administrators inspect it in the console.
type DeadLetters struct{ Queue }

// Refuse sends {"reason", "event"}; an event that is not JSON becomes a string. The message keeps its number of
// redrives.
func (q *DeadLetters) Refuse(ctx context.Context, group, reason string, event []byte) error {
	if !json.Valid(event) {
		event, _ = json.Marshal(string(event)) // encoding a string cannot fail
	}
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
