// Package wire assembles program recordtrigger.
package wire

import (
	"minicloud/functions/recordtrigger/consumer"
	"minicloud/shared/dynamo/filedb"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/dynamo/rowevent"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/file"
	"minicloud/shared/file/imagecheck"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/program/lambdabatch"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	return lambdabatch.AdaptStream(b.Log, Group(b, queues.Open(b)).Fire)
}

// Group returns the handler of the streams.
func Group(b *backend.Backend, q *queues.Queues) *consumer.Group {
	engine, tables := q.Engine(), b.Schemas()
	engine.Schemas = tables
	rows := &filedb.Stream{
		Rows: &rowevent.Stream{Tables: tables}, Site: file.Site(b.String("FILES_URL")),
		Checks: &imagecheck.Uploads{Applications: b.Applications(), Queue: q.ImageChecks()},
	}
	return &consumer.Group{
		Engine: engine, Dead: q.Dead("EVENT_DEAD_LETTER_QUEUE_URL"), Log: b.Log,
		Readers: map[string]consumer.Reader{
			b.String("ROWS_TABLE"):     rows.Read,
			b.String("ORDERS_TABLE"):   orderdb.PaymentEvent,
			b.String("TRIGGERS_TABLE"): triggerdb.CallEvent,
		},
	}
}
