package lambdabatch

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/logging"
)

func TestReturnsFailedMessages(t *testing.T) {
	var log bytes.Buffer
	together := make(chan struct{})
	handle := Adapt(slog.New(slog.NewJSONHandler(&log, nil)), func(ctx context.Context, body []byte) error {
		switch string(body) {
		case "first":
			<-together // ends only if the second message is processed concurrently
		case "second":
			close(together)
		case "fails":
			return errors.New("refused")
		case "panics":
			panic("at the disco")
		}
		if logging.RequestID(ctx) != string(body)+"-id" {
			t.Errorf("%s works as %s", body, logging.RequestID(ctx))
		}
		return nil
	})

	var event events.SQSEvent
	for _, body := range []string{"first", "fails", "second", "panics"} {
		event.Records = append(event.Records, events.SQSMessage{MessageId: body + "-id", Body: body})
	}
	answer, err := handle(t.Context(), event)
	if err != nil || len(answer.BatchItemFailures) != 2 ||
		answer.BatchItemFailures[0].ItemIdentifier != "fails-id" ||
		answer.BatchItemFailures[1].ItemIdentifier != "panics-id" {
		t.Errorf("%+v, %v", answer, err)
	}

	if !strings.Contains(log.String(), "refused") || !strings.Contains(log.String(), "at the disco") {
		t.Errorf("log: %s", log.String())
	}
	if answer, err := handle(t.Context(), events.SQSEvent{}); err != nil || answer.BatchItemFailures == nil {
		t.Errorf("an empty batch: %+v, %v", answer, err)
	}
}
