// Package wire assembles program file.
package wire

import (
	"minicloud/functions/file/api"
	"minicloud/shared/app"
	"minicloud/shared/dynamo/filedb"
	"minicloud/shared/file"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/lambdahttp"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	tables, rows := b.Tables(), b.Rows()
	files := &file.Service{
		Tables: tables, Uploads: &filedb.Store{Client: b.DynamoDB, Table: b.String("ROW_INDEXES_TABLE"), Rows: rows},
		Site: file.Site(b.String("FILES_URL")), Receiver: b.String("BASE_URL"),
		Clients: &app.Clients{Store: b.Applications(), Clock: b.Clock}, Keys: b.Applications(), Clock: b.Clock, IDs: b.IDs,
	}
	face := b.API((&api.Group{Files: files}).Routes())
	b.ServeEndUsers(face)
	return lambdahttp.Adapt(face.Handler())
}
