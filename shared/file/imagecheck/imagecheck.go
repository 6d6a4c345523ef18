// Package imagecheck has images of files checked by the vendor of the mini-program, in the background (client API, 5).
//
//	ask ── Check pending ── task in a queue ── Run: content, vendor ── Check done ── event image_check
//
// A task is repeated until the vendor answers. Run can be repeated at any step: a Check that is done is not asked for
// again, and its event has the ID of the task.
package imagecheck

import (
	"context"
	"io"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/file"
	"minicloud/shared/message/censor"
	"minicloud/shared/tenant"
)

// MaxBytes is the size of the largest image that is checked: a program has ten of them in memory at once.
const MaxBytes = 10 << 20

// keep is how long a Check is kept.
const keep = 90 * 24 * time.Hour

// Check is the check of one image.
type Check struct {
	File  file.ID
	ETag  string // of the content that is checked
	State State
	Error string // why it Failed
}

// State is the state of a Check.
type State string

// The states.
const (
	Pending State = "pending"
	Safe    State = "safe"
	Risky   State = "risky"
	Failed  State = "failed" // it cannot be checked
)

// Passed reports whether the image was found to be safe.
func (c Check) Passed() bool { return c.State == Safe }

// Store stores checks. Reads are strongly consistent.
type Store interface {
	// Check returns the check of a file, or errs.NotFound.
	Check(ctx context.Context, scope tenant.Scope, id file.ID) (Check, error)
	// PutCheck stores a check in the place of any other of its file, until a time.
	PutCheck(ctx context.Context, scope tenant.Scope, c Check, until time.Time) error
}

// EventType is the type of the events that are tasks. Nothing on the bus has it, because its rule passes other types.
const EventType = "image-check"

// Task is the work in the queue.
type Task struct {
	ID   string    `json:"-"` // the same for each delivery; the event has it
	At   time.Time `json:"-"`
	File file.ID   `json:"file"`
	ETag string    `json:"etag"`
	// Record is the file in the event image_check; nil fires none.
	Record map[string]any `json:"record,omitempty"`
}

// Queue is the queue of tasks. It delivers each at least once, until Run succeeds.
type Queue interface {
	Submit(ctx context.Context, scope tenant.Scope, t Task) error
}

// Images checks images; *censor.Service implements it.
type Images interface {
	// AnyImage reports whether an image is risky. It returns errs.Invalid if it can never be checked.
	AnyImage(ctx context.Context, scope tenant.Scope, i censor.Image) (risky bool, err error)
}

// Service checks images of files.
type Service struct {
	Files  *file.Service
	Store  Store
	Queue  Queue
	Images Images
	Clock  clock.Clock
}

// Ask returns the check of an image, which it starts if there is none. It returns errs.NotFound if there is no such file,
// and errs.Invalid without an id and for a file that is no image.
func (s *Service) Ask(ctx context.Context, scope tenant.Scope, id string) (Check, error) {
	if id == "" {
		return Check{}, errs.Invalid("file_id is required")
	}
	f, err := s.Files.Read(ctx, scope, id)
	if err != nil {
		return Check{}, err
	}
	if f.MediaType != file.Image {
		return Check{}, errs.Invalid("file_id: the file is no image")
	}
	c, err := s.current(ctx, scope, f)
	if err != nil || c.State != Pending {
		return c, err
	}
	if err := s.put(ctx, scope, c); err != nil {
		return Check{}, err
	}
	// A repeated request submits the task again, so a crash between both steps loses nothing.
	return c, s.Queue.Submit(ctx, scope, Task{ID: "ask-" + string(f.ID), At: s.Clock.Now(), File: f.ID, ETag: f.ETag})
}

// Read returns the check of a file, or errs.NotFound if nobody asked for one.
func (s *Service) Read(ctx context.Context, scope tenant.Scope, id string) (Check, error) {
	row, ok := file.Table().RowIDOf(id)
	if !ok {
		return Check{}, errs.NotFound("check not found")
	}
	return s.Store.Check(ctx, scope, row)
}

// Run checks the image of a task and returns the check. It returns errs.NotFound if the file was deleted or replaced
// meanwhile, and a retryable error if the vendor cannot be asked now.
func (s *Service) Run(ctx context.Context, scope tenant.Scope, t Task) (Check, error) {
	f, err := s.Files.Read(ctx, scope, string(t.File))
	if err != nil {
		return Check{}, err
	}
	if f.ETag != t.ETag {
		return Check{}, errs.NotFound("file %q has another content now", t.File)
	}
	c, err := s.current(ctx, scope, f)
	if err != nil || c.State != Pending {
		return c, err
	}

	risky, err := s.look(ctx, scope, f)
	switch {
	case errs.Is(err, errs.KindInvalid):
		c.State, c.Error = Failed, errs.Message(err)
	case err != nil:
		return Check{}, err
	case risky:
		c.State = Risky
	default:
		c.State = Safe
	}
	return c, s.put(ctx, scope, c)
}

// current returns the check of the content that a file has now, Pending if there is none yet.
func (s *Service) current(ctx context.Context, scope tenant.Scope, f file.File) (Check, error) {
	c, err := s.Store.Check(ctx, scope, f.ID)
	if errs.Is(err, errs.KindNotFound) || err == nil && c.ETag != f.ETag {
		return Check{File: f.ID, ETag: f.ETag, State: Pending}, nil
	}
	return c, err
}

func (s *Service) put(ctx context.Context, scope tenant.Scope, c Check) error {
	return s.Store.PutCheck(ctx, scope, c, s.Clock.Now().Add(keep))
}

// look reads the content of an image and has it checked.
func (s *Service) look(ctx context.Context, scope tenant.Scope, f file.File) (risky bool, err error) {
	if f.Size > MaxBytes {
		return false, errs.Invalid("images over %d MB are not checked", MaxBytes>>20)
	}
	body, err := s.Files.Objects.Get(ctx, file.Key(scope, f.CDNPath))
	if err != nil {
		return false, err
	}
	defer body.Close()
	content, err := io.ReadAll(io.LimitReader(body, MaxBytes))
	if err != nil {
		return false, errs.Unavailable(1, "the content cannot be read now")
	}
	return s.Images.AnyImage(ctx, scope, censor.Image{Name: f.Name, MIMEType: f.MimeType, Content: content})
}

// Uploads submits the check of each uploaded image of applications with the setting image_check.
type Uploads struct {
	Applications app.Reader
	Queue        Queue
}

// Uploaded submits the check of an uploaded file. id is that of its event, the same for each delivery; record is the file
// in events.
func (u *Uploads) Uploaded(
	ctx context.Context, scope tenant.Scope, id string, at time.Time, f file.File, record map[string]any,
) error {
	if f.MediaType != file.Image {
		return nil
	}
	a, err := u.Applications.Application(ctx, scope.App)
	if err == nil && !a.Settings.ImageCheck || errs.Is(err, errs.KindNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return u.Queue.Submit(ctx, scope, Task{ID: "image-check-" + id, At: at, File: f.ID, ETag: f.ETag, Record: record})
}
