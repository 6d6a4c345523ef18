// Package consumer fires the events in the streams of the tables: rows with triggers, paid orders, and calls of
// incoming webhooks. The filters of its event sources drop all other records.
package consumer

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/console/deadletter"
	"minicloud/shared/errs"
	"minicloud/shared/program/lambdabatch"
	"minicloud/shared/trigger"
)

// Reader returns the event of a stream record of one table. ok is false if the record is no event, or none that still
// applies. errs.Invalid means that the record is unreadable; after any other error it is redelivered.
type Reader func(ctx context.Context, record events.DynamoDBEventRecord) (e trigger.Event, ok bool, err error)

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
// and all later records are redelivered. An unreadable record goes to the dead-letter queue, so that it does not block
// the shard.
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
		e, ok, failed := read(ctx, record)
		if errs.Is(failed, errs.KindInvalid) {
			failed = s.Refuse(ctx, g.Log, g.Dead, record, failed)
		}
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
