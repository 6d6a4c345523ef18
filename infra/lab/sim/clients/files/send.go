package files

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/clients"
	"minicloud/infra/lab/sim/game"
)

// way is a way to send a content.
type way struct {
	name  string
	parts bool
	send  func(f *files, g *game.Requests, random sim.Random, u *upload, content, other string)
}

// ways are all there are, as often as they are taken.
var ways = []way{
	{"received", false, (*files).receive}, {"received", false, (*files).receive},
	{"received twice at once", false, (*files).race},
	{"posted to S3", false, (*files).post}, {"posted to S3", false, (*files).post},
	{"posted and received", false, (*files).both},
	{"in parts", true, (*files).join},
	{"given up", false, (*files).giveUp},
	{"given up in parts", true, (*files).giveUp},
}

// tell sends a content to the receiver once.
func (f *files) tell(u *upload, content string) client.Reply {
	answer, _ := clients.Send(f.app, u.started.Receive(content))
	return answer
}

// told notes that a content was sent.
func (f *files) told(u *upload, content string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Contains(u.contents, content) {
		u.contents = append(u.contents, content)
	}
}

// know notes what is known of an upload, unless more is known already.
func (f *files) know(u *upload, known client.Reply) {
	f.mu.Lock()
	defer f.mu.Unlock()
	u.known = max(u.known, known.Known())
}

// receive sends a content to the receiver until it is answered. A policy that an earlier try used is refused, so nothing
// is known then.
func (f *files) receive(g *game.Requests, random sim.Random, u *upload, content, _ string) {
	f.told(u, content)
	if random.IntN(4) == 0 {
		f.misuse(g, u, content)
	}
	for range 4 {
		answer := f.tell(u, content)
		if f.know(u, answer); answer.Known() == client.Acknowledged {
			if again := f.tell(u, content); again.Known() == client.Acknowledged {
				g.Problem("uploads: a policy was used twice for %s", u.started.ID)
			}
			return
		}
		time.Sleep(random.Jitter(time.Minute)) // another try may have the lease
	}
}

// misuse sends a content by the policy of another upload, whose content has not come, and is refused.
func (f *files) misuse(g *game.Requests, u *upload, content string) {
	f.mu.Lock()
	at := slices.IndexFunc(f.begun, func(o *upload) bool { return o.started.Policy != "" && len(o.contents) == 0 && !o.named })
	if at < 0 {
		f.mu.Unlock()
		return
	}
	other := *f.begun[at]
	f.mu.Unlock()
	other.started.ID = u.started.ID
	if answer := f.tell(&other, content); answer.Known() == client.Acknowledged {
		g.Problem("uploads: the policy of another upload was accepted for %s", u.started.ID)
	}
}

// race sends two contents by one policy at once: one is stored.
func (f *files) race(g *game.Requests, random sim.Random, u *upload, content, other string) {
	contents := []string{content, other}
	f.told(u, content)
	f.told(u, other)
	var done atomic.Int32
	g.AtOnce("race "+u.started.ID, len(contents), time.Millisecond, func(_ sim.Random, n int) {
		answer := f.tell(u, contents[n])
		if f.know(u, answer); answer.Known() == client.Acknowledged {
			done.Add(1)
		}
	})
	if done.Load() > 1 {
		g.Problem("uploads: a policy was used twice at once for %s", u.started.ID)
	}
}

// post sends a content to S3 by the form, early or at the last moment, and perhaps twice.
func (f *files) post(g *game.Requests, random sim.Random, u *upload, content, other string) {
	if random.IntN(3) == 0 {
		time.Sleep(random.Jitter(28 * time.Minute))
	}
	contents := [][]string{{content}, {content, content}, {content, other}}[random.IntN(3)]
	for _, text := range contents {
		f.told(u, text)
		for range 3 {
			answer := f.postOnce(g, u, text)
			if f.know(u, answer); answer.Known() == client.Acknowledged {
				break
			}
			if answer.Known() == client.Refused {
				g.Problem("uploads: S3 refused the form of %s: %v", u.started.ID, answer.Failure())
			}
			time.Sleep(random.Jitter(time.Second))
		}
		g.Pause(random, time.Minute)
	}
}

// postOnce sends a content to S3.
func (f *files) postOnce(g *game.Requests, u *upload, content string) client.Reply {
	kind, body := client.Form(u.started.Form.Fields, content)
	r, err := http.NewRequest(http.MethodPost, u.started.Form.URL, bytes.NewReader(body))
	if err != nil {
		return client.Reply{Err: err}
	}
	r.Header.Set("Content-Type", kind)
	got, err := g.World.Browse(r)
	if err != nil {
		return client.Reply{Err: err}
	}
	text, err := io.ReadAll(got.Body)
	return client.Reply{Status: got.StatusCode, Body: text, Err: err}
}

// both posts a content and sends another to the receiver.
func (f *files) both(g *game.Requests, random sim.Random, u *upload, content, other string) {
	f.post(g, random, u, content, content)
	f.told(u, other)
	f.know(u, f.tell(u, other))
}

// join sends two parts, in any order and one twice, and has them put together.
func (f *files) join(g *game.Requests, random sim.Random, u *upload, content, _ string) {
	whole := strings.Repeat("x", partSize) + content
	f.told(u, whole)
	early := random.IntN(4) == 0
	for _, n := range [][]int{{0, 1}, {1, 0}, {0, 1, 0}}[random.IntN(3)] {
		if early && n == 1 {
			if answer := f.joinOnce(u); answer.Known() == client.Acknowledged {
				g.Problem("uploads: %s was put together without a part", u.started.ID)
			}
		}
		if !f.sendPart(g, u, n, content) {
			return // it is given up
		}
	}
	for range 4 {
		answer := f.joinOnce(u)
		if f.know(u, answer); answer.Known() == client.Acknowledged {
			return
		}
		time.Sleep(random.Jitter(time.Minute))
	}
}

func (f *files) joinOnce(u *upload) client.Reply {
	answer, _ := clients.Send(f.users[u.user], client.Request{
		Method: "PUT", Path: partsPath + u.started.ID + "/", Body: map[string]any{"multi_uuid": u.started.MultiID},
	})
	return answer
}

// sendPart sends one of the two parts, until it is taken or for some time.
func (f *files) sendPart(g *game.Requests, u *upload, n int, content string) bool {
	stranger := f.app.With("")
	stranger.Header = http.Header{
		"Content-Type": {"application/octet-stream"}, "Authorization": {u.started.Authorization},
		"X-Service-Multi-Uuid": {u.started.MultiID}, "X-Service-Part-Id": {strconv.Itoa(n)}, "X-Service-Multi-Stage": {"upload"},
	}
	body := [][]byte{bytes.Repeat([]byte("x"), partSize), []byte(content)}[n]
	for range 5 {
		answer, _ := clients.Send(stranger, client.Request{Method: "PUT", Path: "/upload/" + u.started.ID + "/", Body: body})
		switch answer.Known() {
		case client.Acknowledged:
			return true
		case client.Refused:
			g.Problem("uploads: part %d of %s was refused: %v", n, u.started.ID, answer.Failure())
			return false
		}
	}
	return false
}

// giveUp sends nothing, or a part.
func (f *files) giveUp(g *game.Requests, random sim.Random, u *upload, content, _ string) {
	if u.started.MultiID != "" && random.IntN(2) == 0 {
		f.sendPart(g, u, 1, content)
	}
}
