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

	"minicloud/shared/trace/chain"
	"minicloud/shared/trace/logging"
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

// TestStuckMessagesAreAMetric: a message that fails in its third receive, or a later one, is counted for the stack of its
// queue; an earlier failure, or a success, is not.
func TestStuckMessagesAreAMetric(t *testing.T) {
	var log bytes.Buffer
	handle := Adapt(slog.New(slog.NewJSONHandler(&log, nil)), func(_ context.Context, body []byte) error {
		if string(body) == "fine" {
			return nil
		}
		return errors.New("refused")
	})
	for _, tt := range []struct {
		body, received string
		counted        bool
	}{{"fails", "1", false}, {"fails", "2", false}, {"fails", "3", true}, {"fails", "40", true}, {"fine", "40", false}} {
		log.Reset()
		if _, err := handle(t.Context(), events.SQSEvent{Records: []events.SQSMessage{{
			MessageId: "m", Body: tt.body, Attributes: map[string]string{"ApproximateReceiveCount": tt.received},
			EventSourceARN: "arn:aws:sqs:eu-central-1:1:my-own-stack-JobQueue-AbC1",
		}}}); err != nil {
			t.Fatal(err)
		}

		var line struct {
			AWS struct {
				CloudWatchMetrics []struct {
					Namespace  string
					Dimensions [][]string
					Metrics    []struct{ Name string }
				}
			} `json:"_aws"`
			Stack, Queue  string
			StuckMessages int
		}
		if log.Len() > 0 {
			if err := json.Unmarshal(log.Bytes(), &line); err != nil {
				t.Fatal(err)
			}
		}
		if !tt.counted {
			if line.StuckMessages != 0 || line.AWS.CloudWatchMetrics != nil {
				t.Errorf("%+v: %s", tt, log.String())
			}
			continue
		}
		if m := line.AWS.CloudWatchMetrics; len(m) != 1 || m[0].Namespace != "minicloud/queues" ||
			m[0].Metrics[0].Name != "StuckMessages" || m[0].Dimensions[0][0] != "stack" || line.StuckMessages != 1 ||
			line.Stack != "my-own-stack" || line.Queue != "my-own-stack-JobQueue-AbC1" {
			t.Errorf("%+v: %s", tt, log.String())
		}
	}
}

// dead is a fake that keeps refused messages.
type dead []string

func (d *dead) Refuse(_ context.Context, group, reason string, body []byte) error {
	*d = append(*d, group+": "+reason+": "+string(body))
	return nil
}

// TestRefusesEndlessChains: a message that comes after too many others, or after too many without progress, is a dead
// letter with the reason; another one is worked on, and the next message continues its chain.
func TestRefusesEndlessChains(t *testing.T) {
	for _, tt := range []struct{ link, body, next, dead string }{
		{"", `{"scope":"7.production"}`, "1 1", ""},
		{"8 1", `{"scope":"7.production"}`, "9 2", ""},
		{"8 1", `{"scope":"7.production","gets":"on"}`, "9 0", ""},
		{"9 1", `{"scope":"7.production"}`, "10 2", ""},
		{"10 0", `{"scope":"7.production"}`, "", `7: the work did not end within 10 messages: {"scope":"7.production"}`},
		{"5 3", "what", "", "unknown: the work made no progress in 3 messages: what"},
		{"5 3", `{"scope":"no scope"}`, "", `unknown: the work made no progress in 3 messages: {"scope":"no scope"}`},
	} {
		var refused dead
		next := ""
		work := func(ctx context.Context, body []byte) error {
			if strings.Contains(string(body), "gets") {
				chain.Progressed(ctx)
			}
			link, _ := chain.Next(ctx, "own")
			next = link.String()
			return nil
		}
		bounded := Bounded(&refused, chain.Limits{Generations: 10, Idle: 3}, work, "own")
		message := events.SQSMessage{MessageId: "m", Body: tt.body}
		if tt.link != "" {
			message.MessageAttributes = map[string]events.SQSMessageAttribute{"Chain": {StringValue: &tt.link}}
		}
		handle := Adapt(slog.New(slog.DiscardHandler), bounded)
		answer, err := handle(t.Context(), events.SQSEvent{Records: []events.SQSMessage{message}})
		if err != nil || len(answer.BatchItemFailures) != 0 {
			t.Errorf("%+v: %+v, %v", tt, answer, err)
		}
		if next != tt.next || strings.Join(refused, "") != tt.dead {
			t.Errorf("%+v: next %q, dead letters %q", tt, next, refused)
		}
	}
}
