package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"minicloud/functions/platformevent/consumer"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/rundb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/run"
)

// asked is a fake queue that records the requested runs.
type asked struct {
	messages map[run.Message]bool
	down     bool
}

func (q *asked) Send(_ context.Context, _ time.Duration, all ...run.Message) error {
	if q.down {
		return errors.New("no queue")
	}
	for _, m := range all {
		q.messages[m] = true
	}
	return nil
}

// newFiring returns a group whose staging environment has triggers for uploads and for messages that say hello.
func newFiring(t testing.TB) (*consumer.Group, *asked, *dead) {
	client := dynamotest.Start(t, "TriggersTable", "TriggerLogTable")
	triggers := &triggerdb.Triggers{Client: client, Table: "TriggersTable"}
	hello := trigger.Rule{Field: "Content", Operator: trigger.Equal, Value: "hello"}
	for id, c := range map[trigger.ID]struct {
		kind      trigger.Type
		condition trigger.Condition
	}{
		1: {trigger.TypeFileOperation, &trigger.FileCondition{Operation: trigger.FileUpload, Result: trigger.ResultSuccess}},
		2: {
			trigger.TypeChatMessage,
			&trigger.MessageCondition{AppID: "wx1", Match: trigger.MatchAll, Rules: []trigger.Rule{hello}},
		},
	} {
		planted := trigger.Trigger{
			ID: id, Name: fmt.Sprint(id), Enabled: true, Type: c.kind, Condition: c.condition, Revision: 1,
		}
		planted.Actions = []trigger.Action{
			{ID: 9, Type: trigger.CloudFunction, Settings: &trigger.CloudFunctionSettings{Function: "f"}},
		}
		if err := triggers.Insert(
			t.Context(), tenant.Scope{App: 7, Env: "0123456789abcdef0123"}, planted, time.Time{},
		); err != nil {
			t.Fatal(err)
		}
	}

	q, letters := &asked{messages: map[run.Message]bool{}}, &dead{}
	engine := &engine.Engine{
		Triggers: triggers, Runs: &rundb.Runs{Client: client, Table: "TriggerLogTable"}, Queue: q,
		Clock: clock.Fixed(now),
	}
	return &consumer.Group{
		Applications: &applications{}, Engine: engine, Dead: letters, Log: slog.New(slog.DiscardHandler),
	}, q, letters
}

const (
	staging = `"miniapp":7,"env":"0123456789abcdef0123"`
	upload  = `{` + staging + `,"operation":"upload","result":"success","file":{"id":"f1","name":"a.png"}}`
	hello   = `{` + staging + `,"_AppId":"wx1","MsgId":12,"Content":"hello"}`
)

// TestFilesAndChatMessagesFireOnce: although the bus redelivers them, and only in the environment that they name.
func TestFilesAndChatMessagesFireOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		detailType, detail string
		runs               int
	}{
		"an upload":           {"file", upload, 1},
		"a failed one":        {"file", strings.Replace(upload, "success", "fail", 1), 0},
		"in production":       {"file", strings.Replace(upload, `"env"`, `"any"`, 1), 0},
		"hello":               {"chat-message", hello, 1},
		"another mini app":    {"chat-message", strings.Replace(hello, "wx1", "wx2", 1), 0},
		"something else":      {"chat-message", strings.Replace(hello, "hello", "bye", 1), 0},
		"a message elsewhere": {"chat-message", strings.Replace(hello, `"env"`, `"any"`, 1), 0},
	} {
		t.Run(name, func(t *testing.T) {
			g, q, letters := newFiring(t)
			for range 3 {
				if err := g.Consume(t.Context(), event(tt.detailType, tt.detail)); err != nil {
					t.Fatal(err)
				}
			}
			if len(q.messages) != tt.runs || len(letters.reasons) > 0 {
				t.Errorf("asked for %v, refused %v", q.messages, letters.reasons)
			}
		})
	}
}

// TestMalformedFilesAndChatMessagesBecomeDeadLetters: with a reason, and no trigger fires.
func TestMalformedFilesAndChatMessagesBecomeDeadLetters(t *testing.T) {
	for name, tt := range map[string]struct{ detailType, detail, reason string }{
		"unknown application": {"file", strings.Replace(upload, ":7", ":8", 1), "miniapp 8"},
		"unknown environment": {"chat-message", strings.Replace(hello, "0123", "3210", 1), "env"},
		"no application":      {"chat-message", `{"_AppId":"wx1"}`, "miniapp"},
		"application a text":  {"file", strings.Replace(upload, ":7", `:"7"`, 1), "miniapp"},
		"environment a list":  {"file", `{"miniapp":7,"env":[]}`, "env"},
		"no file":             {"file", `{"miniapp":7,"operation":"upload","result":"success"}`, "file"},
		"no such operation":   {"file", strings.Replace(upload, `"upload"`, `"rename"`, 1), "rename"},
		"a failed deletion": {
			"file", strings.NewReplacer(`"upload"`, `"delete"`, "success", "fail").Replace(upload), "delete",
		},
		"no _AppId":        {"chat-message", strings.Replace(hello, `"_AppId":"wx1",`, "", 1), "_AppId"},
		"number too large": {"chat-message", strings.Replace(hello, `"MsgId":12`, `"MsgId":1e999`, 1), "1e999"},
		"no object":        {"file", `7`, "object"},
		"a member twice":   {"file", `{"miniapp":7,"miniapp":8}`, "miniapp"},
	} {
		t.Run(name, func(t *testing.T) {
			g, q, letters := newFiring(t)
			if err := g.Consume(t.Context(), event(tt.detailType, tt.detail)); err != nil {
				t.Fatal(err)
			}
			if len(letters.reasons) != 1 || !strings.Contains(letters.reasons[0], tt.reason) || len(q.messages) > 0 {
				t.Errorf("refused %q, want %q; asked for %v", letters.reasons, tt.reason, q.messages)
			}
		})
	}
}

func TestRetriesWhenDeadLetterQueueFails(t *testing.T) {
	g, q, letters := newFiring(t)
	q.down = true
	if err := g.Consume(t.Context(), event("file", upload)); err == nil || len(letters.reasons) > 0 {
		t.Errorf("%v, %v", err, letters.reasons)
	}
	q.down = false
	if err := g.Consume(t.Context(), event("file", upload)); err != nil || len(q.messages) != 1 {
		t.Errorf("%v, asked for %v", err, q.messages)
	}
}
