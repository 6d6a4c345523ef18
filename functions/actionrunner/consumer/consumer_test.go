package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/functions/actionrunner/consumer"
	"minicloud/shared/errs"
	"minicloud/shared/program/lambdabatch"
	"minicloud/shared/trigger/run"
)

// executor is a fake that records the messages and fails as the run's name says.
type executor struct {
	mu  sync.Mutex
	got []run.Message
}

func (x *executor) Handle(_ context.Context, m run.Message) error {
	x.mu.Lock()
	x.got = append(x.got, m)
	x.mu.Unlock()
	switch m.Run {
	case "gone":
		return fmt.Errorf("begin: %w", errs.NotFound("there is no log entry gone"))
	case "wrong":
		return errs.Invalid("the message names no run")
	case "later":
		return errors.New("no database")
	}
	return nil
}

type refusal struct{ group, reason, event string }

type dead struct {
	mu  sync.Mutex
	got map[string]refusal
	err error
}

func (d *dead) Refuse(_ context.Context, group, reason string, event []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return d.err
	}
	d.got[reason] = refusal{group, reason, string(event)}
	return nil
}

func message(run string) string {
	return `{"scope":"7.production","trigger":3,"run":"` + run + `","at":1795262400000}`
}

// TestRetriesOnlyFailedMessages: messages that can never be processed go to the dead-letter queue with the reason.
func TestRetriesOnlyFailedMessages(t *testing.T) {
	x, d := &executor{}, &dead{got: map[string]refusal{}}
	g := &consumer.Group{Actions: x, Dead: d, Log: slog.New(slog.DiscardHandler)}
	handle := lambdabatch.Adapt(g.Log, g.Work)
	var event events.SQSEvent
	for _, body := range []string{
		message("fine"), message("later"), message("gone"), message("wrong"), "{", `{"at":"x"}`,
	} {
		event.Records = append(event.Records, events.SQSMessage{MessageId: fmt.Sprint(len(event.Records)), Body: body})
	}

	answer, err := handle(t.Context(), event)
	if err != nil || len(answer.BatchItemFailures) != 1 || answer.BatchItemFailures[0].ItemIdentifier != "1" {
		t.Errorf("%+v, %v", answer, err)
	}
	want := run.Message{Scope: "7.production", Trigger: 3, Run: "fine", At: 1795262400000}
	found := false
	for _, m := range x.got {
		found = found || m == want
	}
	if !found || len(x.got) != 4 {
		t.Errorf("worked on %v", x.got)
	}
	for reason, want := range map[string]refusal{
		"there is no log entry gone":                                 {"7", "", message("gone")},
		"the message names no run":                                   {"7", "", message("wrong")},
		"it is no message about a run: unexpected end of JSON input": {"unknown", "", "{"},
	} {
		want.reason = reason
		if d.got[reason] != want {
			t.Errorf("dead letters %v, want %v", d.got, want)
		}
	}
	if len(d.got) != 4 {
		t.Errorf("%d dead letters: %v", len(d.got), d.got)
	}
}

func TestRetriesWhenDeadLetterQueueFails(t *testing.T) {
	g := &consumer.Group{
		Actions: &executor{}, Dead: &dead{err: errors.New("no queue")}, Log: slog.New(slog.DiscardHandler),
	}
	if err := g.Work(t.Context(), []byte("{")); err == nil {
		t.Error("a message was lost")
	}
}
