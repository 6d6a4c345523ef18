package file_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/dynamo/filedb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/file"
	"minicloud/shared/file/filetest"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
)

// world is a platform whose processes can die.
type world struct {
	t       *testing.T
	client  *dynamodb.Client
	objects *filetest.Objects
	ids     *id.Source
	shop    app.Application
	scope   tenant.Scope
	failed  map[file.ID]int // how often the event of an upload fired

	mu  sync.Mutex
	now time.Time
}

func newWorld(t *testing.T) *world {
	return &world{
		t: t, client: dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable"), ids: new(id.Source),
		now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
	}
}

// begin gives the world a new environment.
func (w *world) begin(application tenant.AppID) {
	w.objects, w.failed = &filetest.Objects{}, map[file.ID]int{}
	w.shop = app.Application{ID: application, ClientID: "aaaaaaaaaaaaaaaaaaaa", SigningKey: make(app.SigningKey, 32)}
	w.scope = tenant.Scope{App: application, Env: tenant.Production}
}

func (w *world) time() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// ByClient implements file.ClientFinder.
func (w *world) ByClient(context.Context, app.ClientID) (app.Application, error) { return w.shop, nil }

// ByHandle implements app.HandleReader.
func (w *world) ByHandle(context.Context, app.Handle) (app.Application, error) { return w.shop, nil }

// process is a process that dies at its nth call.
type process struct {
	*file.Service
	w     *world
	mu    sync.Mutex // guards the fields below
	left  int        // calls until it dies; < 0 = it lives
	after bool       // its last call takes effect
	calls int
	// meanwhile runs before the call at which the process would die, which then lives on.
	meanwhile func()
}

// start starts a process.
func (w *world) start(left int, after bool) *process {
	p := &process{w: w, left: left, after: after}
	client := dynamodb.New(w.client.Options(), func(o *dynamodb.Options) {
		o.Retryer, o.HTTPClient = aws.NopRetryer{}, &connection{p, o.HTTPClient}
	})
	rows := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	p.Service = &file.Service{
		Tables: &manage.Service{
			Schemas: &rowdb.Tables{Client: client, Name: "TablesTable"}, Rows: rows, Clock: w.time, IDs: w.ids,
		},
		Uploads: &filedb.Store{Client: client, Table: "RowIndexesTable", Rows: rows}, Objects: &store{p, w.objects},
		Site: "https://files.example.com", Sniff: http.DetectContentType, Clients: w, Keys: w, Failures: p, Clock: w.time, IDs: w.ids,
	}
	return p
}

var errDead = errors.New("the process is dead")

// call makes a call, unless the process is dead or dies of it.
func (p *process) call(do func()) error {
	dead, effect := p.count()
	if effect {
		do()
	}
	if dead {
		return errDead
	}
	return nil
}

// count counts a call. The lock is needed because a sweep reads the shards of its list at the same time.
func (p *process) count() (dead, effect bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	if p.left < 0 {
		return false, true
	}
	p.left = max(p.left-1, 0)
	switch {
	case p.left > 0:
		return false, true
	case p.meanwhile != nil:
		p.left = -1
		p.meanwhile()
		return false, true
	}
	effect, p.after = p.after, false
	return true, effect
}

type connection struct {
	p    *process
	next dynamodb.HTTPClient
}

func (c *connection) Do(r *http.Request) (answer *http.Response, err error) {
	dead := c.p.call(func() { answer, err = c.next.Do(r) })
	if dead != nil {
		if answer != nil {
			answer.Body.Close()
		}
		return nil, dead
	}
	return answer, err
}

// store is the store of objects of a process.
type store struct {
	p *process
	*filetest.Objects
}

func (s *store) Put(ctx context.Context, key string, body io.ReadSeeker, size int64, m file.Meta) (etag string, err error) {
	dead := s.p.call(func() { etag, err = s.Objects.Put(ctx, key, body, size, m) })
	return etag, errors.Join(dead, err)
}

func (s *store) Head(ctx context.Context, key string) (o file.Object, err error) {
	dead := s.p.call(func() { o, err = s.Objects.Head(ctx, key) })
	return o, cmpErr(dead, err)
}

func (s *store) Get(ctx context.Context, key string) (body io.ReadCloser, err error) {
	dead := s.p.call(func() { body, err = s.Objects.Get(ctx, key) })
	return body, cmpErr(dead, err)
}

func (s *store) Delete(ctx context.Context, keys ...string) (err error) {
	dead := s.p.call(func() { err = s.Objects.Delete(ctx, keys...) })
	return cmpErr(dead, err)
}

func cmpErr(dead, err error) error {
	if dead != nil {
		return dead
	}
	return err
}

// UploadFailed implements file.Failures.
func (p *process) UploadFailed(_ context.Context, _ tenant.Scope, u file.Upload) error {
	return p.call(func() { p.w.failed[u.ID]++ })
}

// upload starts an upload by a living process.
func (w *world) upload(r file.Request) file.Started {
	w.t.Helper()
	r.By, r.Application = 5, w.shop
	made, err := w.start(-1, false).Begin(w.t.Context(), w.scope, r)
	if err != nil {
		w.t.Fatal(err)
	}
	return made
}

func (p *process) receive(s file.Started, content string) error {
	_, err := p.Receive(p.w.t.Context(), file.Received{
		File: string(s.File), Policy: s.Policy, Authorization: s.Authorization, Content: []byte(content),
	})
	return err
}

// parts sends the parts of an upload.
func (p *process) parts(s file.Started, parts ...string) error {
	for n, part := range parts {
		err := p.ReceivePart(p.w.t.Context(), file.Part{
			File: string(s.File), Authorization: s.Policy + "." + s.Authorization, MultiID: s.MultiID(), Number: n, Content: []byte(part),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// settled lets everything become due, sweeps, and checks that records and contents agree.
func (w *world) settled(what string) {
	w.t.Helper()
	for range 3 {
		w.pass(25 * time.Hour)
		if _, err := w.start(-1, false).Sweep(w.t.Context()); err != nil {
			w.t.Errorf("%s: sweep: %v", what, err)
		}
	}
	living := w.start(-1, false)
	step, err := living.Tables.Rows.ScanRows(w.t.Context(), w.scope, file.Table(), table.RowScan{})
	if err != nil {
		w.t.Fatal(err)
	}
	var keys []string
	for _, row := range step.Rows {
		f := file.Of(row)
		key := file.Key(w.scope, f.CDNPath)
		keys = append(keys, key)
		if o, ok := w.objects.Object(key); !ok || o.ETag != f.ETag || o.Size != f.Size {
			w.t.Errorf("%s: record %+v, content %+v", what, f, o.Object)
		}
	}
	slices.Sort(keys)
	if all := w.objects.Keys(); !slices.Equal(all, keys) {
		w.t.Errorf("%s: records of %v, contents of %v", what, keys, all)
	}
	if due, err := living.Uploads.DueUploads(w.t.Context(), w.time().Add(48*time.Hour), 100); err != nil || len(due) > 0 {
		w.t.Errorf("%s: left: %+v, %v", what, due, err)
	}
}

// is reports whether a file is there.
func (w *world) is(id file.ID) bool {
	_, err := w.start(-1, false).Read(w.t.Context(), w.scope, string(id))
	return err == nil
}

// TestDeathInEveryStep: a process dies at each of its calls, before and after the call took effect. After the sweep no file
// is without a record, no record without a file, and each upload either made a file or fired that it failed.
func TestDeathInEveryStep(t *testing.T) {
	w, application := newWorld(t), tenant.AppID(0)
	named := file.Request{Name: "logo.png", Named: true}
	for name, story := range map[string]struct {
		before func() []file.Started                       // by living processes
		dies   func(p *process, made []file.Started) error // by the one that dies
	}{
		"begin": {
			func() []file.Started { return nil },
			func(p *process, _ []file.Started) error {
				_, err := p.Begin(t.Context(), w.scope, file.Request{Name: "a.png", By: 5, Application: w.shop})
				return err
			},
		},
		"begin with a name": {
			func() []file.Started { return nil },
			func(p *process, _ []file.Started) error {
				_, err := p.Begin(t.Context(), w.scope, file.Request{Name: "logo.png", Named: true, By: 5, Application: w.shop})
				return err
			},
		},
		"receive": {
			func() []file.Started { return []file.Started{w.upload(file.Request{Name: "a.png"})} },
			func(p *process, made []file.Started) error { return p.receive(made[0], "content") },
		},
		"replace": {
			func() []file.Started {
				first := w.upload(named)
				if err := w.start(-1, false).receive(first, "first"); err != nil {
					t.Fatal(err)
				}
				return []file.Started{w.upload(named)}
			},
			func(p *process, made []file.Started) error { return p.receive(made[0], "second") },
		},
		"form": {
			func() []file.Started { return []file.Started{w.upload(file.Request{Name: "a.bin"})} },
			func(p *process, made []file.Started) error {
				return p.Arrived(t.Context(), w.objects.Submit(made[0].Form, []byte("content")))
			},
		},
		"form again": {
			func() []file.Started {
				made := w.upload(file.Request{Name: "a.bin"})
				if err := w.start(-1, false).Arrived(t.Context(), w.objects.Submit(made.Form, []byte("first"))); err != nil {
					t.Fatal(err)
				}
				return []file.Started{made}
			},
			func(p *process, made []file.Started) error {
				return p.Arrived(t.Context(), w.objects.Submit(made[0].Form, []byte("second")))
			},
		},
		"parts": {
			func() []file.Started { return []file.Started{w.upload(file.Request{Name: "a.bin", Size: 1_500_000})} },
			func(p *process, made []file.Started) error {
				if err := p.parts(made[0], strings.Repeat("x", 1_000_000), strings.Repeat("y", 500_000)); err != nil {
					return err
				}
				return p.Join(t.Context(), w.scope, string(made[0].File), made[0].MultiID(), 5)
			},
		},
		"sweep": {
			func() []file.Started {
				made := []file.Started{
					w.upload(file.Request{Name: "a.png"}), w.upload(file.Request{Name: "b.bin"}), w.upload(named),
					w.upload(file.Request{Name: "c.bin", Size: 1_500_000}),
				}
				w.objects.Submit(made[1].Form, []byte("its event is lost"))
				if err := w.start(-1, false).parts(made[3], "a part"); err != nil {
					t.Fatal(err)
				}
				w.pass(25 * time.Hour)
				return made
			},
			func(p *process, _ []file.Started) error {
				_, err := p.Sweep(t.Context())
				return err
			},
		},
	} {
		for _, after := range []bool{false, true} {
			for left := 1; ; left++ {
				application++
				w.begin(application)
				made := story.before()
				p := w.start(left, after)
				err := story.dies(p, made)
				what := fmt.Sprintf("%s: died at call %d, effect %v", name, left, after)
				if p.calls < left {
					if err != nil || left < 2 {
						t.Errorf("%s: %d calls, %v", name, p.calls, err)
					}
					break
				}
				if name == "form" || name == "form again" { // the queue hands the event to another process
					if err := w.start(-1, false).Arrived(t.Context(), file.Key(w.scope, made[0].CDNPath)); err != nil {
						t.Errorf("%s: %v", what, err)
					}
				}
				w.settled(what)
				for _, u := range made {
					// A file that was to be replaced stays if the upload fails.
					if is, fired := w.is(u.File), w.failed[u.ID]; name != "replace" && is == (fired > 0) || !is && fired == 0 {
						t.Errorf("%s: upload of %s: file %v, %d events", what, u.Name, is, fired)
					}
				}
			}
		}
	}
}

// TestDeathOfDeletions: a file is deleted whole or not at all, and its name is free for others only when no form is valid.
func TestDeathOfDeletions(t *testing.T) {
	w, application := newWorld(t), tenant.AppID(0)
	for _, request := range []file.Request{{Name: "a.png"}, {Name: "logo.png", Named: true}} {
		for _, after := range []bool{false, true} {
			for left := 1; ; left++ {
				application++
				w.begin(application)
				made := w.upload(request)
				if err := w.start(-1, false).receive(made, "content"); err != nil {
					t.Fatal(err)
				}
				p := w.start(left, after)
				err := p.Remove(t.Context(), w.scope, string(made.File), table.Origin{}, nil)
				if p.calls < left {
					if err != nil || w.is(made.File) || len(w.objects.Keys()) != 0 {
						t.Errorf("deleted: %v, %v", err, w.objects.Keys())
					}
					break
				}
				if err == nil && w.is(made.File) {
					t.Errorf("call %d: the file is there", left)
				}
				if request.Named && !w.is(made.File) {
					_, err := w.start(-1, false).Begin(t.Context(), w.scope, file.Request{Name: "logo.png", Named: true, By: 6, Application: w.shop})
					if !errs.Is(err, errs.KindInvalid) {
						t.Errorf("call %d: another user takes the name while forms are valid: %v", left, err)
					}
				}
				w.settled(fmt.Sprintf("deletion of %s died at call %d, effect %v", request.Name, left, after))
				if request.Named && !w.is(made.File) {
					_, err := w.start(-1, false).Begin(t.Context(), w.scope, file.Request{Name: "logo.png", Named: true, By: 6, Application: w.shop})
					if err != nil {
						t.Errorf("call %d: the name is not free: %v", left, err)
					}
				}
			}
		}
	}
}

// TestLateContents: a content that comes after its upload failed or its file was deleted is deleted, and never takes the
// place of another's file.
func TestLateContents(t *testing.T) {
	w := newWorld(t)
	w.begin(1)
	late, removed := w.upload(file.Request{Name: "late.bin"}), w.upload(file.Request{Name: "removed.bin"})
	living := w.start(-1, false)
	if err := living.receive(removed, "content"); err != nil {
		t.Fatal(err)
	}
	if err := living.Remove(t.Context(), w.scope, string(removed.File), table.Origin{}, nil); err != nil {
		t.Fatal(err)
	}
	w.settled("before")
	for _, s := range []file.Started{late, removed} {
		for range 2 {
			if err := living.Arrived(t.Context(), w.objects.Submit(s.Form, []byte("too late"))); err != nil {
				t.Error(err)
			}
		}
	}
	w.settled("after")
	if len(w.objects.Keys()) != 0 || w.failed[late.ID] == 0 || w.failed[removed.ID] != 0 {
		t.Errorf("%v, %v", w.objects.Keys(), w.failed)
	}
	for _, key := range []string{"", "x", "7/production/", "parts/7.production/a/0", "0/production/a"} {
		if err := living.Arrived(t.Context(), key); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("key %q: %v", key, err)
		}
	}
}

// TestUploadsOfOneName: of many uploads at once with one name, the record is of the content that is stored.
func TestUploadsOfOneName(t *testing.T) {
	w := newWorld(t)
	w.begin(1)
	var uploads []file.Started
	for range 8 {
		uploads = append(uploads, w.upload(file.Request{Name: "logo.png", Named: true}))
	}
	var senders sync.WaitGroup
	for n, u := range uploads {
		senders.Go(func() {
			if err := w.start(-1, false).receive(u, string(bytes.Repeat([]byte("x"), n+1))); err != nil {
				t.Error(err)
			}
		})
	}
	senders.Wait()
	w.settled("eight uploads of one name")
	if len(w.objects.Keys()) != 1 || len(w.failed) != 0 {
		t.Errorf("%v, failed %v", w.objects.Keys(), w.failed)
	}
}

// TestJoinsWhileAnotherJoins: before each call of a Join another one runs. Both succeed, or one of them conflicts with the
// other, and the file is there once.
func TestJoinsWhileAnotherJoins(t *testing.T) {
	w := newWorld(t)
	for left, calls := 1, 1; left <= calls; left++ {
		w.begin(tenant.AppID(left))
		made := w.upload(file.Request{Name: "a.bin", Size: 1_500_000})
		if err := w.start(-1, false).parts(made, strings.Repeat("x", 1_000_000), strings.Repeat("y", 500_000)); err != nil {
			t.Fatal(err)
		}
		join := func(p *process) error {
			return p.Join(t.Context(), w.scope, string(made.File), made.MultiID(), 5)
		}
		var other error
		p := w.start(left, false)
		p.meanwhile = func() { other = join(w.start(-1, false)) }
		err := join(p)
		calls = max(calls, p.calls)
		if err != nil || other != nil && !errs.Is(other, errs.KindConflict) || !w.is(made.File) {
			t.Errorf("call %d: %v, the other %v, file there: %v", left, err, other, w.is(made.File))
		}
		w.settled(fmt.Sprintf("call %d", left))
	}
}
