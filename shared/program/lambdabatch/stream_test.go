package lambdabatch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
)

// windowed is a Lambda event for a stream with a tumbling window.
const windowed = `{
	"Records": [
		{"eventID":"a","eventName":"INSERT","eventSourceARN":"arn:stream","dynamodb":{"SequenceNumber":"100"}},
		{"eventID":"b","eventName":"INSERT","eventSourceARN":"arn:stream","dynamodb":{"SequenceNumber":"200"}},
		{"eventID":"c","eventName":"INSERT","eventSourceARN":"arn:stream","dynamodb":{"SequenceNumber":"300"}}
	],
	"window": {"start":"2026-11-22T08:00:00Z","end":"2026-11-22T08:15:00Z"},
	"state": {}, "shardId": "shard-1", "eventSourceARN": "arn:stream",
	"isFinalInvokeForWindow": false, "isWindowTerminatedEarly": false
}`

func TestStreamStopsAtFirstFailure(t *testing.T) {
	for name, tt := range map[string]struct {
		consume Consume
		want    string
	}{
		"all done": {func(context.Context, Shard, []events.DynamoDBEventRecord) (int, error) { return 3, nil }, ""},
		"the second": {
			func(context.Context, Shard, []events.DynamoDBEventRecord) (int, error) { return 1, errors.New("no") }, "200",
		},
		"panics": {func(context.Context, Shard, []events.DynamoDBEventRecord) (int, error) { panic("no") }, "100"},
		"fails at last": {
			func(context.Context, Shard, []events.DynamoDBEventRecord) (int, error) { return 3, errors.New("no") }, "300",
		},
		"knows its part": {knows(t), ""},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			handle := AdaptStream(slog.New(slog.NewJSONHandler(&log, nil)), tt.consume)
			answer, err := handle(t.Context(), parse(t, windowed))
			if err != nil {
				t.Fatal(err)
			}

			text, err := json.Marshal(answer)
			if err != nil {
				t.Fatal(err)
			}
			want := `{"state":{},"batchItemFailures":[]}`
			if tt.want != "" {
				want = `{"state":{},"batchItemFailures":[{"itemIdentifier":"` + tt.want + `"}]}`
			}
			if string(text) != want {
				t.Errorf("answer %s, want %s", text, want)
			}
			if said := strings.Contains(log.String(), `"sequence":"`+tt.want+`"`); tt.want != "" && !said {
				t.Errorf("log: %s", log.String())
			}
		})
	}
}

// TestEndOfWindowHasNoRecords checks the event without records that Lambda sends at the end of a window.
func TestEndOfWindowHasNoRecords(t *testing.T) {
	handle := AdaptStream(slog.New(
		slog.DiscardHandler,
	), func(context.Context, Shard, []events.DynamoDBEventRecord) (int, error) {
		t.Error("there is nothing to work on")
		return 0, nil
	})
	answer, err := handle(
		t.Context(), parse(t, `{"Records":[],"state":{},"shardId":"shard-1","isFinalInvokeForWindow":true}`),
	)
	if err != nil || answer.State == nil || len(answer.BatchItemFailures) != 0 {
		t.Errorf("%+v, %v", answer, err)
	}
}

func knows(t *testing.T) Consume {
	return func(_ context.Context, s Shard, records []events.DynamoDBEventRecord) (int, error) {
		if want := (Shard{Stream: "arn:stream", Name: "shard-1"}); s != want {
			t.Errorf("shard %+v, want %+v", s, want)
		}
		return len(records), nil
	}
}

func parse(t *testing.T, text string) (event events.DynamoDBTimeWindowEvent) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &event); err != nil {
		t.Fatal(err)
	}
	return event
}
