// Program tablework builds indexes and purges what removed tables and indexes
// left behind, as the table work queue asks. Triggers that a changed table breaks say so in their log.
package main

import (
	"minicloud/functions/tablework/consumer"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/id"
	"minicloud/shared/lambdabatch"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
	"minicloud/shared/queue"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
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
	triggers := &triggerdb.Triggers{Client: b.DynamoDB, Table: p.String("TRIGGERS_TABLE")}
	inspector := &trigger.Inspector{
		Triggers: triggers, Marks: triggers, Schemas: tables,
		Runs: &triggerdb.Runs{Client: b.DynamoDB, Table: p.String("TRIGGER_LOG_TABLE")},
	}
	p.Ready()

	group := &consumer.Group{Log: p.Log, Tables: tables, Triggers: inspector}
	lambdabatch.Start(p.Log, group.Work)
}
