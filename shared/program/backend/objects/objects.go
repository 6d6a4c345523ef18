// Package objects opens the bucket of files of a program.
package objects

import (
	"minicloud/shared/aws/objects"
	"minicloud/shared/dynamo/filedb"
	"minicloud/shared/file"
	"minicloud/shared/program/backend"
)

// Open returns the bucket whose name is in FILES_BUCKET.
func Open(b *backend.Backend) *objects.Bucket { return objects.New(b.Config, b.String("FILES_BUCKET")) }

// Files returns the service of files, without what only some programs do: receive contents, and fire the events of failed
// uploads.
func Files(b *backend.Backend) *file.Service {
	rows := b.Rows()
	return &file.Service{
		Tables: b.Tables(), Uploads: &filedb.Store{Client: b.DynamoDB, Table: b.String("ROW_INDEXES_TABLE"), Rows: rows},
		Objects: Open(b), Site: file.Site(b.String("FILES_URL")), Clock: b.Clock, IDs: b.IDs,
	}
}
