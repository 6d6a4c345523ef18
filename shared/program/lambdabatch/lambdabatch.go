// Package lambdabatch adapts a function that processes one message to an SQS event source: the messages of a batch
// run concurrently, and only those that failed are delivered again (ReportBatchItemFailures).
package lambdabatch

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"
	"sync"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/console/deadletter"
	"minicloud/shared/trace/chain"
	"minicloud/shared/trace/logging"
)

// Work processes one message. If it returns an error, SQS delivers the message again, as often as the queue's
// redrive policy allows.
type Work func(ctx context.Context, body []byte) error

// Adapt returns work as a Lambda handler of SQS events.
func Adapt(log *slog.Logger, work Work) func(context.Context, events.SQSEvent) (events.SQSEventResponse, error) {
	return func(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
		failures := make([]error, len(event.Records))
		var wg sync.WaitGroup
		for i, record := range event.Records {
			wg.Go(func() {
				// If the message fails again, its dead letter records how often it was redriven.
				inner := deadletter.WithRedrives(logging.WithRequest(ctx, record.MessageId), redrives(record))
				if text := record.MessageAttributes[chainAttribute].StringValue; text != nil {
					inner = context.WithValue(inner, linkKey{}, chain.Parse(*text))
				}
				failures[i] = one(inner, work, []byte(record.Body))
			})
		}

		wg.Wait()
		answer := events.SQSEventResponse{BatchItemFailures: []events.SQSBatchItemFailure{}}
		for i, err := range failures {
			if err != nil {
				id := event.Records[i].MessageId
				log.LogAttrs(logging.WithRequest(ctx, id), slog.LevelError, "message failed",
					append(stuck(event.Records[i]), slog.String("error", err.Error()))...)
				answer.BatchItemFailures = append(answer.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: id})
			}
		}

		return answer, nil
	}
}

// redrives returns how often the message was redriven from a dead-letter queue: queue.Again stores the count in an
// attribute.
func redrives(m events.SQSMessage) int {
	if text := m.MessageAttributes["Redrives"].StringValue; text != nil {
		n, _ := strconv.Atoi(*text)
		return n
	}
	return 0
}

// one processes one message; a panic fails only this message.
func one(ctx context.Context, work Work, body []byte) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return work(ctx, body)
}
