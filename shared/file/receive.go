package file

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/permission"
	"minicloud/shared/retry"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// headBytes is how many bytes decide about the type of a content.
const headBytes = 512

// Received is a content with its permission, as sent to the receiver (step 2).
type Received struct {
	File                  string // the id in the path
	Policy, Authorization string
	Content               []byte
}

// Receive stores the content of an upload and returns the file. It returns errs.Forbidden for a policy that is invalid,
// expired or used (C31): it permits one success.
func (s *Service) Receive(ctx context.Context, r Received) (File, error) {
	p, err := s.verify(ctx, r.Policy, r.Authorization, r.File)
	if err != nil {
		return File{}, err
	}
	if p.Size > 0 {
		return File{}, errs.Forbidden("the policy is for a file that comes in parts")
	}
	u, err := s.take(ctx, p)
	if err != nil {
		return File{}, err
	}
	return s.store(ctx, p.scope, u, bytes.NewReader(r.Content), int64(len(r.Content)), s.typeOf(u, r.Content))
}

// take leases the upload of a policy, so that of two contents at once only one is stored.
func (s *Service) take(ctx context.Context, p permit) (Upload, error) {
	now := s.Clock.Now()
	u, err := s.Uploads.TakeUpload(ctx, p.scope, p.ref, now, now.Add(lease), Awaited)
	switch {
	case errs.Is(err, errs.KindNotFound):
		err = errs.Forbidden("the policy was used already, start the upload again")
	case errs.Is(err, errs.KindConflict):
		err = errs.Forbidden("another request is using the policy")
	}
	return u, err
}

// typeOf returns the type of a content: by the extension, or by the content if that says nothing.
func (s *Service) typeOf(u Upload, content []byte) string {
	if u.Mime != "" {
		return u.Mime
	}
	mime, _, _ := strings.Cut(s.Sniff(content[:min(len(content), headBytes)]), ";")
	return mime
}

// store stores the content of a taken upload and completes it.
func (s *Service) store(
	ctx context.Context, scope tenant.Scope, u Upload, content io.ReadSeeker, size int64, mime string,
) (File, error) {
	o := Object{Size: size, Meta: u.meta(mime)}
	etag, err := s.Objects.Put(ctx, Key(scope, u.CDNPath), content, size, o.Meta)
	if err != nil {
		// The caller may try again at once. If the release fails too, the lease ends.
		_ = s.Uploads.ReleaseUpload(context.WithoutCancel(ctx), scope, u.Ref)
		return File{}, err
	}
	o.ETag = etag
	f, err := s.complete(ctx, scope, u, o)
	if errs.Is(err, errs.KindNotFound) {
		return s.completed(ctx, scope, u, o)
	}
	return f, err
}

// completed returns the file of an upload that another request has completed. If that was with another content, the policy
// was used twice.
func (s *Service) completed(ctx context.Context, scope tenant.Scope, u Upload, o Object) (File, error) {
	f, err := s.Read(ctx, scope, string(u.File))
	if err == nil && f.ETag == o.ETag {
		return f, nil
	}
	if err == nil || errs.Is(err, errs.KindNotFound) {
		err = errs.Forbidden("the policy was used already, start the upload again")
	}
	return File{}, err
}

// complete writes the row of an upload whose content is stored: the only way in which a file comes into being. The
// receiver, the event of the form and the sweep call it, in any order: only one of them finds the upload awaited, the
// others get errs.NotFound.
func (s *Service) complete(ctx context.Context, scope tenant.Scope, u Upload, o Object) (f File, err error) {
	err = retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		var old *table.Row
		if u.Named {
			// Another upload of the same user may have replaced the content meanwhile. The row must be read before the
			// content: if it changes after that, it is read again.
			if old, err = s.row(ctx, scope, u.File); err != nil {
				return err
			}
			if o, err = s.Objects.Head(ctx, Key(scope, u.CDNPath)); err != nil {
				return err
			}
		}
		row := s.rowOf(u, o, old)
		f = Of(row)
		return s.Uploads.FinishUpload(ctx, scope, u, table.Change{Old: old, New: &row})
	})
	return f, err
}

// row returns the row of a file, nil if there is none.
func (s *Service) row(ctx context.Context, scope tenant.Scope, id ID) (*table.Row, error) {
	row, err := s.Tables.Read(ctx, scope, Table(), id)
	if errs.Is(err, errs.KindNotFound) {
		return nil, nil
	}
	return &row, err
}

// rowOf returns the row of an upload with a content, in the place of old if it has a row.
func (s *Service) rowOf(u Upload, o Object, old *table.Row) table.Row {
	f := File{
		ID: u.File, Name: u.Name, CDNPath: u.CDNPath, Size: o.Size, MimeType: o.Type, MediaType: mediaOf(o.Type), Category: u.Category,
		ETag: o.ETag, Named: u.Named,
	}
	row := table.Row{ID: f.ID, CreatedBy: u.By, Revision: 1}
	if old != nil {
		row = *old
		row.Revision++
	} else {
		defaults := Table().DefaultRowPerm
		row.Perm = table.RowPerm{Read: slices.Clone(defaults.Read), Write: permission.WithCreator(defaults.Write, u.By)}
	}
	f.CreatedBy = row.CreatedBy
	row.Fields, row.UpdatedAt, row.Origin = f.fields(), s.Clock.Now().Unix(), u.Origin
	return row
}

// meta returns what is stored beside the content of the upload.
func (u Upload) meta(mime string) Meta {
	m := Meta{Type: mime, CacheControl: "public, max-age=31536000, immutable", Upload: u.Ref, File: u.File}
	// Content under a random name never changes, that under a file name does when the file is replaced.
	if u.Named {
		m.CacheControl = "public, max-age=0, must-revalidate"
	}
	if !shown(mime) {
		m.Disposition = "attachment"
	}
	return m
}

// Arrived makes the record agree with the content under a key: the store of objects has an event for each content that came
// by a form. Repeated and late events have no second effect. A content without an upload and a file is deleted: its
// upload failed, or the file was deleted, before it came.
func (s *Service) Arrived(ctx context.Context, key string) error {
	scope, cdnPath, ok := ParseKey(key)
	if !ok {
		return errs.Invalid("%q is no key of a file", key)
	}
	o, err := s.Objects.Head(ctx, key)
	if errs.Is(err, errs.KindNotFound) {
		return nil
	}
	if err != nil {
		return err
	}

	u, err := s.Uploads.Upload(ctx, scope, o.Upload)
	if err == nil && u.State == Awaited {
		_, err = s.complete(ctx, scope, u, o)
	}
	if err != nil && !errs.Is(err, errs.KindNotFound) {
		return err
	}
	return s.agree(ctx, scope, cdnPath, o)
}

// agree changes the row of the file with this link if its content is another one, and deletes the content if there is no
// such file and no upload of it.
func (s *Service) agree(ctx context.Context, scope tenant.Scope, cdnPath string, o Object) error {
	id := o.File
	if !randomName.MatchString(cdnPath) {
		claim, err := s.Uploads.Claim(ctx, scope, cdnPath)
		if err != nil {
			return err
		}
		id = claim.File
	}
	return retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		old, err := s.row(ctx, scope, id)
		if err != nil {
			return err
		}
		if old == nil {
			return s.Objects.Delete(ctx, Key(scope, cdnPath))
		}
		if o, err = s.Objects.Head(ctx, Key(scope, cdnPath)); err != nil {
			return err
		}
		f := Of(*old)
		if f.ETag == o.ETag {
			return nil
		}
		f.Size, f.MimeType, f.MediaType, f.ETag = o.Size, o.Type, mediaOf(o.Type), o.ETag
		next := *old
		next.Fields, next.UpdatedAt = f.fields(), s.Clock.Now().Unix()
		next.Revision++
		return s.Tables.Rows.Write(ctx, scope, Table(), []table.Change{{Old: old, New: &next}})[0]
	})
}

// until is when a lease that begins now ends.
func (s *Service) until() time.Time { return s.Clock.Now().Add(lease) }
