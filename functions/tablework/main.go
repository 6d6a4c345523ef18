// Program tablework builds indexes and purges what removed tables and indexes
// left behind, as the table work queue asks.
package main

import (
	"minicloud/functions/tablework/consumer"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/id"
	"minicloud/shared/lambdabatch"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
	"minicloud/shared/queue"
	"minicloud/shared/table"
)

func main() {
	p := program.New()
	b := backend.Open(p)
	counts := &countdb.Store{Client: b.DynamoDB, Table: p.String("COUNTS_TABLE"), Clock: clock.System}
	tables := &table.Service{
		Schemas: &rowdb.Tables{Client: b.DynamoDB, Name: p.String("TABLES_TABLE")},
		Rows:    &rowdb.Rows{Client: b.DynamoDB, Table: p.String("ROWS_TABLE"), Indexes: p.String("ROW_INDEXES_TABLE")},
		Counts:  counts, OldCounts: counts,
		Worker: &queue.TableWork{Queue: b.Queue(p.String("TABLE_WORK_QUEUE_URL"))},
		Clock:  clock.System, IDs: new(id.Source),
	}
	p.Ready()

	group := &consumer.Group{Log: p.Log, Tables: tables}
	lambdabatch.Start(p.Log, group.Work)
}
