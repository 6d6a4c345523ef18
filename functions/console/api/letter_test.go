package api_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"minicloud/shared/console/deadletter"
)

// pile is an in-memory dead-letter queue, and the queue that its messages came from.
type pile struct {
	mu    sync.Mutex
	there []deadletter.Message
	held  map[string]bool
	sent  []string
}

func (p *pile) Count(context.Context) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.there), nil
}

func (p *pile) Receive(context.Context, time.Duration) (out []deadletter.Message, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.there {
		if !p.held[m.ID] && len(out) < 10 {
			p.held[m.ID], out = true, append(out, m)
		}
	}
	return out, nil
}

func (p *pile) Release(context.Context, []deadletter.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.held)
	return nil
}

func (p *pile) Delete(_ context.Context, gone []deadletter.Message) ([]deadletter.Message, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.there = slices.DeleteFunc(p.there, func(m deadletter.Message) bool {
		return slices.ContainsFunc(gone, func(other deadletter.Message) bool { return m.ID == other.ID })
	})
	return nil, nil
}

func (p *pile) Resend(_ context.Context, all []deadletter.Message) (map[string]bool, error) {
	taken := map[string]bool{}
	for _, m := range all {
		p.sent, taken[m.ID] = append(p.sent, m.ID), true
	}
	return taken, nil
}

// letters returns a service with in-memory dead letters of jobs; the other queues are empty.
func letters(p *platform) (*deadletter.Service, *pile) {
	jobs := &pile{held: map[string]bool{}}
	queues := map[deadletter.Kind]deadletter.Queue{}
	for _, kind := range deadletter.Kinds {
		queues[kind] = &pile{held: map[string]bool{}}
	}
	queues[deadletter.Jobs] = jobs
	return &deadletter.Service{
		Queues: queues, Senders: map[deadletter.Target]deadletter.Sender{deadletter.JobQueue: jobs}, Clock: p.time,
	}, jobs
}

// TestDeadLetters: the list has the dead letters of the application only, even for accounts with access to all; those
// accounts also see the number of others.
func TestDeadLetters(t *testing.T) {
	p := newPlatform(t)
	for i, body := range []string{
		fmt.Sprintf(`{"scope":"%d.production","function":3,"job":4}`, p.shop.ID),
		fmt.Sprintf(`{"scope":"%d.production","function":5,"job":6}`, p.bar.ID), `no JSON`,
	} {
		p.dead.there = append(p.dead.there, deadletter.Message{ID: fmt.Sprint("m", i), Body: body, SentAt: p.clock()})
	}
	path := fmt.Sprintf("%s%d/dead-letter/", applications, p.shop.ID)
	owner, developer, viewer := p.signIn("owner"), p.signIn("dev"), p.signIn("viewer")

	for who, others := range map[*browser]string{owner: `"others":2`, viewer: `"others":null`} {
		got := who.want(200, "GET", path, "")
		if !strings.Contains(got.body, `"kind":"job","letters":1,`+others) || !strings.Contains(got.body, `"id":"m0"`) ||
			strings.Contains(got.body, `"m1"`) || strings.Contains(got.body, `"m2"`) || !strings.Contains(got.body, `"function_id":3`) {
			t.Errorf("%s", got.body)
		}
	}
	if got := owner.want(200, "GET", path+"?kind=bulk", ""); strings.Contains(got.body, "job") {
		t.Errorf("of bulk: %s", got.body)
	}
	owner.want(400, "GET", path+"?kind=mail", "")
	developer.want(404, "GET", fmt.Sprintf("%s%d/dead-letter/", applications, p.bar.ID), "")

	viewer.want(403, "POST", path+"job/redrive/", `{"ids":["m0"]}`)
	viewer.want(403, "POST", path+"job/delete/", `{"ids":["m0"]}`)
	for _, body := range []string{
		`{}`, `{"ids":[]}`, `{"ids":["m0"],"before":1}`, `{"before":0}`, `{"ids":"m0"}`, `{"before":"now"}`,
	} {
		developer.want(400, "POST", path+"job/redrive/", body)
	}
	developer.want(404, "POST", path+"mail/redrive/", `{"ids":["m0"]}`)
	developer.want(404, "POST", path+"job/redrive/", `{"ids":["m1"]}`)
	developer.want(404, "POST", fmt.Sprintf("%s%d/dead-letter/job/delete/", applications, p.bar.ID), `{"ids":["m1"]}`)
	developer.want(400, "POST", path+"record/redrive/", `{"before":9999999999999}`)
	if got := developer.want(200, "POST", path+"job/redrive/", `{"before":9999999999999}`); strings.TrimSpace(got.body) != `{"done":1,"kept":0,"more":false}` {
		t.Errorf("%s", got.body)
	}
	if len(p.dead.there) != 2 || len(p.dead.sent) != 1 {
		t.Errorf("left %v, sent %v", p.dead.there, p.dead.sent)
	}

	bar := fmt.Sprintf("%s%d/dead-letter/job/delete/", applications, p.bar.ID)
	if got := owner.want(200, "POST", bar, `{"ids":["m1","m1"]}`); !strings.Contains(got.body, `"done":1`) || len(p.dead.there) != 1 {
		t.Errorf("%s, left %v", got.body, p.dead.there)
	}
	log := owner.want(200, "GET", fmt.Sprintf("%s%d/audit/", applications, p.shop.ID), "")
	if !strings.Contains(log.body, "dead-letter/job/redrive") || strings.Contains(log.body, "viewer@") {
		t.Errorf("the audit log: %s", log.body)
	}
}
