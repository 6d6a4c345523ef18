// Package consumer counts the records in the streams of the counted tables.
package consumer

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/console/deadletter"
	"minicloud/shared/count"
	"minicloud/shared/program/lambdabatch"
)

// Reader returns the change of counters that a stream record of one table makes.
type Reader func(events.DynamoDBEventRecord) (count.Change, error)

// Group adapts count.Counter to the streams.
type Group struct {
	Counter *count.Counter
	Readers map[string]Reader // by table name
	Dead    deadletter.Refuser
	Log     *slog.Logger
}

// Count counts the records of a batch, each once even if it is redelivered. An unreadable record goes to the dead-letter
// queue, so that it does not hold up the shard; a recount finds what it would have counted.
func (g *Group) Count(
	ctx context.Context, s lambdabatch.Shard, records []events.DynamoDBEventRecord,
) (done int, err error) {
	table := s.Table()
	read := g.Readers[table]
	if read == nil {
		return 0, fmt.Errorf("nobody counts the records of table %q", table)
	}

	changes := make([]count.Change, 0, len(records))
	places := make([]int, 0, len(records)) // the indexes of the changes among the records
	var failed error
	done = len(records)
	for i, record := range records {
		change, err := read(record)
		if err == nil {
			changes, places = append(changes, change), append(places, i)
			continue
		}
		if failed = s.Refuse(ctx, g.Log, g.Dead, record, err); failed != nil {
			done = i
			break
		}
	}

	if len(changes) == 0 {
		return done, failed
	}
	// The records before one that could not be put aside are not redelivered, so count them.
	shard := count.Shard{Stream: s.Stream, Name: s.Name}
	if counted, err := g.Counter.Count(ctx, shard, changes); err != nil {
		return places[counted], err
	}
	return done, failed
}
