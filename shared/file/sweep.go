package file

import (
	"context"
	"errors"
	"fmt"

	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

// Failures fires the event of failed uploads.
type Failures interface {
	// UploadFailed fires the event of an upload that failed. A repeated call has no second effect.
	UploadFailed(ctx context.Context, scope tenant.Scope, u Upload) error
}

// sweepPage is how many uploads of each shard one step of a sweep reads.
const sweepPage = 100

// Sweep finishes the uploads that are due (C32): it completes those whose content is there, fires the event of the others,
// and deletes what deleted files and completed parts have left. It returns the number of finished uploads. An upload that
// cannot be finished now stays due; its error is returned after all others were tried.
func (s *Service) Sweep(ctx context.Context) (done int, err error) {
	for {
		due, failed := s.Uploads.DueUploads(ctx, s.Clock.Now(), sweepPage)
		if failed != nil {
			return done, failed
		}
		finished := 0
		for _, d := range due {
			if failed := s.finish(ctx, d.Scope, d.Upload); failed != nil {
				err = errors.Join(err, fmt.Errorf("upload %s of %s: %w", d.ID, d.Scope, failed))
				continue
			}
			finished++
		}
		done += finished
		// The rest of a full page may hide further ones, unless none of it could be finished.
		if len(due) < sweepPage || finished == 0 || err != nil || ctx.Err() != nil {
			return done, err
		}
	}
}

// finish finishes an upload that is due. Each step can be repeated after a crash.
func (s *Service) finish(ctx context.Context, scope tenant.Scope, u Upload) error {
	switch u.State {
	case Stored:
		return s.dropParts(ctx, scope, u)
	case Deleted:
		now := s.Clock.Now()
		u, err := s.Uploads.TakeUpload(ctx, scope, u.Ref, now, now.Add(lease), Deleted)
		if errs.Is(err, errs.KindNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return s.deleteContent(ctx, scope, u)
	case Failed:
		return s.fail(ctx, scope, u)
	}

	o, err := s.Objects.Head(ctx, Key(scope, u.CDNPath))
	switch {
	case err == nil && o.Upload == u.Ref:
		if _, err = s.complete(ctx, scope, u, o); errs.Is(err, errs.KindNotFound) {
			err = nil
		}
		return err
	case err != nil && !errs.Is(err, errs.KindNotFound):
		return err
	}

	// From here on the upload cannot be completed: a content that comes now is deleted by its event.
	if err := s.Uploads.FailUpload(ctx, scope, u.Ref); err != nil {
		if errs.Is(err, errs.KindNotFound) {
			return nil
		}
		return err
	}
	return s.fail(ctx, scope, u)
}

// fail fires the event of a Failed upload, deletes what has come of its content, and forgets it.
func (s *Service) fail(ctx context.Context, scope tenant.Scope, u Upload) error {
	if err := s.Failures.UploadFailed(ctx, scope, u); err != nil {
		return err
	}
	switch {
	case u.Parts():
		if err := s.deleteParts(ctx, scope, u); err != nil {
			return err
		}
	case !u.Named: // a named one may have the content of a file that was to be replaced
		if err := s.Objects.Delete(ctx, Key(scope, u.CDNPath)); err != nil {
			return err
		}
	}
	if u.Named {
		if err := s.unclaim(ctx, scope, u); err != nil {
			return err
		}
	}
	return s.Uploads.DropUpload(ctx, scope, u.Ref)
}
