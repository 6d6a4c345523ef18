package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

// PartsValid is how long the parts of a file are kept.
const PartsValid = 24 * time.Hour

// leastPart is the size in bytes by which the number of parts is limited: clients send parts of 1 MB, whatever that is to
// them.
const leastPart = 1_000_000

// maxParts returns the maximum number of parts of the upload.
func (u Upload) maxParts() int { return int((u.Size + leastPart - 1) / leastPart) }

// partsDue returns when the parts are dropped, in Unix seconds. It follows from the id, which is all that a request names.
func (u Upload) partsDue() int64 { return u.createdAt() + int64((PartsValid+grace)/time.Second) }

// MultiID returns the id of an upload in parts, by which its parts belong together.
func (u Upload) MultiID() string { return string(u.ID) }

// partKey returns the key of a part. No key of a file begins so, and the id of the upload is not known to others.
func partKey(scope tenant.Scope, u ID, part int) string {
	return "parts/" + scope.String() + "/" + string(u) + "/" + strconv.Itoa(part)
}

// Part is a part of a content, as sent to the receiver.
type Part struct {
	File          string // the id in the path
	Authorization string // of the upload's start or its renewal: policy and signature, joined by a dot
	MultiID       string
	Number        int // from 0
	Content       []byte
}

// ReceivePart stores a part. It returns errs.Unauthenticated for an authorization that is invalid or expired, and
// errs.Invalid for a part that cannot belong to the file. A part that is sent again is replaced.
func (s *Service) ReceivePart(ctx context.Context, r Part) error {
	text, signature, _ := cutLast(r.Authorization, ".")
	p, err := s.verify(ctx, text, signature, r.File)
	if errs.Is(err, errs.KindForbidden) {
		err = errs.Unauthenticated("%s", errs.Message(err))
	}
	if err != nil {
		return err
	}
	u := Upload{Ref: p.ref, Size: p.Size}
	switch {
	case !u.Parts() || r.MultiID != u.MultiID():
		return errs.Unauthenticated("the authorization is not of the upload %q", r.MultiID)
	case r.Number < 0 || r.Number >= u.maxParts():
		return errs.Invalid("part %d: a file of %d bytes has at most %d parts, counted from 0", r.Number, u.Size, u.maxParts())
	case len(r.Content) == 0 || int64(len(r.Content)) > u.Size:
		return errs.Invalid("part %d has %d bytes, the file %d", r.Number, len(r.Content), u.Size)
	}
	m := Meta{Type: unknownType, CacheControl: "no-store", Disposition: "attachment", Upload: p.ref, File: p.File}
	_, err = s.Objects.Put(ctx, partKey(p.scope, p.ref.ID, r.Number), bytes.NewReader(r.Content), int64(len(r.Content)), m)
	return err
}

// parts returns the upload in parts of a user. It returns errs.NotFound for any other.
func (s *Service) parts(ctx context.Context, scope tenant.Scope, id string, by int64) (Upload, error) {
	row, ok := Table().RowIDOf(id)
	if !ok {
		return Upload{}, errNoFile(id)
	}
	u := Upload{Ref: Ref{ID: row}}
	u, err := s.Uploads.UploadByID(ctx, scope, Ref{ID: row, Due: u.partsDue()})
	if errs.Is(err, errs.KindNotFound) || err == nil && (!u.Parts() || u.By != by) {
		return Upload{}, errNoFile(id)
	}
	return u, err
}

// Renew returns a new authorization for the parts of an upload; a is the application of the caller.
func (s *Service) Renew(ctx context.Context, scope tenant.Scope, id string, r Request) (Started, error) {
	u, err := s.parts(ctx, scope, id, r.By)
	if err == nil && (u.State != Awaited || s.Clock.Now().Unix() >= u.createdAt()+int64(PartsValid/time.Second)) {
		err = errNoFile(id)
	}
	if err != nil {
		return Started{}, err
	}
	return s.started(scope, u, r.Application, s.Clock.Now()), nil
}

// Join puts the parts of an upload together. A repeated call has no second effect. It returns errs.Invalid if a part is
// missing or the parts have not the declared size together.
func (s *Service) Join(ctx context.Context, scope tenant.Scope, id, multiID string, by int64) error {
	err := s.joinParts(ctx, scope, id, multiID, by)
	if errs.Is(err, errs.KindNotFound) {
		// Another call may have completed the upload, before this one or meanwhile, and deleted its parts.
		if f, read := s.Read(ctx, scope, id); read == nil && f.CreatedBy == by {
			return nil
		}
		return errNoFile(id)
	}
	return err
}

func (s *Service) joinParts(ctx context.Context, scope tenant.Scope, id, multiID string, by int64) error {
	u, err := s.parts(ctx, scope, id, by)
	switch {
	case err != nil:
		return err
	case multiID != u.MultiID():
		return errs.Invalid("multi_uuid is not that of the upload")
	case u.State == Failed:
		return errNoFile(id)
	case u.State == Awaited:
		if err := s.join(ctx, scope, u); err != nil {
			return err
		}
	}
	// The file is there: the sweep deletes what is not deleted now.
	_ = s.dropParts(ctx, scope, u)
	return nil
}

func (s *Service) join(ctx context.Context, scope tenant.Scope, u Upload) error {
	now := s.Clock.Now()
	u, err := s.Uploads.TakeUpload(ctx, scope, u.Ref, now, now.Add(lease), Awaited)
	if err != nil {
		return err
	}
	joined := &joined{ctx: ctx, s: s, scope: scope, u: u}
	defer joined.Close()
	head, err := joined.head()
	if err == nil {
		_, err = s.store(ctx, scope, u, joined, u.Size, s.typeOf(u, head))
	}
	if joined.wrong != nil {
		err = joined.wrong
	}
	if err != nil {
		_ = s.Uploads.ReleaseUpload(context.WithoutCancel(ctx), scope, u.Ref)
	}
	return err
}

// dropParts deletes the parts of a Stored upload and forgets it.
func (s *Service) dropParts(ctx context.Context, scope tenant.Scope, u Upload) error {
	if err := s.deleteParts(ctx, scope, u); err != nil {
		return err
	}
	return s.Uploads.DropUpload(ctx, scope, u.Ref)
}

func (s *Service) deleteParts(ctx context.Context, scope tenant.Scope, u Upload) error {
	keys := make([]string, u.maxParts())
	for i := range keys {
		keys[i] = partKey(scope, u.ID, i)
	}
	return s.Objects.Delete(ctx, keys...)
}

// joined reads the parts of an upload one after the other, so that a file of any size takes little memory.
type joined struct {
	ctx   context.Context
	s     *Service
	scope tenant.Scope
	u     Upload

	part io.ReadCloser // nil = none is open
	next int           // number of the part after it
	read int64         // bytes
	// wrong is why the parts are no file; the store of objects may hide it.
	wrong error
}

// head returns the first bytes of the content.
func (j *joined) head() ([]byte, error) {
	head := make([]byte, headBytes)
	n, err := io.ReadFull(j, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	_, err = j.Seek(0, io.SeekStart)
	return head[:n], err
}

// Read implements io.Reader. It ends after the declared size.
func (j *joined) Read(b []byte) (int, error) {
	for {
		if j.part == nil {
			if j.read == j.u.Size {
				return 0, io.EOF
			}
			if err := j.open(); err != nil {
				return 0, err
			}
		}
		n, err := j.part.Read(b)
		j.read += int64(n)
		if err == nil && j.read == j.u.Size {
			// Look for another byte before the last ones are handed over: the store is complete with them, and a file that is
			// too long must not be.
			_, err = io.ReadFull(j.part, make([]byte, 1))
		}
		if j.read > j.u.Size || err == nil && j.read == j.u.Size {
			j.wrong = errs.Invalid("the parts have more than the %d bytes of file_size together", j.u.Size)
			return 0, j.wrong
		}
		if err == io.EOF {
			j.part.Close()
			j.part, err = nil, nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

func (j *joined) open() error {
	part, err := j.s.Objects.Get(j.ctx, partKey(j.scope, j.u.ID, j.next))
	if errs.Is(err, errs.KindNotFound) {
		j.wrong = errs.Invalid("part %d is missing: the parts before it have %d of %d bytes", j.next, j.read, j.u.Size)
		return j.wrong
	}
	if err != nil {
		return err
	}
	j.part = part
	j.next++
	return nil
}

// Seek implements io.Seeker for what a sender needs: the size, and the start.
func (j *joined) Seek(offset int64, whence int) (int64, error) {
	switch {
	case whence == io.SeekCurrent && offset == 0:
		return j.read, nil
	case whence == io.SeekEnd && offset == 0:
		return j.u.Size, nil
	case whence == io.SeekStart && offset == j.read:
		return offset, nil
	case whence == io.SeekStart && offset == 0:
		j.Close()
		j.next, j.read = 0, 0
		return 0, nil
	}
	return 0, fmt.Errorf("file: the parts are read from the start only")
}

// Close closes the part that is open.
func (j *joined) Close() error {
	if j.part != nil {
		j.part.Close()
		j.part = nil
	}
	return nil
}
