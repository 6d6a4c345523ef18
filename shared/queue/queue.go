// Package queue sends messages over SQS.
//
// Every message carries a group, the application it is for: in a standard queue
// that makes SQS share fairly between groups, so one noisy application does not
// hold up the others. Messages carry ids, not payloads.
package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/shared/errs"
	"minicloud/shared/job"
)

// MaxDelay is the longest SQS holds a message back.
const MaxDelay = 15 * time.Minute

// Sender is the part of the SQS client this package uses.
type Sender interface {
	SendMessage(ctx context.Context, in *sqs.SendMessageInput, options ...func(*sqs.Options)) (*sqs.SendMessageOutput, error)
}

// Queue is one SQS queue.
type Queue struct {
	Client Sender
	URL    string
}

// SendJSON sends message as JSON, delivered after delay, which is rounded up to
// whole seconds and cut at MaxDelay. errs.Unavailable when it was not accepted.
func (q *Queue) SendJSON(ctx context.Context, message any, group string, delay time.Duration) error {
	body, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	_, err = q.Client.SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl: &q.URL, MessageBody: aws.String(string(body)), MessageGroupId: &group,
		DelaySeconds: int32(math.Ceil(min(max(delay, 0), MaxDelay).Seconds())),
	})
	if err != nil {
		return fmt.Errorf("send message: %w: %w", errs.Unavailable(1, "the platform is busy, try again"), err)
	}
	return nil
}

// Jobs is the job.Queue.
type Jobs struct{ Queue }

var _ job.Queue = (*Jobs)(nil)

// Send implements job.Queue.
func (q *Jobs) Send(ctx context.Context, m job.Message, group string, delay time.Duration) error {
	return q.SendJSON(ctx, m, group, delay)
}
