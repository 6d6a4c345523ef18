// Program bulkrunner goes on with bulk updates and deletions in the background, and replays ranges of the trigger log.
package main

import (
	"minicloud/functions/bulkrunner/consumer"
	"minicloud/shared/bulk"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/id"
	"minicloud/shared/lambdabatch"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
	"minicloud/shared/queue"
	"minicloud/shared/table"
	"minicloud/shared/trigger/manage"
	"minicloud/shared/user"
)

func main() {
	p := program.New()
	b, ids := backend.Open(p), new(id.Source)
	schemas := &rowdb.Tables{Client: b.DynamoDB, Name: p.String("TABLES_TABLE")}
	rows := &rowdb.Rows{Client: b.DynamoDB, Table: p.String("ROWS_TABLE"), Indexes: p.String("ROW_INDEXES_TABLE")}
	counts := &countdb.Store{Client: b.DynamoDB, Table: p.String("COUNTS_TABLE"), Clock: clock.System}
	work := &queue.Bulk{Queue: b.Queue(p.String("BULK_QUEUE_URL"))}
	replays := &manage.Replayer{
		Runs:  &triggerdb.Runs{Client: b.DynamoDB, Table: p.String("TRIGGER_LOG_TABLE")},
		Queue: &queue.Actions{Queue: b.Queue(p.String("ACTION_QUEUE_URL"))},
	}
	p.Ready()

	group := &consumer.Group{Log: p.Log, Clock: clock.System, Bulk: &bulk.Service{
		Tables: &table.Service{Schemas: schemas, Rows: rows, Counts: counts, Clock: clock.System, IDs: ids},
		Store:  &userdb.Operations{Client: b.DynamoDB, Rows: rows},
		Queue:  work, Others: replays, Grammar: user.Grammar, Clock: clock.System, IDs: ids,
	}}
	lambdabatch.Start(p.Log, group.Work)
}
