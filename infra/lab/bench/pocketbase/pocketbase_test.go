// Package pocketbase compares logins and lists of own rows with PocketBase, a backend of one process over SQLite, on
// the same machine and data: `make versus`. It builds PocketBase from its module, so it needs the network once.
package pocketbase

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/infra/local/api"
	"minicloud/infra/local/cloudtest"
)

// version is the last one that builds with the Go of this module.
const version = "v0.36.0"

// The data and the load.
const (
	owned   = 20 // rows that each user may read
	clients = 8
	rounds  = 3
	logins  = 10  // of each client in a round
	lists   = 100 // of each client in a round
	secret  = "correct horse"
)

type object = map[string]any

// BenchmarkPocketBase prints requests per second of both at 8 clients, in turns, and the ratio, for ROWS=20000 rows.
// More than 1 is ahead of PocketBase. A list of PocketBase is tried twice: as a collection is when its maker gives it a
// rule only, and with an index of the rule's field and without a total, both of which its documentation advises for
// large collections. Ours has the index always, and counts only when asked.
func BenchmarkPocketBase(b *testing.B) {
	rows := 20_000
	if text := os.Getenv("ROWS"); text != "" {
		var err error
		rows, err = strconv.Atoi(text)
		must(b, err)
	}
	our, its := ours(b, rows), theirs(b, rows)
	for done := false; b.Loop(); done = true {
		if done {
			continue // the rounds are the repetition
		}
		for _, load := range []struct {
			name  string
			times int
			mine  func(client int) error
			their func(client int) error
		}{
			{"login", logins, our.login, its.login},
			{"own_rows", lists, our.list, its.list},
			{"own_rows_tuned", lists, our.list, its.tuned},
		} {
			var mine, their []float64
			for range rounds {
				mine = append(mine, perSecond(b, load.times, load.mine))
				their = append(their, perSecond(b, load.times, load.their))
			}
			b.ReportMetric(median(mine), load.name+"/s")
			b.ReportMetric(median(their), load.name+"-pocketbase/s")
			b.ReportMetric(median(mine)/median(their), load.name+"-ratio")
			b.Logf("%s: %.0f a second, PocketBase %.0f", load.name, mine, their)
		}
	}
}

func median(all []float64) float64 { return slices.Sorted(slices.Values(all))[len(all)/2] }

// perSecond returns the requests per second of 8 clients that make their requests one after the other.
func perSecond(b *testing.B, times int, do func(client int) error) float64 {
	b.Helper()
	began := time.Now()
	var group errgroup.Group
	for client := range clients {
		group.Go(func() error {
			for range times {
				if err := do(client); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	return float64(clients*times) / time.Since(began).Seconds()
}

// backend is one of the two, with users and rows.
type backend struct {
	login, list, tuned func(client int) error
}

func note(i int) string { return fmt.Sprintf("note %0200d", i) }

// owner returns the number of the client that owns row i of all; others are of nobody who asks.
func owner(i, rows int) int { return i % (rows / owned) }

// ours starts a local cloud.
func ours(b *testing.B, rows int) backend {
	b.Helper()
	p := cloudtest.Start(b)
	admin, err := api.Connect(b.Context(), p)
	must(b, err)
	ctx := b.Context()
	must(b, admin.Send(ctx, "PUT", "/oserve/v1.8/application-setting/", object{"client_rate": object{"user": 1_000_000}}, nil))

	anyone := &api.Client{Base: p.URL, Header: http.Header{"X-Service-Client-Id": {p.Credentials.ClientID}}}
	var own []*api.Client
	var ids []int64
	for i := range clients {
		var made struct {
			Token string `json:"token"`
			ID    int64  `json:"user_id"`
		}
		must(b, anyone.Send(ctx, "POST", "/hserve/v2.1/register/username/", credentials(i), &made))
		one := &api.Client{Base: p.URL, Header: anyone.Header.Clone()}
		one.Header.Set("Authorization", "Service-r1 "+made.Token)
		own, ids = append(own, one), append(ids, made.ID)
	}

	fields := []object{{"name": "text", "type": "string"}, {"name": "n", "type": "integer"}}
	must(b, admin.Send(ctx, "POST", "/oserve/v1.8/table/", object{"name": "notes", "schema": object{"fields": fields}}, nil))
	for from := 0; from < rows; from += 1000 {
		var drafts []object
		for i := from; i < min(from+1000, rows); i++ {
			reader := int64(1_000_000 + owner(i, rows))
			if owner(i, rows) < clients {
				reader = ids[owner(i, rows)]
			}
			drafts = append(drafts, object{"text": note(i), "n": i, "read_perm": []string{fmt.Sprint("user:", reader)}})
		}
		must(b, admin.Send(ctx, "POST", "/oserve/v2.4/table/notes/record/", drafts, nil))
	}

	return backend{
		login: func(i int) error {
			return anyone.Send(ctx, "POST", "/hserve/v2.1/login/username/", credentials(i), nil)
		},
		list: func(i int) error {
			var found struct{ Objects []object }
			err := own[i].Send(ctx, "GET", "/hserve/v2.4/table/notes/record/", nil, &found)
			return full(len(found.Objects), err)
		},
	}
}

func credentials(i int) object { return object{"username": fmt.Sprint("user", i), "password": secret} }

func full(n int, err error) error {
	if err == nil && n != owned {
		err = fmt.Errorf("%d rows, want %d", n, owned)
	}
	return err
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// theirs builds and starts PocketBase.
func theirs(b *testing.B, rows int) backend {
	b.Helper()
	dir := b.TempDir()
	build := exec.CommandContext(b.Context(), "go", "install", "github.com/pocketbase/pocketbase/examples/base@"+version)
	build.Env = append(os.Environ(), "GOBIN="+dir, "GOWORK=off", "GOFLAGS=-trimpath", "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, text)
	}
	program, data := filepath.Join(dir, "base"), "--dir="+filepath.Join(dir, "data")
	if text, err := exec.CommandContext(b.Context(), program, "superuser", "upsert", "root@example.com", secret, data).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, text)
	}

	address := free(b)
	ctx, stop := context.WithCancel(context.Background())
	serve := exec.CommandContext(ctx, program, "serve", "--http="+address, data)
	must(b, serve.Start())
	b.Cleanup(func() {
		stop()
		_ = serve.Wait() // it was killed
	})

	root := &remote{base: "http://" + address + "/api/"}
	for deadline := time.Now().Add(time.Minute); root.send("GET", "health", nil, nil) != nil; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.Fatal("PocketBase does not start")
		}
	}
	must(b, root.logIn("_superusers", "root@example.com"))

	var own []*remote
	var ids []string
	for i := range clients {
		name := fmt.Sprintf("user%d@example.com", i)
		var made struct{ ID string }
		must(b, root.send("POST", "collections/users/records", object{"email": name, "password": secret, "passwordConfirm": secret}, &made))
		one := &remote{base: root.base}
		must(b, one.logIn("users", name))
		own, ids = append(own, one), append(ids, made.ID)
	}
	must(b, root.send("PATCH", "settings", object{"batch": object{"enabled": true, "maxRequests": 1000, "timeout": 60}}, nil))
	root.notes(b, "notes", []string{}, rows, ids)
	root.notes(b, "tuned", []string{"CREATE INDEX idx_owner ON tuned (owner)"}, rows, ids)

	return backend{
		login: func(i int) error {
			return (&remote{base: root.base}).logIn("users", fmt.Sprintf("user%d@example.com", i))
		},
		list:  func(i int) error { return own[i].list("notes", "") },
		tuned: func(i int) error { return own[i].list("tuned", "&skipTotal=1") },
	}
}

// notes makes a collection with rows, of which each client owns some.
func (r *remote) notes(b *testing.B, collection string, indexes []string, rows int, clients []string) {
	b.Helper()
	must(b, r.send("POST", "collections", object{
		"name": collection, "type": "base", "listRule": "owner = @request.auth.id", "indexes": indexes,
		"fields": []object{{"name": "text", "type": "text"}, {"name": "n", "type": "number"}, {"name": "owner", "type": "text"}},
	}, nil))
	for from := 0; from < rows; from += 1000 {
		var requests []object
		for i := from; i < min(from+1000, rows); i++ {
			reader := fmt.Sprint("nobody", owner(i, rows))
			if owner(i, rows) < len(clients) {
				reader = clients[owner(i, rows)]
			}
			requests = append(requests, object{
				"method": "POST", "url": "/api/collections/" + collection + "/records",
				"body": object{"text": note(i), "n": i, "owner": reader},
			})
		}
		must(b, r.send("POST", "batch", object{"requests": requests}, nil))
	}
}

func (r *remote) list(collection, more string) error {
	var found struct{ Items []object }
	err := r.send("GET", fmt.Sprintf("collections/%s/records?perPage=%d%s", collection, owned, more), nil, &found)
	return full(len(found.Items), err)
}

// free returns a free address on loopback.
func free(b *testing.B) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(b, err)
	defer l.Close()
	return l.Addr().String()
}

// remote is a client of PocketBase.
type remote struct{ base, token string }

func (r *remote) logIn(collection, name string) error {
	var made struct{ Token string }
	err := r.send("POST", "collections/"+collection+"/auth-with-password", object{"identity": name, "password": secret}, &made)
	r.token = made.Token
	return err
}

// client keeps a connection for each of the clients.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}

func (r *remote) send(method, path string, in, out any) error {
	var body io.Reader = http.NoBody
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, r.base+path, body)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", r.token)
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %d %s, %w", method, path, answer.StatusCode, strings.TrimSpace(string(text)), err)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}
