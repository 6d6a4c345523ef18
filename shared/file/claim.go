package file

import (
	"context"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
)

// Claim is the claim of a named CDNPath: nobody but its user may upload a file with this link. The claim is made when the
// first upload begins, because the content goes to its key before the row is written.
type Claim struct {
	By    int64 // id of the user, 0 = administrators and functions
	File  ID    // the file that has the link, or will have it
	State ClaimState
	// Until is when the last form for the key is over, in Unix seconds. A deleted file's link is free for others only then,
	// because the form could still replace their content.
	Until    int64
	Revision int64 // number of changes; 0 = there is no claim
}

// ClaimState is the state of a claim.
type ClaimState string

// The states.
const (
	Taken    ClaimState = ""         // a file has the link, or an upload may give it one
	Deleting ClaimState = "deleting" // the file is deleted, its content not yet
	Free     ClaimState = "free"     // the content is deleted too
)

// claim claims the name of an upload and stores both. A file with this link that the same user uploaded is replaced: the
// upload gets its id.
func (s *Service) claim(ctx context.Context, scope tenant.Scope, u *Upload) error {
	u.CDNPath, u.Named = u.Name, true
	return retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		was, err := s.Uploads.Claim(ctx, scope, u.CDNPath)
		if err != nil {
			return err
		}
		now := s.Clock.Now().Unix()
		switch {
		case was.Revision == 0, was.State == Free && (was.By == u.By || was.Until < now):
			u.File = u.ID
		case was.By != u.By:
			return errs.Invalid("filename: another user has a file with this link")
		case was.State == Deleting:
			return errs.Stale("the file with this link is being deleted, try again in two minutes")
		// Requests name an upload in parts by the id of its file, which leads to its item.
		case u.Parts() && was.File != u.ID:
			return errs.Invalid("filename: a file with this link exists; upload it as a whole, or delete it first")
		default:
			u.File = was.File
		}
		return s.Uploads.InsertUpload(ctx, scope, u, was)
	})
}

// Next returns the claim of an upload in the place of c.
func (c Claim) Next(u Upload) Claim {
	return Claim{By: u.By, File: u.File, Until: max(c.Until, u.Due), Revision: c.Revision + 1}
}

// unclaim frees the link of an upload that failed, if no file has it and no other upload can give it one.
func (s *Service) unclaim(ctx context.Context, scope tenant.Scope, u Upload) error {
	was, err := s.Uploads.Claim(ctx, scope, u.CDNPath)
	if err != nil || was.Revision == 0 || was.File != u.File || was.State != Taken || was.Until > u.Due {
		return err
	}
	_, err = s.Read(ctx, scope, string(u.File))
	if !errs.Is(err, errs.KindNotFound) {
		return err
	}
	err = s.Uploads.ReplaceClaim(ctx, scope, u.CDNPath, was, Claim{})
	if errs.Is(err, errs.KindConflict) {
		return nil // another upload has begun
	}
	return err
}

// freed is the claim of a file whose content is deleted.
func (c Claim) freed() Claim {
	c.State = Free
	c.Revision++
	return c
}

// Expires is when the claim of a deleted file means nothing any more; the zero time for any other.
func (c Claim) Expires() time.Time {
	if c.State != Free {
		return time.Time{}
	}
	return time.Unix(c.Until, 0)
}
