// Package files has a part of a game (package clients): end users upload files in every way there is, give up halfway, and
// delete what they have.
//
//	upload     what a client asked for, and what it knows       files.go
//	ways       the receiver, the form of S3, parts              send.go
//	judge      contents, records and events in the end          judge.go
package files

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/clients"
	"minicloud/infra/lab/sim/game"
)

// Parts are all there are.
var Parts = []game.Named{{Name: "uploads", Make: func() game.Part { return &files{} }}}

// files uploads and deletes files. Each event of a file fires a trigger.
type files struct {
	app   *client.Application
	users []*client.Application // as end users
	// triggers are those of each event of a file, by id.
	triggers map[string]string

	mu    sync.Mutex
	begun []*upload
	lost  int // begun without an answer: they may have made uploads that nobody knows
}

// upload is a file that a client began to upload.
type upload struct {
	user     int
	started  client.Upload
	contents []string // sent ones, each different
	known    promise.Need
	deleted  promise.Need // Never = nobody asked
	named    bool
}

const (
	manyUsers = 3
	beginPath = "/hserve/v2.1/upload/"
	partsPath = "/hserve/v2.7/resumable-upload/"
	filesPath = "/hserve/v2.1/uploaded-file/"
	// partSize is the size of the first part of a file in two parts; the second has a few bytes.
	partSize = 1_000_000
)

// heard are the events of files that become rows.
var heard = []struct{ operation, result string }{{"upload", "success"}, {"upload", "fail"}, {"delete", "success"}}

func (f *files) Plant(g *game.Requests) (err error) {
	ctx := context.Background()
	if f.app, err = g.Application("files"); err != nil {
		return err
	}
	table, err := f.app.Table(ctx, "events", client.Column{Name: "what", Type: "string"})
	f.triggers = map[string]string{}
	for _, e := range heard {
		what := e.operation + " " + e.result
		made, failed := f.app.Create(ctx, client.TriggersPath, map[string]any{
			"name": what, "type": "file_operation", "condition": map[string]any{"operation": e.operation, "result": e.result},
			"actions": []any{map[string]any{"type": "table_operation", "settings": map[string]any{
				"table": table, "operation": "create", "assign": []any{map[string]any{"field": "what", "operator": "=", "value": what}},
			}}},
		})
		err = errors.Join(err, failed)
		f.triggers[fmt.Sprint(made)] = what
	}
	for range manyUsers {
		_, token, failed := clients.Login(f.app, clients.AnonymousPath, map[string]any{})
		err = errors.Join(err, failed)
		f.users = append(f.users, clients.As(f.app, token))
	}
	return errors.Join(err, f.plantOld(g))
}

// plantOld begins files in parts that are due while the game is played: parts are kept for a day.
func (f *files) plantOld(g *game.Requests) error {
	machines := []string{"file", "file2"}
	for _, machine := range machines {
		g.World.Skew(machine, -24*time.Hour)
		defer g.World.Skew(machine, 0)
	}
	random := g.World.Random("old files")
	for n := range 2 {
		u := f.begin(g, random, n, map[string]any{"filename": "old.png", "file_size": partSize + 3}, partsPath, fmt.Sprint("old ", n))
		if u == nil {
			return errors.New("no old upload began")
		}
		f.sendPart(g, u, n, "old")
	}
	return nil
}

// late is after the time at which an upload without content is due.
const late = 41 * time.Minute

// Clients implements game.Part: all go on until the sweep has worked among faults.
func (f *files) Clients(g *game.Requests) (all []func(sim.Random)) {
	for user := range f.users {
		all = append(all, func(random sim.Random) {
			from := time.Now()
			for n := range 4 {
				f.upload(g, random, user, n)
				g.Pause(random, 20*time.Second)
			}
			time.Sleep(random.Jitter(time.Until(from.Add(late))))
			f.upload(g, random, user, 4)
			g.Pause(random, 5*time.Minute)
		})
	}
	return all
}

// upload begins a file and sends it in one of the ways, or does not; others try to disturb.
func (f *files) upload(g *game.Requests, random sim.Random, user, n int) {
	way := ways[random.IntN(len(ways))]
	g.Note("file " + way.name)
	key := fmt.Sprint("file ", user, n)
	body, path := map[string]any{"filename": []string{"a.png", "b.txt", "c"}[random.IntN(3)]}, beginPath
	if way.parts {
		body["file_size"], path = partSize+len(contentOf(user, n, 0)), partsPath
	}
	named := !way.parts && random.IntN(4) == 0
	if named {
		body["filename"], body["random_file_link"] = fmt.Sprintf("mine%d.png", random.IntN(2)), false
	}

	u := f.begin(g, random, user, body, path, key)
	if u == nil {
		return
	}
	way.send(f, g, random, u, contentOf(user, n, 0), contentOf(user, n, 1))
	if u.known == client.Acknowledged && random.IntN(3) == 0 {
		f.remove(g, random, u)
	}
}

// contentOf is what a client sends.
func contentOf(user, n, again int) string { return fmt.Sprintf("content %d of %d, %d", n, user, again) }

// begin starts an upload; nil if that was refused, or nobody knows.
func (f *files) begin(
	g *game.Requests, random sim.Random, user int, body map[string]any, path, key string,
) *upload {
	r := client.Request{Method: "POST", Path: path, Body: body, Key: key}
	answer, effect := f.users[user].Repeat(random.Rand, r)
	u := &upload{user: user, named: body["random_file_link"] == false, known: client.Refused, deleted: client.Refused}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch answer.Known() {
	case client.Unknown:
		f.lost++
		return nil
	case client.Refused: // another user has the link, or deletes its file
		if !u.named {
			g.Problem("uploads: a start was refused: %v", answer.Failure())
		}
		return nil
	}
	if err := answer.Decode(&u.started); err != nil || u.started.ID == "" || effect.Wrong != "" {
		g.Problem("uploads: a start was answered %s: %v %s", answer.Body, err, effect.Wrong)
	}
	f.begun = append(f.begun, u)
	return u
}

// remove deletes a file, which only its user may.
func (f *files) remove(g *game.Requests, random sim.Random, u *upload) {
	g.Note("file deleted")
	path := filesPath + u.started.ID + "/"
	other := f.users[(u.user+1)%manyUsers]
	if answer, _ := clients.Send(other, client.Request{Method: "DELETE", Path: path}); answer.Known() == client.Acknowledged {
		g.Problem("uploads: a user deleted the file of another")
	}
	u.deleted = client.Unknown // of an answer 404 too: what was posted to S3 comes later
	for range 3 {
		answer, _ := clients.Send(f.users[u.user], client.Request{Method: "DELETE", Path: path})
		if answer.Known() == client.Acknowledged {
			u.deleted = client.Acknowledged
			if u.started.Form.URL != "" && !u.named && random.IntN(2) == 0 {
				f.postOnce(g, u, "after the deletion") // the form is valid still
			}
			return
		}
		g.Pause(random, 10*time.Second)
	}
}

// stored are the items of the application's records of files.
func (f *files) stored(g *game.Requests) map[string]record {
	all := map[string]record{}
	for _, it := range g.World.DB.Items("RowsTable") {
		if game.Text(it, "pk") != f.app.Scope.String()+"#2" {
			continue
		}
		fields := game.Map(game.Value(it["fields"]))
		all[game.Text(it, "sk")] = record{
			path: fmt.Sprint(fields["cdn_path"]), etag: fmt.Sprint(fields["etag"]), size: fmt.Sprint(fields["size"]),
		}
	}
	return all
}

// record is the record of a file.
type record struct{ path, etag, size string }

// prefix begins the keys of the application's contents.
func (f *files) prefix() string {
	return strings.Replace(f.app.Scope.String(), ".", "/", 1) + "/"
}
