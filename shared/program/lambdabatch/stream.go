package lambdabatch

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/console/deadletter"
)

// Shard identifies the shard of a stream that records are from. Records of one shard arrive in order.
type Shard struct {
	Stream string // its ARN
	Name   string // "" if the event source has no tumbling window: Lambda then does not send the shard
}

// Table returns the name of the stream's table: arn:aws:dynamodb:<region>:<account>:table/<name>/stream/<label>.
func (s Shard) Table() string {
	_, rest, _ := strings.Cut(s.Stream, ":table/")
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// Refuse puts a record that cannot be read into a dead-letter queue, and logs the reason.
func (s Shard) Refuse(
	ctx context.Context, log *slog.Logger, dead deadletter.Refuser, record events.DynamoDBEventRecord, why error,
) error {
	log.ErrorContext(ctx, "a record cannot be read", "stream", s.Stream, "record", record.EventID, "error", why.Error())
	text, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("record %s: %w", record.EventID, err)
	}
	return dead.Refuse(ctx, s.Table(), why.Error(), text)
}

// Consume processes records of one shard in order and stops at the first failure. It returns the number of
// processed records, which is the index of the failed record if err is not nil. Records may be delivered again, so
// their effects must be idempotent.
type Consume func(ctx context.Context, shard Shard, records []events.DynamoDBEventRecord) (done int, err error)

// streamHandler is the type of a Lambda handler of DynamoDB stream events.
type streamHandler = func(context.Context, events.DynamoDBTimeWindowEvent) (events.DynamoDBTimeWindowEventResponse, error)

// AdaptStream returns consume as a Lambda handler of stream events. Records before a failure are not delivered
// again (ReportBatchItemFailures). A tumbling window makes Lambda send the shard id; Lambda then requires a state
// in every response, which stays empty.
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

// consumed calls consume; a panic fails the whole batch.
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
