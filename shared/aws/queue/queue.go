// Package queue sends messages over SQS.
//
// Every message carries a group: the id of its application. SQS gives each group of a standard queue a fair share, so
// one noisy application does not delay the others. Messages carry ids, not payloads.
package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"minicloud/shared/errs"
	"minicloud/shared/retry"
	"minicloud/shared/trace/chain"
)

// MaxDelay is the longest time for which SQS delays a message.
const MaxDelay = 15 * time.Minute

// Sender is the part of the SQS client this package uses.
type Sender interface {
	SendMessage(ctx context.Context, in *sqs.SendMessageInput, options ...func(*sqs.Options)) (*sqs.SendMessageOutput, error)
	SendMessageBatch(
		ctx context.Context, in *sqs.SendMessageBatchInput, options ...func(*sqs.Options),
	) (*sqs.SendMessageBatchOutput, error)
}

// Queue is one SQS queue.
type Queue struct {
	Client Sender
	URL    string
}

// Of is a queue of messages of one type, sent as JSON. It implements job.Queue and run.Queue.
type Of[M interface{ Group() string }] struct{ Queue }

// Send sends messages that SQS delivers after delay: one, or many in one call per ten. Ten messages must fit one call.
// It returns errs.Unavailable if SQS does not accept some of them; the others are sent.
func (q *Of[M]) Send(ctx context.Context, delay time.Duration, all ...M) error {
	if len(all) == 1 {
		return q.send(ctx, all[0], all[0].Group(), delay)
	}

	entries := make([]types.SendMessageBatchRequestEntry, len(all))
	for i, m := range all {
		body, err := json.Marshal(m)
		if err != nil {
			return fmt.Errorf("encode message: %w", err)
		}
		entries[i] = types.SendMessageBatchRequestEntry{
			Id: aws.String(strconv.Itoa(i)), MessageBody: aws.String(string(body)),
			MessageGroupId: aws.String(m.Group()), DelaySeconds: seconds(delay),
		}
	}

	var failures []error
	for some := range slices.Chunk(entries, maxEntries) {
		failures = append(failures, q.sendEntries(ctx, some))
	}
	return refused(errors.Join(failures...))
}

// seconds rounds a delay up to whole seconds and limits it to MaxDelay.
func seconds(delay time.Duration) int32 {
	return int32(math.Ceil(min(max(delay, 0), MaxDelay).Seconds()))
}

// send sends message as JSON. It returns errs.Unavailable if SQS does not accept the message.
func (q *Queue) send(ctx context.Context, message any, group string, delay time.Duration) error {
	body, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	in := &sqs.SendMessageInput{
		QueueUrl: &q.URL, MessageBody: aws.String(string(body)), MessageGroupId: &group,
		DelaySeconds: seconds(delay),
	}
	if next, ok := chain.Next(ctx, q.URL); ok {
		in.MessageAttributes = map[string]types.MessageAttributeValue{
			"Chain": {DataType: aws.String("String"), StringValue: aws.String(next.String())},
		}
	}
	_, err = q.Client.SendMessage(ctx, in)
	return refused(err)
}

// maxEntries is the maximum number of messages per SQS batch call.
const maxEntries = 10

// sendEntries sends messages in one call, and again those that SQS could not take: a successful call can still contain
// failed messages. To fail because of them would send the others twice.
func (q *Queue) sendEntries(ctx context.Context, entries []types.SendMessageBatchRequestEntry) error {
	return retry.Calls.Do(ctx, isPassing, func(int) error {
		out, err := q.Client.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{QueueUrl: &q.URL, Entries: entries})
		if err != nil || len(out.Failed) == 0 {
			return err
		}
		failure := entryError{of: len(entries), failed: out.Failed}
		entries = slices.DeleteFunc(slices.Clone(entries), func(e types.SendMessageBatchRequestEntry) bool {
			return !slices.ContainsFunc(out.Failed, func(f types.BatchResultErrorEntry) bool { return *f.Id == *e.Id })
		})
		return failure
	})
}

// entryError means that a call left some of its messages unsent.
type entryError struct {
	of     int
	failed []types.BatchResultErrorEntry
}

// Error names the first message that failed.
func (e entryError) Error() string {
	first := e.failed[0]
	return fmt.Sprintf("%d of %d: %s: %s", len(e.failed), e.of, aws.ToString(first.Code), aws.ToString(first.Message))
}

// isPassing reports whether messages were left unsent for reasons that are not in them.
func isPassing(err error) bool {
	left, ok := errors.AsType[entryError](err)
	return ok && !slices.ContainsFunc(left.failed, func(f types.BatchResultErrorEntry) bool { return f.SenderFault })
}

// refused converts an SQS error into errs.Unavailable; nil stays nil.
func refused(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("send message: %w: %w", errs.Unavailable(1, "the platform is busy, try again"), err)
}
