package lambdabatch

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/aws/aws-lambda-go/events"
)

// Shard names the part of a stream that records are from; within it they come in order.
type Shard struct {
	Stream string // its ARN
	Name   string // "" where the event source has no tumbling window, and so does not say
}

// Table is the name of the table whose stream it is: arn:aws:dynamodb:<region>:<account>:table/<name>/stream/<label>.
func (s Shard) Table() string {
	_, rest, _ := strings.Cut(s.Stream, ":table/")
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// Consume works on records of one shard, in order, and stops at the first that fails. It returns how many are done:
// with an error, record number done is the one that failed. Records may come again, so their effects must not add up.
type Consume func(ctx context.Context, shard Shard, records []events.DynamoDBEventRecord) (done int, err error)

// streamHandler is the shape of a function behind a DynamoDB stream.
type streamHandler = func(context.Context, events.DynamoDBTimeWindowEvent) (events.DynamoDBTimeWindowEventResponse, error)

// AdaptStream returns consume as a function from a stream event to its answer. What was done before a failure is not
// delivered again (ReportBatchItemFailures). A tumbling window, which makes Lambda tell the shard, asks every answer
// for a state; we have none.
func AdaptStream(log *slog.Logger, consume Consume) streamHandler {
	return func(ctx context.Context, event events.DynamoDBTimeWindowEvent) (events.DynamoDBTimeWindowEventResponse, error) {
		answer := events.DynamoDBTimeWindowEventResponse{BatchItemFailures: []events.DynamoDBBatchItemFailure{}}
		answer.State = map[string]string{}
		if len(event.Records) == 0 { // the end of a window
			return answer, nil
		}

		shard := Shard{Stream: event.Records[0].EventSourceArn, Name: event.ShardID}
		done, err := consumed(ctx, consume, shard, event.Records)
		if err == nil {
			return answer, nil
		}

		failed := event.Records[min(done, len(event.Records)-1)].Change.SequenceNumber
		log.ErrorContext(
			ctx, "record failed", "stream", shard.Stream, "shard", shard.Name, "sequence", failed, "error", err.Error(),
		)
		answer.BatchItemFailures = append(answer.BatchItemFailures, events.DynamoDBBatchItemFailure{ItemIdentifier: failed})

		return answer, nil
	}
}

// consumed is consume, whose panic fails the batch.
func consumed(
	ctx context.Context, consume Consume, s Shard, records []events.DynamoDBEventRecord,
) (done int, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			done, err = 0, fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()

	return consume(ctx, s, records)
}
