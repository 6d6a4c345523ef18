// Package wire assembles program table.
package wire

import (
	"minicloud/functions/table/api"
	"minicloud/shared/bulk"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/program/lambdahttp"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	tables, schemas, q := b.Tables(), b.Schemas(), queues.Open(b)
	tables.Schemas, tables.Counts, tables.Worker = schemas, b.Counts(), q.TableWork()
	schemas.Rows = b.String("ROWS_TABLE")
	ahead := &api.Ahead{RowStore: tables.Rows}
	tables.Rows = ahead
	group := &api.Group{
		Tables: tables, Prefetch: schemas.Prefetch, Ahead: ahead.Begin, Applications: b.Applications(),
		Bulk: &bulk.Service{Tables: tables, Store: b.Operations(), Queue: q.Bulk(), Clock: b.Clock, IDs: b.IDs},
	}
	face := b.API(group.Routes())
	b.ServeEndUsers(face)
	return lambdahttp.Adapt(face.Handler())
}
