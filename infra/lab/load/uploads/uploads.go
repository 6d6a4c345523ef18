// Package uploads is a load of end users that upload files: to the receiver, by the form of S3, or not at all. Programs
// die between a content and its record, so that the sweep has uploads to complete and uploads to give up. In the end an
// upload is either a file with its content and one event "upload success", or gone with one event "upload fail".
package uploads

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	sweep "minicloud/functions/filesweep/wire"
	"minicloud/infra/lab/client"
	"minicloud/infra/lab/load"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim/clients"
	"minicloud/infra/lab/story"
	"minicloud/shared/file"
	"minicloud/shared/program/backend/objects"
)

// The report lines of uploads, by the way in which the content is sent, and of their events.
const (
	received = "received uploads"
	posted   = "posted uploads"
	unsent   = "unsent uploads"
	success  = "upload success"
	fail     = "upload fail"
)

// Lines are the lines of what happens; unsent uploads never become files.
var Lines = []string{received, posted, success, fail}

// Part returns the part of the load.
func Part(l *load.Load) load.Part { return &uploads{Base: load.Base{Load: l}} }

type uploads struct {
	load.Base
	user     *client.Application
	triggers map[string]int64 // ids, by line
	next     atomic.Int64

	mu    sync.Mutex
	begun map[string]*upload // by id

	// The results of find.
	awaited int
	files   []stored
	events  map[string]promise.Tally // by line
}

// upload is one, and what its client sends.
type upload struct {
	client.Upload
	line, content string
}

// Plant implements load.Part: it creates an end user, and a trigger for each event, whose mail fails at once.
func (l *uploads) Plant(ctx context.Context) (err error) {
	if l.App, err = l.Application(ctx, "uploads"); err != nil {
		return err
	}
	l.begun, l.triggers = map[string]*upload{}, map[string]int64{}
	for _, event := range []string{success, fail} {
		operation, result, _ := strings.Cut(event, " ")
		mail := map[string]any{"to": []string{"ada@example.com"}, "subject": "s", "body": "b"}
		made, err := l.App.Create(ctx, client.TriggersPath, map[string]any{
			"name": event, "type": "file_operation", "condition": map[string]any{"operation": operation, "result": result},
			"actions": []any{map[string]any{"type": "email", "settings": mail}},
		})
		if err != nil {
			return err
		}
		l.triggers[event] = made
	}
	_, token, err := clients.Login(l.App, clients.AnonymousPath, map[string]any{})
	l.user = clients.As(l.App, token)
	return err
}

// Clients implements load.Part.
func (l *uploads) Clients() []load.Turns {
	turns := load.Turns{Pause: time.Second, Once: l.upload}
	return []load.Turns{turns, turns}
}

// upload starts an upload, repeated until answered, and sends its content in one of the ways or does not.
func (l *uploads) upload(random *rand.Rand) {
	n := l.next.Add(1)
	u := &upload{line: story.Draw(random, received, posted, unsent), content: fmt.Sprintf("content %d of %s", n, l.Name)}
	answer, x := l.user.Repeat(random, client.Request{
		Method: "POST", Path: "/hserve/v2.1/upload/", Key: fmt.Sprint("upload ", n),
		Body: map[string]any{"filename": "a.txt"},
	})
	if err := answer.Decode(u); err != nil {
		line := l.Lines.Line(u.line)
		line.Fail(&line.Late, "upload %d did not start: %v", n, err) // repeated for a minute
		return
	}
	l.mu.Lock()
	l.begun[u.ID] = u
	l.mu.Unlock()

	x.Mark, x.Known = u.ID, client.Refused
	switch u.line {
	case received:
		send(u, &x, l.receive)
		// Read at once: later the sweep completes an upload whose record is missing.
		read := client.Request{Method: "GET", Path: "/hserve/v2.1/uploaded-file/" + u.ID + "/"}
		if x.Known == client.Acknowledged && l.user.Send(context.Background(), read).Status == http.StatusNotFound {
			x.Wrong = "acknowledged, and not found"
		}
	case posted:
		send(u, &x, post)
	}
	l.Lines.Line(u.line).Note(x)
}

// send sends the content up to three times. After a try without an answer the policy may be used, or leased by a
// program that died, so a refusal says nothing then.
func send(u *upload, x *client.Effect, once func(*upload) client.Reply) {
	for try := range 3 {
		answer := once(u)
		if x.Known = answer.Known(); x.Known == client.Acknowledged {
			return
		}
		if x.Known == client.Refused && try == 0 {
			x.Wrong = "refused: " + answer.Failure().Error()
		}
		time.Sleep(client.RepeatAfter)
	}
	x.Known = client.Unknown
}

// receive sends the content to the receiver.
func (l *uploads) receive(u *upload) client.Reply {
	return l.App.Send(context.Background(), u.Receive(u.content))
}

// post sends the content to S3, which has another port after a restart of the local cloud: then nobody gets it.
func post(u *upload) client.Reply {
	kind, body := client.Form(u.Form.Fields, u.content)
	return reply(http.Post(u.Form.URL, kind, bytes.NewReader(body)))
}

func reply(answer *http.Response, err error) client.Reply {
	if err != nil {
		return client.Reply{Err: err}
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return client.Reply{Status: answer.StatusCode, Body: text, Err: err}
}

// late is the time after which each upload is due.
const late = 41 * time.Minute

// Open implements load.Part: it sweeps with a clock set ahead, also at the real pace, because no client sends anything
// any more and every program that received a content has ended.
func (l *uploads) Open(ctx context.Context) (missing map[string]int, next time.Time, err error) {
	if l.events == nil || l.awaited+l.events[success].Lost+l.events[fail].Lost > 0 {
		if err := sweep.Program(l.Cloud.Backend(late)).(func(context.Context) error)(ctx); err != nil {
			return nil, next, err
		}
		err = l.find(ctx)
	}
	return map[string]int{unsent: l.awaited, success: l.events[success].Lost, fail: l.events[fail].Lost}, next, err
}

// stored is a file as listed by the API.
type stored struct {
	ID   string
	Path string // its address
	Link string `json:"cdn_path"`
}

// find reads what there is. Each upload fires one event: success if there is a file, and fail if not.
func (l *uploads) find(ctx context.Context) error {
	b := l.Cloud.Backend(late)
	due, err := objects.Files(b).Uploads.DueUploads(ctx, b.Clock.Now(), 1000)
	if err != nil {
		return err
	}
	asked := map[string]*promise.Ledger{success: {}, fail: {}}
	expect := func(id string, good, bad promise.Need) {
		asked[success].Expect(id, good)
		asked[fail].Expect(id, bad)
	}
	for id := range l.begun {
		expect(id, promise.Never, promise.Must)
	}
	l.awaited, l.files, l.events = len(due), nil, map[string]promise.Tally{}
	_, err = client.List(ctx, l.App, "/oserve/v2.2/file/?limit=1000", func(file stored) error {
		l.files = append(l.files, file)
		expect(file.ID, promise.Must, promise.Never)
		return nil
	})

	type entry struct {
		File string `json:"subject_id"`
	}
	for event, trigger := range l.triggers {
		times := map[string]int{}
		if err == nil {
			path := fmt.Sprintf("%s%d/log/?limit=1000", client.TriggersPath, trigger)
			_, err = client.List(ctx, l.App, path, func(x entry) error {
				times[x.File]++
				return nil
			})
		}
		l.events[event] = asked[event].Judge(promise.Found{Times: times})
	}
	return err
}

// Judge implements load.Part: it downloads each file and compares files, contents and objects with the answers that
// clients got.
func (l *uploads) Judge(ctx context.Context) error {
	if err := l.find(ctx); err != nil {
		return err
	}
	found, links := map[string]map[string]int{received: {}, posted: {}, unsent: {}}, map[string]int{}
	for _, file := range l.files {
		links[file.Link]++
		u := l.begun[file.ID]
		if u == nil {
			u = &upload{line: unsent}
		}
		found[u.line][file.ID]++
		if got := reply(http.Get(file.Path)); got.Failure() != nil || string(got.Body) != u.content {
			line := l.Lines.Line(u.line)
			line.Fail(&line.Lost, "the file %s is %.100q (%v), not %q", file.ID, got.Body, got.Failure(), u.content)
		}
	}
	for line, files := range found {
		l.Lines.Line(line).Judge(files)
	}
	for event, t := range l.events {
		l.Lines.Line(event).Add(t)
	}
	left := l.Lines.Line(unsent)
	left.Trouble(&left.Late, l.awaited, "%d uploads are awaited still", l.awaited)
	return l.judgeObjects(ctx, links)
}

// judgeObjects looks for objects without a file, and files without an object.
func (l *uploads) judgeObjects(ctx context.Context, links map[string]int) error {
	found := map[string]int{}
	bucket, prefix := objects.Open(l.Cloud.Backend(0)), file.Key(l.App.Scope, "")
	pages := s3.NewListObjectsV2Paginator(bucket.Client, &s3.ListObjectsV2Input{Bucket: &bucket.Name, Prefix: &prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, o := range page.Contents {
			found[strings.TrimPrefix(*o.Key, prefix)]++
		}
	}
	l.Lines.Line(received).Same("objects", links, found)
	return nil
}
