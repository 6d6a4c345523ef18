// Package consumer counts the records in the streams of the counted tables.
package consumer

import (
	"context"
	"fmt"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/count"
	"minicloud/shared/program/lambdabatch"
)

// Reader returns the change of counters that a stream record of one table makes.
type Reader func(events.DynamoDBEventRecord) (count.Change, error)

// Group adapts count.Counter to the streams.
type Group struct {
	Counter *count.Counter
	Readers map[string]Reader // by table name
}

// Count counts the records of a batch, each once even if it is redelivered. An unreadable record is an error and so
// ends up in the dead-letter queue; the records before it are counted.
func (g *Group) Count(
	ctx context.Context, s lambdabatch.Shard, records []events.DynamoDBEventRecord,
) (done int, err error) {
	changes, unreadable := g.changes(s, records)

	shard := count.Shard{Stream: s.Stream, Name: s.Name}
	if done, err = g.Counter.Count(ctx, shard, changes); err != nil {
		return done, err
	}

	return done, unreadable
}

// changes returns the changes of the records before the first unreadable one.
func (g *Group) changes(s lambdabatch.Shard, records []events.DynamoDBEventRecord) ([]count.Change, error) {
	table := s.Table()
	read := g.Readers[table]
	if read == nil {
		return nil, fmt.Errorf("nobody counts the records of table %q", table)
	}

	changes := make([]count.Change, 0, len(records))
	for _, record := range records {
		change, err := read(record)
		if err != nil {
			// The changes before the unreadable record are still counted.
			return changes, err
		}
		changes = append(changes, change)
	}

	return changes, nil
}
