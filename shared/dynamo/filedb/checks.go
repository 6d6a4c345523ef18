package filedb

import (
	"context"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/file"
	"minicloud/shared/file/imagecheck"
	"minicloud/shared/tenant"
)

// Checks implements imagecheck.Store in the table of the rows' indexes, beside uploads:
//
//	pk = <scope>#check    sk = <file id>    the check of an image
type Checks struct {
	Client *dynamo.Client
	Table  string
}

// checkItem is the stored form of an imagecheck.Check.
type checkItem struct {
	ETag    string           `dynamodbav:"etag"`
	State   imagecheck.State `dynamodbav:"state"`
	Error   string           `dynamodbav:"error,omitempty"`
	Expires int64            `dynamodbav:"expires_at"` // Unix seconds
}

func checkPK(scope tenant.Scope) string { return scope.String() + "#check" }

// Check makes one read.
func (s *Checks) Check(ctx context.Context, scope tenant.Scope, id file.ID) (imagecheck.Check, error) {
	it, err := dynamo.GetItem(ctx, s.Client, s.Table, checkPK(scope), string(id))
	if err != nil {
		return imagecheck.Check{}, err
	}
	if len(it) == 0 {
		return imagecheck.Check{}, errs.NotFound("nobody asked to check file %q", id)
	}
	kept, err := dynamo.Decode[checkItem](it)
	return imagecheck.Check{File: id, ETag: kept.ETag, State: kept.State, Error: kept.Error}, err
}

// PutCheck makes one write.
func (s *Checks) PutCheck(ctx context.Context, scope tenant.Scope, c imagecheck.Check, until time.Time) error {
	it := dynamo.Encode(checkPK(scope), string(c.File), checkItem{
		ETag: c.ETag, State: c.State, Error: c.Error, Expires: until.Unix(),
	})
	return dynamo.Do(ctx, s.Client, "put check", nil, dynamo.Put(s.Table, it, "", nil))
}
