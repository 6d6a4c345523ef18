// Program user serves the user endpoints 14–19, user groups and the state of
// bulk operations.
package main

import (
	"minicloud/functions/user/api"
	"minicloud/shared/bulk"
	"minicloud/shared/clock"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/id"
	"minicloud/shared/lambdahttp"
	"minicloud/shared/password"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
	"minicloud/shared/queue"
	"minicloud/shared/table"
	"minicloud/shared/user"
	"minicloud/shared/user/phone"
)

// parallelHashes bounds what passwords take of this program's 512 MB.
const parallelHashes = 4

func main() {
	p := program.New()
	b, ids := backend.Open(p), new(id.Source)
	schemas := &rowdb.Tables{Client: b.DynamoDB, Name: p.String("TABLES_TABLE")}
	rows := &rowdb.Rows{Client: b.DynamoDB, Table: p.String("ROWS_TABLE"), Indexes: p.String("ROW_INDEXES_TABLE")}
	counts := &countdb.Store{Client: b.DynamoDB, Table: p.String("COUNTS_TABLE"), Clock: clock.System}
	users := p.String("USERS_TABLE")
	work := &queue.Bulk{Queue: b.Queue(p.String("BULK_QUEUE_URL"))}
	face := b.API(p, backend.Tables{
		Applications: p.String("APPLICATIONS_TABLE"), Keys: p.String("IDEMPOTENCY_TABLE"), Console: p.String("CONSOLE_TABLE"),
		Audit: p.String("AUDIT_TABLE"),
	}, p.Default("ALLOWED_ORIGINS", "*"))
	p.Ready()

	tables := &table.Service{
		Schemas: schemas, Rows: rows, Counts: &count.Cache{Reader: counts, Clock: clock.System}, Clock: clock.System,
		IDs: ids,
	}
	group := &api.Group{Users: &user.Service{
		Tables:   tables,
		Accounts: &userdb.Accounts{Client: b.DynamoDB, Table: users},
		Groups:   &userdb.Groups{Client: b.DynamoDB, Table: users, Rows: rows},
		Bulk: &bulk.Service{
			Tables: tables, Store: &userdb.Operations{Client: b.DynamoDB, Rows: rows}, Queue: work,
			Clock: clock.System, IDs: ids,
		},
		Passwords: password.New(parallelHashes), Phones: phone.Key, Clock: clock.System, IDs: ids,
	}}
	face.Routes = group.Routes()
	lambdahttp.Start(face.Handler())
}
