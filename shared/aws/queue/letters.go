package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"minicloud/shared/console/deadletter"
	"minicloud/shared/errs"
)

// redrives is the message attribute with the number of times the message was sent again.
const redrives = "Redrives"

// reason is the message attribute in which the bus gives the reason why it could not deliver an event.
const reason = "ERROR_MESSAGE"

// Letters implements deadletter.Queue on one SQS queue. It does not use StartMessageMoveTask, which would move the
// messages of all applications, and only messages that SQS itself has dead-lettered.
type Letters struct {
	Client *sqs.Client
	URL    string
}

// Count makes one GetQueueAttributes call.
func (q *Letters) Count(ctx context.Context) (int, error) {
	names := []types.QueueAttributeName{
		types.QueueAttributeNameApproximateNumberOfMessages, types.QueueAttributeNameApproximateNumberOfMessagesNotVisible,
	}
	out, err := q.Client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: &q.URL, AttributeNames: names})
	if err != nil {
		return 0, unavailable("count dead letters", err)
	}
	sum := 0
	for _, name := range names {
		n, err := strconv.Atoi(out.Attributes[string(name)])
		if err != nil {
			return 0, fmt.Errorf("count dead letters: %s is %q", name, out.Attributes[string(name)])
		}
		sum += n
	}
	return sum, nil
}

// Receive makes one ReceiveMessage call.
func (q *Letters) Receive(ctx context.Context, hide time.Duration) ([]deadletter.Message, error) {
	in := &sqs.ReceiveMessageInput{
		QueueUrl: &q.URL, MaxNumberOfMessages: maxEntries, VisibilityTimeout: int32(hide.Seconds()),
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{
			types.MessageSystemAttributeNameSentTimestamp, types.MessageSystemAttributeNameMessageGroupId,
		},
		MessageAttributeNames: []string{redrives, reason},
	}
	out, err := q.Client.ReceiveMessage(ctx, in)
	if err != nil {
		return nil, unavailable("receive dead letters", err)
	}

	messages := make([]deadletter.Message, len(out.Messages))
	for i, m := range out.Messages {
		sent, _ := strconv.ParseInt(m.Attributes[string(types.MessageSystemAttributeNameSentTimestamp)], 10, 64)
		again, _ := strconv.Atoi(aws.ToString(m.MessageAttributes[redrives].StringValue)) // 0 if absent
		messages[i] = deadletter.Message{
			ID: aws.ToString(m.MessageId), Body: aws.ToString(m.Body), Handle: aws.ToString(m.ReceiptHandle),
			Group:  m.Attributes[string(types.MessageSystemAttributeNameMessageGroupId)],
			SentAt: time.UnixMilli(sent).UTC(), Redrives: again,
			Reason: aws.ToString(m.MessageAttributes[reason].StringValue),
		}
	}
	return messages, nil
}

// Release makes one ChangeMessageVisibilityBatch call per ten messages.
func (q *Letters) Release(ctx context.Context, messages []deadletter.Message) error {
	var failures []error
	for some := range slices.Chunk(messages, maxEntries) {
		entries := make([]types.ChangeMessageVisibilityBatchRequestEntry, len(some))
		for i, m := range some {
			entries[i] = types.ChangeMessageVisibilityBatchRequestEntry{
				Id: aws.String(strconv.Itoa(i)), ReceiptHandle: &m.Handle, VisibilityTimeout: 0,
			}
		}
		// If this call fails, the messages reappear when their visibility timeout ends.
		_, err := q.Client.ChangeMessageVisibilityBatch(ctx, &sqs.ChangeMessageVisibilityBatchInput{
			QueueUrl: &q.URL, Entries: entries,
		})
		failures = append(failures, err)
	}
	return unavailable("release dead letters", errors.Join(failures...))
}

// Delete makes one DeleteMessageBatch call per ten messages.
func (q *Letters) Delete(ctx context.Context, messages []deadletter.Message) (left []deadletter.Message, err error) {
	var failures []error
	for some := range slices.Chunk(messages, maxEntries) {
		entries := make([]types.DeleteMessageBatchRequestEntry, len(some))
		for i, m := range some {
			entries[i] = types.DeleteMessageBatchRequestEntry{Id: aws.String(strconv.Itoa(i)), ReceiptHandle: &m.Handle}
		}
		out, err := q.Client.DeleteMessageBatch(ctx, &sqs.DeleteMessageBatchInput{QueueUrl: &q.URL, Entries: entries})
		if err != nil {
			left, failures = append(left, some...), append(failures, err)
			continue
		}
		for _, f := range out.Failed {
			if i, err := strconv.Atoi(aws.ToString(f.Id)); err == nil && i >= 0 && i < len(some) {
				left = append(left, some[i])
			}
			failures = append(failures, fmt.Errorf("%s: %s", aws.ToString(f.Code), aws.ToString(f.Message)))
		}
	}
	return left, unavailable("delete dead letters", errors.Join(failures...))
}

// Again implements deadletter.Sender: it sends dead letters back to one SQS queue.
type Again struct{ Queue }

// maxTogether is the maximum number of body bytes per call. It is below the 1 MiB limit of SQS, because SQS counts
// attributes too.
const maxTogether = 1 << 20 * 9 / 10

// together splits messages into batches that fit one call each.
func together(messages []deadletter.Message) [][]deadletter.Message {
	var parts [][]deadletter.Message
	size := 0
	for _, m := range messages {
		if last := len(parts) - 1; last >= 0 && len(parts[last]) < maxEntries && size+len(m.Body) <= maxTogether {
			parts[last], size = append(parts[last], m), size+len(m.Body)
		} else {
			parts, size = append(parts, []deadletter.Message{m}), len(m.Body)
		}
	}
	return parts
}

// Resend makes one SendMessageBatch call per ten messages.
func (q *Again) Resend(ctx context.Context, messages []deadletter.Message) (map[string]bool, error) {
	taken, failures := map[string]bool{}, []error{}
	for _, some := range together(messages) {
		entries := make([]types.SendMessageBatchRequestEntry, len(some))
		for i, m := range some {
			entries[i] = types.SendMessageBatchRequestEntry{
				Id: aws.String(strconv.Itoa(i)), MessageBody: &m.Body, MessageAttributes: redriven(m.Redrives),
			}
			if m.Group != "" {
				entries[i].MessageGroupId = &m.Group
			}
		}
		out, err := q.Client.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{QueueUrl: &q.URL, Entries: entries})
		if err != nil {
			failures = append(failures, err)
			continue
		}
		for _, done := range out.Successful {
			if i, err := strconv.Atoi(aws.ToString(done.Id)); err == nil && i >= 0 && i < len(some) {
				taken[some[i].ID] = true
			}
		}
		for _, f := range out.Failed {
			failures = append(failures, fmt.Errorf("%s: %s", aws.ToString(f.Code), aws.ToString(f.Message)))
		}
	}
	return taken, refused(errors.Join(failures...))
}

// redriven returns the attributes of a message that was sent again n times.
func redriven(n int) map[string]types.MessageAttributeValue {
	if n == 0 {
		return nil
	}
	return map[string]types.MessageAttributeValue{
		redrives: {DataType: aws.String("Number"), StringValue: aws.String(strconv.Itoa(n))},
	}
}

func unavailable(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w: %w", what, errs.Unavailable(1, "the platform is busy, try again"), err)
}
