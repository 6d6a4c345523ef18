// Package lambdabatch puts a function of one message behind an SQS event
// source: the messages of a batch are worked on side by side, and only those
// that failed are delivered again (ReportBatchItemFailures).
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
	"minicloud/shared/logging"
)

// Work does what one message asks. An error means that the message must be
// delivered again; the queue's redrive policy says how often.
type Work func(ctx context.Context, body []byte) error

// Adapt returns work as a function from an SQS event to its answer.
func Adapt(log *slog.Logger, work Work) func(context.Context, events.SQSEvent) (events.SQSEventResponse, error) {
	return func(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
		failures := make([]error, len(event.Records))
		var wg sync.WaitGroup
		for i, record := range event.Records {
			wg.Go(func() {
				// A redriven message that fails again says how often it was redriven.
				inner := deadletter.WithRedrives(logging.WithRequest(ctx, record.MessageId), redrives(record))
				failures[i] = one(inner, work, []byte(record.Body))
			})
		}

		wg.Wait()
		answer := events.SQSEventResponse{BatchItemFailures: []events.SQSBatchItemFailure{}}
		for i, err := range failures {
			if err != nil {
				id := event.Records[i].MessageId
				log.ErrorContext(logging.WithRequest(ctx, id), "message failed", "error", err.Error())
				answer.BatchItemFailures = append(answer.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: id})
			}
		}

		return answer, nil
	}
}

// redrives is how often somebody has sent a message again: queue.Again notes it in an attribute.
func redrives(m events.SQSMessage) int {
	if text := m.MessageAttributes["Redrives"].StringValue; text != nil {
		n, _ := strconv.Atoi(*text)
		return n
	}
	return 0
}

// one works on one message; a panic is its failure, not its neighbours'.
func one(ctx context.Context, work Work, body []byte) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return work(ctx, body)
}
