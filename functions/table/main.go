// Program table serves tables and their rows (D29).
package main

import (
	"minicloud/functions/table/api"
	"minicloud/shared/bulk"
	"minicloud/shared/clock"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/id"
	"minicloud/shared/lambdahttp"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
	"minicloud/shared/queue"
	"minicloud/shared/table"
)

func main() {
	p := program.New()
	b, ids := backend.Open(p), new(id.Source)
	schemas := &rowdb.Tables{Client: b.DynamoDB, Name: p.String("TABLES_TABLE")}
	rows := &rowdb.Rows{Client: b.DynamoDB, Table: p.String("ROWS_TABLE"), Indexes: p.String("ROW_INDEXES_TABLE")}
	counts := &countdb.Store{Client: b.DynamoDB, Table: p.String("COUNTS_TABLE"), Clock: clock.System}
	tableWork := &queue.TableWork{Queue: b.Queue(p.String("TABLE_WORK_QUEUE_URL"))}
	bulkWork := &queue.Bulk{Queue: b.Queue(p.String("BULK_QUEUE_URL"))}
	applications := p.String("APPLICATIONS_TABLE")
	face := b.API(p, backend.Tables{
		Applications: applications, Keys: p.String("IDEMPOTENCY_TABLE"), Console: p.String("CONSOLE_TABLE"),
		Audit: p.String("AUDIT_TABLE"),
	}, p.Default("ALLOWED_ORIGINS", "*"))
	p.Ready()

	tables := &table.Service{
		Schemas: schemas, Rows: rows, Counts: &count.Cache{Reader: counts, Clock: clock.System}, Worker: tableWork,
		Clock: clock.System, IDs: ids,
	}
	group := &api.Group{Tables: tables, Bulk: &bulk.Service{
		Tables: tables, Store: &userdb.Operations{Client: b.DynamoDB, Rows: rows}, Queue: bulkWork,
		Clock: clock.System, IDs: ids,
	}, Applications: &appdb.Applications{Client: b.DynamoDB, Table: applications}}
	face.Routes = group.Routes()
	lambdahttp.Start(face.Handler())
}
