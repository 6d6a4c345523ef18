package consumer_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/errs"
)

// contents is a fake that records the keys of contents that have arrived.
type contents struct {
	keys []string
	err  error
}

func (c *contents) Arrived(_ context.Context, key string) error {
	c.keys = append(c.keys, key)
	return c.err
}

func s3Event(t *testing.T, source, detail string) []byte {
	t.Helper()
	message, err := json.Marshal(events.EventBridgeEvent{
		ID: "e1", DetailType: "Object Created", Source: source, Time: now, Detail: json.RawMessage(detail),
	})
	if err != nil {
		t.Fatal(err)
	}
	return message
}

// TestContentsOfForms: their events complete uploads; those that never can become dead letters, and a busy store does not.
func TestContentsOfForms(t *testing.T) {
	g, _, letters := newGroup(t)
	arrived := &contents{}
	g.Files = arrived
	const created = `{"bucket":{"name":"files"},"object":{"key":"7/production/ü b.png","size":3},"reason":"POST Object"}`
	if err := g.Consume(t.Context(), s3Event(t, "aws.s3", created)); err != nil || len(arrived.keys) != 1 || arrived.keys[0] != "7/production/ü b.png" {
		t.Errorf("%q, %v", arrived.keys, err)
	}
	arrived.err = errs.Unavailable(1, "busy")
	if err := g.Consume(t.Context(), s3Event(t, "aws.s3", created)); err == nil {
		t.Error("the event is lost while the store is busy")
	}

	arrived.err = errs.Invalid("no key of a file")
	for _, detail := range []string{`{"object":{"key":"x"}}`, `[]`} {
		if err := g.Consume(t.Context(), s3Event(t, "aws.s3", detail)); err != nil {
			t.Error(err)
		}
	}
	// Applications can put events of their own source only.
	if err := g.Consume(t.Context(), s3Event(t, "minicloud", created)); err != nil || len(arrived.keys) != 3 {
		t.Errorf("another source: %q, %v", arrived.keys, err)
	}
	if len(letters.reasons) != 3 || !strings.Contains(letters.reasons[1], "no event of S3") {
		t.Errorf("refused: %q", letters.reasons)
	}
}
