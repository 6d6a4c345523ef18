// Package filedb stores uploads in DynamoDB. Files and categories are rows, which package rowdb stores.
package filedb

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/file"
	"minicloud/shared/tenant"
)

// Store implements file.UploadStore. Uploads lie in the table of the rows' indexes, which has no stream, so that they
// and the rows that take their places are written in one transaction by the same programs:
//
//	pk = uploads, uploads#<shard>    sk = <seconds>#<scope>#<id>    an upload, in a list of what is due
type Store struct {
	Client *dynamodb.Client
	Table  string // that of the indexes
	Rows   *rowdb.Rows

	shards dynamo.Shards
}

var _ file.UploadStore = (*Store)(nil)

// uploadItem is the stored form of a file.Upload; its key has the scope and the Ref.
type uploadItem struct {
	File     file.ID `dynamodbav:"file"`
	Name     string  `dynamodbav:"name"`
	CDNPath  string  `dynamodbav:"cdn_path"`
	Named    bool    `dynamodbav:"named,omitempty"`
	Mime     string  `dynamodbav:"mime,omitempty"`
	Category file.ID `dynamodbav:"category,omitempty"`
	By       int64   `dynamodbav:"by,omitempty"`
}

func (s *Store) dueList() dynamo.DueList {
	return dynamo.DueList{Client: s.Client, Table: s.Table, Name: "uploads", Shards: &s.shards}
}

func dueSK(scope tenant.Scope, r file.Ref) string {
	return fmt.Sprintf("%s#%s#%s", dynamo.DueSeconds(time.Unix(r.Due, 0)), scope, r.ID)
}

// InsertUpload makes one write. A repeated one stores the same item.
func (s *Store) InsertUpload(ctx context.Context, scope tenant.Scope, u *file.Upload) (err error) {
	sk := dueSK(scope, u.Ref)
	if u.Shard, err = s.dueList().Shard(ctx, sk); err != nil {
		return err
	}
	it := dynamo.Encode(s.dueList().Partition(u.Shard), sk, uploadItem{
		File: u.File, Name: u.Name, CDNPath: u.CDNPath, Named: u.Named, Mime: u.Mime, Category: u.Category, By: u.By,
	})
	return dynamo.Do(ctx, s.Client, "insert upload", nil, dynamo.Put(s.Table, it, "", nil))
}
