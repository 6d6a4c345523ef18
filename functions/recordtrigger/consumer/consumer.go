// Package consumer is fed by the streams of the tables whose records are events of triggers: rows that somebody
// listens to, orders that were paid, calls of incoming webhooks. The filters of its event sources let nothing else
// through.
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

// Reader reads a stream record of one table; ok is false for one that is no event. The same record would be refused
// for ever.
type Reader func(record events.DynamoDBEventRecord) (o Occurrence, ok bool, err error)

// Occurrence becomes an event, which may take a look at something else: when that fails the record comes again. ok is
// false where it is none any more.
type Occurrence = func(ctx context.Context) (e trigger.Event, ok bool, err error)

// Plain is the reader of records that say all there is to know.
func Plain(read func(events.DynamoDBEventRecord) (trigger.Event, bool, error)) Reader {
	return func(record events.DynamoDBEventRecord) (Occurrence, bool, error) {
		e, ok, err := read(record)
		return func(context.Context) (trigger.Event, bool, error) { return e, true, nil }, ok, err
	}
}

// Engine fires events; *trigger.Engine is one.
type Engine interface {
	Fire(ctx context.Context, events []trigger.Event) (done int, err error)
}

// Group is the streams' face of trigger.Engine.
type Group struct {
	Engine  Engine
	Readers map[string]Reader // by the name of the table
	Dead    deadletter.Refuser
	Log     *slog.Logger
}

// Fire fires the events of a batch, those of one key in their order. Where one cannot be fired now, it comes again
// with all that is behind it.
func (g *Group) Fire(
	ctx context.Context, s lambdabatch.Shard, records []events.DynamoDBEventRecord,
) (done int, err error) {
	read := g.Readers[s.Table()]
	if read == nil {
		return 0, fmt.Errorf("the records of table %q are no events", s.Table())
	}

	var happened []trigger.Event
	var places []int // of the events among the records
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

	// Records before a failed one are fired anyway: they are not delivered again.
	if fired, failed := g.Engine.Fire(ctx, happened); failed != nil {
		return places[fired], failed
	}
	return done, err
}

// event is what a record says has happened. One that cannot be read goes to the dead-letter queue, and the shard goes
// on.
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
