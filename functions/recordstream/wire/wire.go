// Package wire assembles program recordstream.
package wire

import (
	"minicloud/functions/recordstream/consumer"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/program/lambdabatch"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	group := &consumer.Group{
		Counter: &count.Counter{Store: b.Counts()}, Dead: queues.Open(b).Dead("RECORD_DEAD_LETTER_QUEUE_URL"), Log: b.Log,
		Readers: map[string]consumer.Reader{
			b.String("ROWS_TABLE"): countdb.RowCount, b.String("JOBS_TABLE"): jobdb.Change,
			b.String("ORDERS_TABLE"): orderdb.Change,
		},
	}
	return lambdabatch.AdaptStream(b.Log, group.Count)
}
