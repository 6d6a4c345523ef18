package lambdabatch

import (
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// stuckAfter is the receive from which a failing message counts as stuck: SQS leaves it out of the age of its queue then,
// so no other alarm would ring before the message is a dead letter, hours later.
const stuckAfter = 3

// metricNamespace is the CloudWatch namespace of the metrics of messages.
const metricNamespace = "minicloud/queues"

// stuck returns attributes that make the log line of a failed message a metric of the stack, in CloudWatch's embedded
// metric format; none before the message is stuck.
func stuck(m events.SQSMessage) []slog.Attr {
	received, _ := strconv.Atoi(m.Attributes["ApproximateReceiveCount"]) // SQS sends it with each message
	if received < stuckAfter {
		return nil
	}
	stack, queue := stackOf(m.EventSourceARN)
	return []slog.Attr{
		slog.Any("_aws", map[string]any{
			"Timestamp": time.Now().UnixMilli(),
			"CloudWatchMetrics": []any{map[string]any{
				"Namespace": metricNamespace, "Dimensions": [][]string{{"stack"}},
				"Metrics": []any{map[string]string{"Name": "StuckMessages", "Unit": "Count"}},
			}},
		}),
		slog.String("stack", stack), slog.Int("StuckMessages", 1), slog.String("queue", queue), slog.Int("received", received),
	}
}

// stackOf returns the stack and the name of a queue. CloudFormation names queues <stack>-<logical id>-<random>; only the
// stack may contain hyphens.
func stackOf(arn string) (stack, queue string) {
	queue = arn[strings.LastIndex(arn, ":")+1:]
	parts := strings.Split(queue, "-")
	return strings.Join(parts[:max(0, len(parts)-2)], "-"), queue
}
