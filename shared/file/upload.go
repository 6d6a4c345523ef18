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
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
)

// Limits of uploads.
const (
	MaxReceived = 4 << 20   // bytes that the receiver takes: Lambda takes 6 MB, and the gateway encodes bodies as base64
	MaxForm     = 100 << 20 // bytes that the form to the store of objects takes
	// Valid is how long a policy is valid (C31), and the form with it.
	Valid = 30 * time.Minute
	// grace is the time after which an upload is over: a form that was sent at the last moment may still be under way.
	grace = 10 * time.Minute
)

// Service manages files. Programs set the fields of what they do.
type Service struct {
	Tables  *manage.Service
	Uploads UploadStore
	Objects Objects
	Site    Site
	// Receiver is the address of the deployment, whose /upload/ receives contents; without a slash at the end.
	Receiver string
	// Clients finds the applications that signed policies; it may be some seconds old. Keys is never.
	Clients ClientFinder
	Keys    app.HandleReader
	Clock   clock.Clock
	IDs     *id.Source
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

// Upload is a file that is awaited.
type Upload struct {
	Ref
	File     ID // the id that the file gets; of a replaced file, its id
	Name     string
	CDNPath  string
	Named    bool
	Mime     string // by the extension, "" = by the content
	Category ID
	By       int64 // id of the user, 0 = an administrator or a function
}

// UploadStore stores uploads. Reads are strongly consistent.
type UploadStore interface {
	// InsertUpload adds an upload and sets its Shard.
	InsertUpload(ctx context.Context, scope tenant.Scope, u *Upload) error
}

// Request is the start of an upload; its texts are as sent by the caller.
type Request struct {
	Name         string
	CategoryID   string // wins over CategoryName
	CategoryName string
	Named        bool // random_file_link false
	By           int64
	Application  app.Application
}

// Started is a started upload: how to send the content, and what the file will be.
type Started struct {
	Upload
	Policy, Authorization string
	URL                   string // of the receiver
	CreatedAt             int64  // Unix seconds
}

// Begin starts an upload (step 1). It returns errs.Invalid for a name that cannot be stored or a forbidden extension, and
// errs.NotFound for an unknown category id.
func (s *Service) Begin(ctx context.Context, scope tenant.Scope, r Request) (Started, error) {
	name, err := cleanName("filename", r.Name)
	if err != nil {
		return Started{}, err
	}
	category, err := s.categoryOf(ctx, scope, r.CategoryID, r.CategoryName)
	if err != nil {
		return Started{}, err
	}

	now := s.Clock.Now()
	row := Table().NewRow(table.Draft{}, s.IDs, s.IDs.New(now), table.Author{})
	u := Upload{
		Ref:  Ref{Due: now.Add(Valid + grace).Unix(), ID: row.ID},
		File: row.ID, Name: name, CDNPath: s.randomPath(name), Mime: typeOf(name), Category: category, By: r.By,
	}
	if u.Name == "" {
		u.Name = u.CDNPath
	}
	if err := s.Uploads.InsertUpload(ctx, scope, &u); err != nil {
		return Started{}, err
	}

	made := Started{Upload: u, URL: s.Receiver + "/upload/" + string(u.File) + "/", CreatedAt: now.Unix()}
	p := policy{Client: r.Application.ClientID, Env: scope.Env, Upload: u.Ref.String(), File: u.File, Expires: now.Add(Valid).Unix()}
	made.Policy, made.Authorization = p.sign(r.Application)
	return made, nil
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
