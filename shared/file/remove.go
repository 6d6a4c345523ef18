package file

import (
	"context"

	"minicloud/shared/retry"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// Remove deletes a file: first its row, which fires the event, together with a note of what is to do, then its content. The
// sweep does what a crash leaves. permit decides on the row as it is deleted; nil permits. It returns errs.NotFound if
// there is no such file.
func (s *Service) Remove(
	ctx context.Context, scope tenant.Scope, id string, origin table.Origin, permit func(File) error,
) error {
	key, ok := Table().RowIDOf(id)
	if !ok {
		return errNoFile(id)
	}
	var u Upload
	err := retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		row, err := s.row(ctx, scope, key)
		if err == nil && row == nil {
			err = errNoFile(id)
		}
		if err != nil {
			return err
		}
		f := Of(*row)
		if permit != nil {
			if err := permit(f); err != nil {
				return err
			}
		}
		u = Upload{
			Ref: newRef(s.IDs, s.Clock.Now(), s.until()), State: Deleted, File: f.ID, Name: f.Name, CDNPath: f.CDNPath, Named: f.Named, By: f.CreatedBy,
		}
		var was, next Claim
		if f.Named {
			if was, err = s.Uploads.Claim(ctx, scope, f.CDNPath); err != nil {
				return err
			}
			next = was
			next.State, next.Revision = Deleting, was.Revision+1
		}
		return s.Uploads.RemoveFile(ctx, scope, table.Change{Old: row, Origin: origin}, &u, s.until(), was, next)
	})
	if err != nil {
		return err
	}
	// The file is deleted: what fails now is done by the sweep.
	_ = s.deleteContent(ctx, scope, u)
	return nil
}

// deleteContent deletes the content of a Deleted upload, which is leased, and forgets it.
func (s *Service) deleteContent(ctx context.Context, scope tenant.Scope, u Upload) error {
	if err := s.Objects.Delete(ctx, Key(scope, u.CDNPath)); err != nil {
		return err
	}
	if u.Named {
		was, err := s.Uploads.Claim(ctx, scope, u.CDNPath)
		if err != nil {
			return err
		}
		if was.State == Deleting && was.File == u.File {
			if err := s.Uploads.ReplaceClaim(ctx, scope, u.CDNPath, was, was.freed()); err != nil {
				return err
			}
		}
	}
	return s.Uploads.DropUpload(ctx, scope, u.Ref)
}
