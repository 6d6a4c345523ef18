// Package filedb stores uploads in DynamoDB, and reads the events of files from the stream of rows. Files and categories
// are rows, which package rowdb stores.
package filedb

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/file"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
)

// Store implements file.UploadStore. Uploads lie in the table of the rows' indexes, which has no stream, so that they
// and the rows that take their places are written in one transaction by the same programs:
//
//	pk = uploads, uploads#<shard>      sk = <seconds>#<scope>#<id>    an upload, in a list of what is due
//	pk = <scope>#link#<cdn_path>       sk = link                      the claim of a named cdn_path
type Store struct {
	Client *dynamo.Client
	Table  string // that of the indexes
	Rows   *rowdb.Rows

	shards dynamo.Shards
}

// uploadItem is the stored form of a file.Upload; its key has the scope and the Ref.
type uploadItem struct {
	State    file.State `dynamodbav:"upload_state"`
	File     file.ID    `dynamodbav:"file"`
	Name     string     `dynamodbav:"name"`
	CDNPath  string     `dynamodbav:"cdn_path"`
	Named    bool       `dynamodbav:"named,omitempty"`
	Mime     string     `dynamodbav:"mime,omitempty"`
	Category file.ID    `dynamodbav:"category,omitempty"`
	By       int64      `dynamodbav:"by,omitempty"`
	Quiet    bool       `dynamodbav:"quiet,omitempty"`
	Depth    int        `dynamodbav:"depth,omitempty"`
	Trace    string     `dynamodbav:"trace,omitempty"`
	Size     int64      `dynamodbav:"size,omitempty"`
	Lease    int64      `dynamodbav:"lease_until,omitempty"` // Unix seconds
}

func (s *Store) dueList() dynamo.DueList {
	return dynamo.DueList{Client: s.Client, Table: s.Table, Name: "uploads", Shards: &s.shards}
}

func (s *Store) key(scope tenant.Scope, r file.Ref) (pk, sk string) {
	return s.dueList().Partition(r.Shard), dueSK(scope, r)
}

func dueSK(scope tenant.Scope, r file.Ref) string {
	return fmt.Sprintf("%s#%s#%s", dynamo.DueSeconds(time.Unix(r.Due, 0)), scope, r.ID)
}

func fromUpload(pk, sk string, u file.Upload, lease int64) dynamo.Item {
	return dynamo.Encode(pk, sk, uploadItem{
		State: u.State, File: u.File, Name: u.Name, CDNPath: u.CDNPath, Named: u.Named, Mime: u.Mime, Category: u.Category, By: u.By,
		Quiet: u.Origin.Quiet, Depth: u.Origin.Depth, Trace: u.Origin.Trace.String(), Size: u.Size, Lease: lease,
	})
}

func toUpload(r file.Ref, it dynamo.Item) (file.Upload, error) {
	u, err := dynamo.Decode[uploadItem](it)
	return file.Upload{
		Ref: r, State: u.State, File: u.File, Name: u.Name, CDNPath: u.CDNPath, Named: u.Named, Mime: u.Mime, Category: u.Category,
		By: u.By, Origin: table.Origin{Quiet: u.Quiet, Depth: u.Depth, Trace: trace.Parse(u.Trace)}, Size: u.Size,
	}, err
}

func errNoUpload(r file.Ref) error { return errs.NotFound("upload %s not found", r.ID) }

// place sets the shard of an upload and returns its item.
func (s *Store) place(ctx context.Context, scope tenant.Scope, u *file.Upload, lease int64) (it dynamo.Item, err error) {
	if u.Shard, err = s.dueList().Shard(ctx, dueSK(scope, u.Ref)); err != nil {
		return nil, err
	}
	pk, sk := s.key(scope, u.Ref)
	return fromUpload(pk, sk, *u, lease), nil
}

// InsertUpload makes one write, or with a claim one transaction. A repeated write stores the same item.
func (s *Store) InsertUpload(ctx context.Context, scope tenant.Scope, u *file.Upload, was file.Claim) error {
	it, err := s.place(ctx, scope, u, 0)
	if err != nil {
		return err
	}
	parts := []dynamo.Part{dynamo.Put(s.Table, it, "", nil)}
	if u.Named {
		parts = append(parts, s.claimPart(scope, u.CDNPath, was, was.Next(*u)))
	}
	return dynamo.Do(ctx, s.Client, "insert upload", errClaim(u.CDNPath), parts...)
}

// Upload makes one read.
func (s *Store) Upload(ctx context.Context, scope tenant.Scope, r file.Ref) (file.Upload, error) {
	pk, sk := s.key(scope, r)
	it, err := dynamo.Find(ctx, s.Client, s.Table, pk, sk, errNoUpload(r))
	if err != nil {
		return file.Upload{}, err
	}
	return toUpload(r, it)
}

// UploadByID reads the upload in each shard that it can be in: their number may have been raised since.
func (s *Store) UploadByID(ctx context.Context, scope tenant.Scope, r file.Ref) (file.Upload, error) {
	n, err := s.dueList().ReadShards(ctx)
	if err != nil {
		return file.Upload{}, err
	}
	keys := make([]dynamo.Item, n)
	for r.Shard = range n {
		keys[r.Shard] = dynamo.Key(s.key(scope, r))
	}
	found, err := dynamo.BatchGetItems(ctx, s.Client, s.Table, keys...)
	if err != nil {
		return file.Upload{}, err
	}
	for _, it := range found {
		for r.Shard = range n {
			if pk, _ := s.key(scope, r); pk == dynamo.TextOf(it["pk"]) {
				return toUpload(r, it)
			}
		}
	}
	return file.Upload{}, errNoUpload(r)
}

// TakeUpload makes one write. The lease has a holder, by which a repeated write whose answer was lost finds its own.
func (s *Store) TakeUpload(
	ctx context.Context, scope tenant.Scope, r file.Ref, now, until time.Time, in file.State,
) (file.Upload, error) {
	pk, sk := s.key(scope, r)
	holder := string(dynamo.NewWriteID())
	it, err := dynamo.UpdateItem(ctx, s.Client, dynamo.Update(s.Table, pk, sk, "SET lease_until = :until, holder = :holder",
		"attribute_exists(pk) AND upload_state = :state AND (attribute_not_exists(lease_until) OR lease_until < :now)", dynamo.Item{
			":state": dynamo.Text(string(in)), ":now": dynamo.Instant(now), ":until": dynamo.Instant(until), ":holder": dynamo.Text(holder),
		}))
	if dynamo.ConditionFailed(err) {
		it = dynamo.ItemAt(err, 0)
		switch {
		case dynamo.TextOf(it["holder"]) == holder:
			err = nil
		case len(it) > 0 && dynamo.TextOf(it["upload_state"]) == string(in):
			return file.Upload{}, errs.Conflict("another request has upload %s", r.ID)
		default:
			return file.Upload{}, errNoUpload(r)
		}
	}
	if err != nil {
		return file.Upload{}, dynamo.Wrap("take upload", err)
	}
	return toUpload(r, it)
}

// ReleaseUpload makes one write.
func (s *Store) ReleaseUpload(ctx context.Context, scope tenant.Scope, r file.Ref) error {
	pk, sk := s.key(scope, r)
	return dynamo.Do(ctx, s.Client, "release upload", nil, dynamo.Update(s.Table, pk, sk, "REMOVE lease_until", dynamo.Exists, nil))
}

const isAwaited = "attribute_exists(pk) AND upload_state = :awaited"

func awaited() dynamo.Item { return dynamo.Item{":awaited": dynamo.Text(string(file.Awaited))} }

// FinishUpload runs one transaction.
func (s *Store) FinishUpload(ctx context.Context, scope tenant.Scope, u file.Upload, row table.Change) error {
	pk, sk := s.key(scope, u.Ref)
	gone := dynamo.Delete(s.Table, pk, sk, isAwaited, awaited())
	if u.Parts() {
		values := awaited()
		values[":stored"] = dynamo.Text(string(file.Stored))
		gone = dynamo.Update(s.Table, pk, sk, "SET upload_state = :stored", isAwaited, values)
	}
	return s.writeWith(ctx, scope, row, errNoUpload(u.Ref), gone)
}

// writeWith changes a row of _file in one transaction with other writes. refused is the error if one of them is refused.
func (s *Store) writeWith(
	ctx context.Context, scope tenant.Scope, row table.Change, refused error, first ...dynamo.Part,
) error {
	reasons, err := s.Rows.WriteWith(ctx, scope, file.Table(), first, []table.Change{row})
	switch {
	case dynamo.ConditionFailed(err):
		return refused
	case err != nil:
		return dynamo.Wrap("write file", err)
	}
	return reasons[0]
}

// FailUpload makes one write. A repeated one finds its own effect, which is an upload that failed.
func (s *Store) FailUpload(ctx context.Context, scope tenant.Scope, r file.Ref) error {
	pk, sk := s.key(scope, r)
	values := awaited()
	values[":failed"] = dynamo.Text(string(file.Failed))
	return dynamo.Do(ctx, s.Client, "fail upload", errNoUpload(r), dynamo.Update(s.Table, pk, sk, "SET upload_state = :failed",
		"attribute_exists(pk) AND (upload_state = :awaited OR upload_state = :failed)", values))
}

// DropUpload makes one write.
func (s *Store) DropUpload(ctx context.Context, scope tenant.Scope, r file.Ref) error {
	pk, sk := s.key(scope, r)
	return dynamo.Do(ctx, s.Client, "drop upload", nil, dynamo.Delete(s.Table, pk, sk, "", nil))
}

// RemoveFile runs one transaction, after a write that announces the deletion of the row to its stream.
func (s *Store) RemoveFile(
	ctx context.Context, scope tenant.Scope, row table.Change, u *file.Upload, until time.Time, was, next file.Claim,
) error {
	it, err := s.place(ctx, scope, u, until.Unix())
	if err != nil {
		return err
	}
	first := []dynamo.Part{dynamo.Put(s.Table, it, "", nil)}
	if u.Named {
		first = append(first, s.claimPart(scope, u.CDNPath, was, next))
	}
	return s.writeWith(ctx, scope, row, errClaim(u.CDNPath), first...)
}

// DueUploads makes one Query per shard.
func (s *Store) DueUploads(ctx context.Context, now time.Time, limit int) ([]file.Due, error) {
	return dynamo.ReadDue(ctx, s.dueList(), dynamo.DueSeconds(now), limit, func(key dynamo.DueKey, it dynamo.Item) (file.Due, error) {
		u, err := toUpload(file.Ref{Shard: key.Shard, Due: key.At.Unix(), ID: file.ID(key.Text)}, it)
		return file.Due{Scope: key.Scope, Upload: u}, err
	})
}
