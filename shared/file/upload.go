package file

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
)

// Limits of uploads.
const (
	MaxReceived = 4 << 20   // bytes that the receiver takes: Lambda takes 6 MB, and the gateway encodes bodies as base64
	MaxForm     = 100 << 20 // bytes that the form to the store of objects takes, and a file in parts
	// Valid is how long a policy is valid (C31), and the form with it.
	Valid = 30 * time.Minute
	// grace is the time after which an upload is over: a form that was sent at the last moment may still be under way.
	grace = 10 * time.Minute
	// lease is how long a taken upload is not taken again. No program runs for so long.
	lease = time.Minute
)

// Service manages files. Programs set the fields of what they do.
type Service struct {
	Tables  *manage.Service
	Uploads UploadStore
	Objects Objects
	Site    Site
	// Sniff returns the type of content by its first 512 bytes.
	Sniff func(head []byte) string
	// Clients finds the applications that signed policies; it may be some seconds old. Keys is never.
	Clients ClientFinder
	Keys    app.HandleReader
	// Failures fires the event of an upload that failed (C32); only Sweep uses it.
	Failures Failures
	Clock    clock.Clock
	IDs      *id.Source
}

// ClientFinder finds applications by client id; *app.Clients implements it.
type ClientFinder interface {
	// ByClient returns the application of a client. It returns errs.NotFound if there is none.
	ByClient(ctx context.Context, client app.ClientID) (app.Application, error)
}

// Ref leads to an Upload: its key in the list of what is due.
type Ref struct {
	Shard int
	Due   int64 // Unix seconds
	ID    ID    // of the upload
}

// String returns the form that ParseRef reads.
func (r Ref) String() string { return fmt.Sprintf("%d.%d.%s", r.Shard, r.Due, r.ID) }

// ParseRef parses the form of String; ok is false for any other text.
func ParseRef(text string) (r Ref, ok bool) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return r, false
	}
	shard, bad := strconv.Atoi(parts[0])
	due, worse := strconv.ParseInt(parts[1], 10, 64)
	upload, known := Table().RowIDOf(parts[2])
	return Ref{Shard: shard, Due: due, ID: upload}, bad == nil && worse == nil && known && shard >= 0 && due > 0
}

// State is what remains to be done with an Upload.
type State string

// The states. An upload begins as Awaited and ends when its item is gone.
const (
	Awaited State = ""        // the content may come
	Failed  State = "failed"  // no content came: its event must fire
	Stored  State = "stored"  // the file is there: parts must be deleted
	Deleted State = "deleted" // the file was deleted: its content must be
)

// Upload is a file that is awaited, or what is left of it.
type Upload struct {
	Ref
	State    State
	File     ID // the id that the file gets; of a replaced file, its id
	Name     string
	CDNPath  string
	Named    bool
	Mime     string // by the extension, "" = by the content
	Category ID
	By       int64 // id of the user, 0 = an administrator or a function
	Origin   table.Origin
	// Size is the declared size of a file that comes in parts, in bytes; 0 = it comes as a whole.
	Size int64
}

// Parts reports whether the content comes in parts.
func (u Upload) Parts() bool { return u.Size > 0 }

// createdAt is when the upload began, in Unix seconds.
func (u Upload) createdAt() int64 { return u.ID.CreatedAt() }

// Awaited returns what is known of the file before its content comes.
func (u Upload) Awaited() File {
	return File{
		ID: u.File, Name: u.Name, CDNPath: u.CDNPath, Category: u.Category, Named: u.Named, CreatedBy: u.By, CreatedAt: u.createdAt(),
		UpdatedAt: u.createdAt(),
	}
}

// UploadStore stores uploads. Reads are strongly consistent.
type UploadStore interface {
	// InsertUpload adds an upload and sets its Shard. A named upload claims its CDNPath in the same transaction, by
	// replacing the claim was, which is zero if there is none. It returns errs.Conflict if that has changed.
	InsertUpload(ctx context.Context, scope tenant.Scope, u *Upload, was Claim) error
	// Upload returns an upload, or errs.NotFound.
	Upload(ctx context.Context, scope tenant.Scope, r Ref) (Upload, error)
	// UploadByID returns an upload whose Shard is not known, or errs.NotFound.
	UploadByID(ctx context.Context, scope tenant.Scope, r Ref) (Upload, error)
	// TakeUpload leases an upload in a state until a time. It returns errs.NotFound if there is none, and errs.Conflict if
	// it is leased.
	TakeUpload(ctx context.Context, scope tenant.Scope, r Ref, now, until time.Time, in State) (Upload, error)
	// ReleaseUpload ends the lease.
	ReleaseUpload(ctx context.Context, scope tenant.Scope, r Ref) error
	// FinishUpload writes a row in the place of an Awaited upload, in one transaction; parts leave it as Stored. It returns
	// errs.NotFound if the upload is not Awaited any more, and errs.Conflict if the row has changed.
	FinishUpload(ctx context.Context, scope tenant.Scope, u Upload, row table.Change) error
	// FailUpload makes an Awaited upload Failed. It returns errs.NotFound if it is not Awaited any more.
	FailUpload(ctx context.Context, scope tenant.Scope, r Ref) error
	// DropUpload deletes an upload. A missing one is no error.
	DropUpload(ctx context.Context, scope tenant.Scope, r Ref) error
	// RemoveFile deletes the row of a file in one transaction with the insertion of the Deleted upload u, which is leased
	// until a time, and with the change of its claim, if it has one. It returns errs.Conflict if one of them has changed.
	RemoveFile(ctx context.Context, scope tenant.Scope, row table.Change, u *Upload, until time.Time, was, next Claim) error
	// Claim returns the claim of a named CDNPath, zero if there is none.
	Claim(ctx context.Context, scope tenant.Scope, cdnPath string) (Claim, error)
	// ReplaceClaim replaces a claim; next zero deletes it. It returns errs.Conflict if it has changed.
	ReplaceClaim(ctx context.Context, scope tenant.Scope, cdnPath string, was, next Claim) error
	// DueUploads returns uploads that are due, of all environments: fewer than limit are all there are.
	DueUploads(ctx context.Context, now time.Time, limit int) ([]Due, error)
}

// Due is an upload that is due.
type Due struct {
	Scope tenant.Scope
	Upload
}

// Request is the start of an upload; its texts are as sent by the caller.
type Request struct {
	Name         string
	CategoryID   string // wins over CategoryName
	CategoryName string
	Named        bool  // random_file_link false
	Size         int64 // declared, of a file in parts; 0 = it comes as a whole
	By           int64
	Origin       table.Origin
	Application  app.Application
}

// Started is a started upload: how to send the content, and what the file will be.
type Started struct {
	Upload
	Policy, Authorization string
	Form                  Form  // the other way, for a content that comes as a whole
	CreatedAt             int64 // Unix seconds
	SignedAt              time.Time
}

// Begin starts an upload (step 1). It returns errs.Invalid for a name that cannot be stored, a forbidden extension or a
// name that another user has, and errs.NotFound for an unknown category id.
func (s *Service) Begin(ctx context.Context, scope tenant.Scope, r Request) (Started, error) {
	name, err := cleanName("filename", r.Name)
	if err != nil {
		return Started{}, err
	}
	if r.Named {
		if err := checkLinkName("filename", r.Name, name); err != nil {
			return Started{}, err
		}
	}
	category, err := s.categoryOf(ctx, scope, r.CategoryID, r.CategoryName)
	if err != nil {
		return Started{}, err
	}

	ids, now := writetoken.IDs(ctx, s.IDs, s.Clock.Now())
	u := Upload{
		Ref: newRef(ids, now, now.Add(Valid+grace)), Name: name, Mime: typeOf(name), Category: category, By: r.By, Origin: r.Origin,
		Size: r.Size,
	}
	if u.Parts() {
		u.Due = u.partsDue()
	}
	if u, err = s.insert(ctx, scope, u, ids, r.Named); err != nil {
		return Started{}, err
	}

	made := s.started(scope, u, r.Application, now)
	if u.Parts() {
		return made, nil
	}
	if made.Form, err = s.form(ctx, scope, u); err != nil {
		return Started{}, err
	}
	// The time of its signature is that of the call.
	made.Form, err = writetoken.Noted(ctx, "form", made.Form)
	return made, err
}

// started returns how to send the content of an upload, with a policy of an application.
func (s *Service) started(scope tenant.Scope, u Upload, a app.Application, now time.Time) Started {
	made := Started{Upload: u, CreatedAt: u.createdAt(), SignedAt: now}
	made.Policy, made.Authorization = newPolicy(a, scope, u, now).sign(a)
	return made
}

// newRef returns a new Ref without its shard.
func newRef(ids *id.Source, now, due time.Time) Ref {
	row := Table().NewRow(table.Draft{}, ids, ids.New(now), table.Author{})
	return Ref{Due: due.Unix(), ID: row.ID}
}

// insert chooses the link of the upload and stores it. A try of the same request may have stored it before.
func (s *Service) insert(ctx context.Context, scope tenant.Scope, u Upload, ids *id.Source, named bool) (Upload, error) {
	if !named {
		u.File, u.CDNPath = u.ID, randomPath(ids, u.Name)
		if u.Name == "" {
			u.Name = u.CDNPath
		}
	}
	if r := writetoken.FromContext(ctx); r != nil && r.Again {
		before, found, err := s.before(ctx, scope, u)
		if err != nil || found {
			return before, err
		}
	}
	if named {
		return u, s.claim(ctx, scope, &u)
	}
	return u, s.Uploads.InsertUpload(ctx, scope, &u, Claim{})
}

// before returns the upload that an earlier try has stored. If the content has come since, the file is there instead.
func (s *Service) before(ctx context.Context, scope tenant.Scope, u Upload) (before Upload, found bool, err error) {
	before, err = s.Uploads.UploadByID(ctx, scope, u.Ref)
	if !errs.Is(err, errs.KindNotFound) {
		return before, err == nil, err
	}
	f, err := s.Read(ctx, scope, string(u.ID))
	if errs.Is(err, errs.KindNotFound) {
		return u, false, nil
	}
	u.File, u.Named, u.CDNPath = f.ID, f.Named, f.CDNPath
	return u, err == nil, err
}

// form returns the form with which the content goes to the store of objects. It needs the exact type of the content, so
// content without a known extension is of the unknown type.
func (s *Service) form(ctx context.Context, scope tenant.Scope, u Upload) (Form, error) {
	mime := u.Mime
	if mime == "" {
		mime = unknownType
	}
	return s.Objects.Form(ctx, Key(scope, u.CDNPath), u.meta(mime), MaxForm, Valid)
}

// Read returns a file. It returns errs.NotFound if there is none, also for one that is still awaited.
func (s *Service) Read(ctx context.Context, scope tenant.Scope, id string) (File, error) {
	row, ok := Table().RowIDOf(id)
	if !ok {
		return File{}, errNoFile(id)
	}
	found, err := s.Tables.Read(ctx, scope, Table(), row)
	if errs.Is(err, errs.KindNotFound) {
		return File{}, errNoFile(id)
	}
	return Of(found), err
}
