// Package consumer is fed by the streams of the tables whose records are counted.
package consumer

import (
	"context"
	"fmt"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/count"
	"minicloud/shared/program/lambdabatch"
)

// Reader tells what a stream record of one table changes.
type Reader func(events.DynamoDBEventRecord) (count.Change, error)

// Group is the streams' face of count.Counter.
type Group struct {
	Counter *count.Counter
	Readers map[string]Reader // by the name of the table
}

// Count counts the records of a batch, each once however often it comes. A record that cannot be read fails, and so
// ends up in the dead-letter queue; what was before it is counted.
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

// changes returns those of the records before the first that cannot be read.
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
