// Package wire assembles program file.
package wire

import (
	"net/http"

	"minicloud/functions/file/api"
	"minicloud/shared/app"
	"minicloud/shared/dynamo/filedb"
	"minicloud/shared/file/imagecheck"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/censors"
	"minicloud/shared/program/backend/objects"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/program/lambdahttp"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	files := objects.Files(b)
	files.Tables.Counts = b.Counts()
	files.Sniff = http.DetectContentType
	files.Keys = b.Applications()
	files.Clients = &app.Clients{Store: files.Keys, Clock: b.Clock}
	checks := &imagecheck.Service{
		Files: files, Store: &filedb.Checks{Client: b.DynamoDB, Table: b.String("ROW_INDEXES_TABLE")},
		Queue: queues.Open(b).ImageChecks(), Clock: b.Clock,
	}
	face := b.API((&api.Group{Files: files, Censor: censors.Open(b), Checks: checks}).Routes())
	b.ServeEndUsers(face)
	return lambdahttp.Adapt(face.Handler())
}
