package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/functions/recordtrigger/consumer"
	"minicloud/shared/dynamo/filedb"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/errs"
	"minicloud/shared/program/lambdabatch"
	"minicloud/shared/trigger"
)

var shard = lambdabatch.Shard{Stream: "arn:aws:dynamodb:us-east-1:0:table/Things/stream/2026"}

// engine is a fake that fires events up to one that fails.
type engine struct {
	fired []string
	fails string
}

func (e *engine) Fire(_ context.Context, happened []trigger.Event) (int, error) {
	for i, event := range happened {
		if event.ID == e.fails {
			return i, errors.New("busy")
		}
		e.fired = append(e.fired, event.ID)
	}
	return len(happened), nil
}

type dead struct {
	reasons []string
	down    bool
}

func (d *dead) Refuse(_ context.Context, _, reason string, record []byte) error {
	if d.down {
		return errors.New("no queue")
	}
	d.reasons = append(d.reasons, reason+string(record))
	return nil
}

// read is a fake reader that selects the result by the record's id: "none" is not an event, "bad" is unreadable, the
// table of "unknown" cannot be read now, the table of "gone" is deleted.
func read(_ context.Context, record events.DynamoDBEventRecord) (e trigger.Event, ok bool, err error) {
	switch record.EventID {
	case "none", "gone":
		return e, false, nil
	case "bad":
		return e, false, errs.Invalid("no record of ours")
	case "unknown":
		return e, false, errors.New("busy")
	}
	return trigger.Event{ID: record.EventID}, true, nil
}

// TestFiresBatchUpToFailedRecord: earlier records fire, unreadable ones are skipped, the rest is redelivered.
func TestFiresBatchUpToFailedRecord(t *testing.T) {
	for _, tt := range []struct {
		records, fails string
		down           bool
		done           int
		fired          string
		dead           int
	}{
		{records: "a b c", done: 3, fired: "a b c"},
		{records: "none a gone b none", done: 5, fired: "a b"},
		{records: "none a gone b none", fails: "b", done: 3, fired: "a"},
		{records: "a bad b", done: 3, fired: "a b", dead: 1},
		{records: "a bad b", down: true, done: 1, fired: "a"},
		{records: "a none unknown b", done: 2, fired: "a"},
		{records: "a unknown b", fails: "a", done: 0},
		{records: "none gone", done: 2},
	} {
		t.Run(fmt.Sprint(tt.records, tt.fails, tt.down), func(t *testing.T) {
			e, d := &engine{fails: tt.fails}, &dead{down: tt.down}
			g := &consumer.Group{
				Engine: e, Dead: d, Log: slog.New(slog.DiscardHandler), Readers: map[string]consumer.Reader{"Things": read},
			}
			var batch []events.DynamoDBEventRecord
			for id := range strings.FieldsSeq(tt.records) {
				batch = append(batch, events.DynamoDBEventRecord{EventID: id})
			}
			done, err := g.Fire(t.Context(), shard, batch)
			if done != tt.done || (err == nil) != (done == len(batch)) || !slices.Equal(e.fired, strings.Fields(tt.fired)) {
				t.Errorf("%d done, fired %v, %v", done, e.fired, err)
			}
			if len(d.reasons) != tt.dead || tt.dead > 0 && !strings.Contains(d.reasons[0], `"eventID":"bad"`) {
				t.Errorf("put aside: %v", d.reasons)
			}
		})
	}

	g := &consumer.Group{Engine: &engine{}, Log: slog.New(slog.DiscardHandler)}
	if done, err := g.Fire(t.Context(), shard, make([]events.DynamoDBEventRecord, 1)); done != 0 || err == nil {
		t.Errorf("the stream of a table that nobody reads: %d, %v", done, err)
	}
}

// TestUnreadableRecordsAreInvalid: otherwise they would be redelivered, and block their shard.
func TestUnreadableRecordsAreInvalid(t *testing.T) {
	text := events.NewStringAttribute
	record := events.DynamoDBEventRecord{EventName: "INSERT", Change: events.DynamoDBStreamRecord{
		Keys:     map[string]events.DynamoDBAttributeValue{"pk": text("nobody"), "sk": text("order#1")},
		NewImage: map[string]events.DynamoDBAttributeValue{"status": text("success"), "fires": text("0#1")},
	}}
	for name, read := range map[string]consumer.Reader{
		"orders": orderdb.PaymentEvent, "calls": triggerdb.CallEvent, "rows": new(filedb.Stream).Read,
	} {
		if _, ok, err := read(t.Context(), record); ok || !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
	}
}
