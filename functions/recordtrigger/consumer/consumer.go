// Package consumer fires the events in the streams of the tables: rows with triggers, paid orders, and calls of
// incoming webhooks. The filters of its event sources drop all other records.
package consumer

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/console/deadletter"
	"minicloud/shared/program/lambdabatch"
	"minicloud/shared/trigger"
)

// Reader reads a stream record of one table. ok is false if the record is not an event. An error is permanent: a
// retry would fail too.
type Reader func(record events.DynamoDBEventRecord) (o Occurrence, ok bool, err error)

// Occurrence returns the event of a record, for which it may read other data. If that read fails, the record is
// redelivered. ok is false if the event no longer applies.
type Occurrence = func(ctx context.Context) (e trigger.Event, ok bool, err error)

// Plain returns the reader of records that need no further reads.
func Plain(read func(events.DynamoDBEventRecord) (trigger.Event, bool, error)) Reader {
	return func(record events.DynamoDBEventRecord) (Occurrence, bool, error) {
		e, ok, err := read(record)
		return func(context.Context) (trigger.Event, bool, error) { return e, true, nil }, ok, err
	}
}

// Engine fires events; *engine.Engine implements it.
type Engine interface {
	Fire(ctx context.Context, events []trigger.Event) (done int, err error)
}

// Group adapts engine.Engine to the streams.
type Group struct {
	Engine  Engine
	Readers map[string]Reader // by table name
	Dead    deadletter.Refuser
	Log     *slog.Logger
}

// Fire fires the events of a batch; events with the same key keep their order. If an event cannot be fired now, it
// and all later records are redelivered.
func (g *Group) Fire(
	ctx context.Context, s lambdabatch.Shard, records []events.DynamoDBEventRecord,
) (done int, err error) {
	read := g.Readers[s.Table()]
	if read == nil {
		return 0, fmt.Errorf("the records of table %q are no events", s.Table())
	}

	var happened []trigger.Event
	var places []int // the indexes of the events among the records
	done = len(records)
	for i, record := range records {
		e, ok, failed := g.event(ctx, s, read, record)
		if failed != nil {
			done, err = i, failed
			break
		}
		if ok {
			happened, places = append(happened, e), append(places, i)
		}
	}

	// Records before a failed one must be fired: they are not redelivered.
	if fired, failed := g.Engine.Fire(ctx, happened); failed != nil {
		return places[fired], failed
	}
	return done, err
}

// event returns the event of a record. An unreadable record goes to the dead-letter queue, so that it does not block
// the shard.
func (g *Group) event(
	ctx context.Context, s lambdabatch.Shard, read Reader, record events.DynamoDBEventRecord,
) (e trigger.Event, ok bool, err error) {
	occurrence, ok, err := read(record)
	switch {
	case err != nil:
		return e, false, g.refuse(ctx, s, record, err)
	case !ok:
		return e, false, nil
	}
	return occurrence(ctx)
}

func (g *Group) refuse(ctx context.Context, s lambdabatch.Shard, record events.DynamoDBEventRecord, why error) error {
	g.Log.ErrorContext(ctx, "a record is no event", "stream", s.Stream, "record", record.EventID, "error", why.Error())
	text, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("record %s: %w", record.EventID, err)
	}
	return g.Dead.Refuse(ctx, s.Table(), why.Error(), text)
}
