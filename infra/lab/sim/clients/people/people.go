// Package people has a part of a game (package clients): the sessions and names of end users.
package people

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/clients"
	"minicloud/infra/lab/sim/game"
	"minicloud/shared/secret/password"
	"minicloud/shared/user"
)

// Parts are all there are.
var Parts = []game.Named{{Name: "people", Make: func() game.Part { return &people{} }}}

// people are end users who register and log in by names that all of them want, while an administrator blocks them and
// ends their sessions.
type people struct {
	app, test, other *client.Application // test is another environment, other another application

	names   clients.Holders // by kind and key
	mu      sync.Mutex
	persons map[int64]*person
	tokens  []*token
	lost    int // requests that may have made a user of whom nobody knows
}

// person is a user as the clients know them.
type person struct {
	id       int64
	password string // "" = none
	blocked  clients.Timeline[bool]
	endings  []*ending
}

// token is a session as its client knows it.
type token struct {
	text   string
	who    *person
	opened clients.Span
}

// ending ends sessions of a person.
type ending struct {
	clients.Span
	only, but *token // only this one, all but this one
}

// The password of the users who are planted, with a hash of low costs: a real one takes longer than a request.
const (
	cheapPassword = "a long password"
	cheapHash     = password.Hash("$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$oTl0oegcznsO/cdmOXYt8Xq3VKFGmBZizxNx9tht8eE")
)

// actors are how many clients there are.
const actors = 4

func (p *people) Plant(g *game.Requests) (err error) {
	p.persons = map[int64]*person{}
	if p.app, err = g.Application("people"); err != nil {
		return err
	}
	if p.other, err = g.Application("strangers"); err != nil {
		return err
	}
	for _, env := range p.app.Credentials.Environments {
		p.test = p.app.In(env)
	}
	ids, err := client.PlantUsers(context.Background(), g.Keeper().Backend, p.app.Scope, actors, nil)
	if err != nil {
		return err
	}
	for n, text := range ids {
		if err := p.plantAccount(g, text, fmt.Sprint("planted", n)); err != nil {
			return err
		}
	}
	return clients.AllowVendor(p.app)
}

// plantAccount gives a user a name and a password that is checked fast.
func (p *people) plantAccount(g *game.Requests, text, name string) error {
	var id int64
	if _, err := fmt.Sscan(text, &id); err != nil {
		return err
	}
	none := user.Account{UserID: user.ID(id)}
	err := g.Keeper().Backend.Accounts().ReplaceAccount(context.Background(), p.app.Scope, none, user.Account{
		UserID: user.ID(id), Username: name, Password: cheapHash, Revision: 1,
	})
	p.person(id, cheapPassword)
	p.names.Met("username "+name, holderOf(id), clients.Span{})
	return err
}

func holderOf(id int64) string { return fmt.Sprint("user ", id) }

// person returns a user, who may be new.
func (p *people) person(id int64, word string) *person {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.persons[id] == nil {
		p.persons[id] = &person{id: id, password: word, blocked: clients.Started(false)}
	}
	return p.persons[id]
}

// opened notes a session that a login has opened.
func (p *people) opened(who *person, text string, asked clients.Span) *token {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := &token{text, who, asked}
	p.tokens = append(p.tokens, t)
	return t
}

// begin notes that sessions are ended now.
func (p *people) begin(who *person, only, but *token) *ending {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := &ending{clients.Since(), only, but}
	who.endings = append(who.endings, e)
	return e
}

// over notes whether an ending happened.
func (p *people) over(who *person, e *ending, known client.Reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch known.Known() {
	case client.Acknowledged:
		e.To = time.Now()
	case client.Refused:
		who.endings = slices.DeleteFunc(who.endings, func(other *ending) bool { return other == e })
	}
}

// fate returns whether a session may have been valid at some time of a span, and whether it may have ended, apart from
// some endings.
func (p *people) fate(t *token, asked clients.Span, apart ...*ending) (valid, ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	valid = true
	for _, e := range t.who.endings {
		if e.only != nil && e.only != t || e.but == t || slices.Contains(apart, e) {
			continue
		}
		if !asked.Before(e.Span) && !e.Before(t.opened) {
			ended = true
		}
		if e.Before(asked) && (e.only == t || t.opened.Before(e.Span)) {
			valid = false
		}
	}
	return valid, ended
}

// probes are requests that need a session, of several programs.
var probes = []string{"/hserve/v3/session/", "/hserve/v2.5/user/info/%d/", "/hserve/v2.0/table/", "/hserve/v2.2/server/time/"}

// probe is the path of one of the probes.
func (t *token) probe(n int) string { return strings.ReplaceAll(probes[n], "%d", fmt.Sprint(t.who.id)) }

// probe uses a session.
func (p *people) probe(g *game.Requests, random sim.Random, t *token) {
	g.Note("session used")
	path := t.probe(random.IntN(len(probes)))
	answer, asked := clients.Send(clients.As(p.app, t.text), client.Request{Method: "GET", Path: path})
	p.judgeSession(g, t, asked, answer, path)
}

// judgeSession compares an answer with what is known of the session.
func (p *people) judgeSession(g *game.Requests, t *token, asked clients.Span, answer client.Reply, what string) {
	valid, ended := p.fate(t, asked)
	switch {
	case answer.Known() == client.Acknowledged && !valid:
		g.Problem("people: a session of user %d that had ended was valid for %s", t.who.id, what)
	case answer.Status == 401 && !ended:
		g.Problem("people: a session of user %d was refused for %s: %v", t.who.id, what, answer.Failure())
	case answer.Known() == client.Refused && answer.Status != 401 && answer.Status != 429 && answer.Status != 409:
		g.Problem("people: %s of user %d: %v", what, t.who.id, answer.Failure())
	}
}

// misuse uses a session where it is none: in another environment, and in another application.
func (p *people) misuse(g *game.Requests, random sim.Random, t *token) {
	g.Note("session of elsewhere")
	path := t.probe(random.IntN(len(probes) - 1))
	for _, a := range []*client.Application{p.test, p.other} {
		answer, _ := clients.Send(clients.As(a, t.text), client.Request{Method: "GET", Path: path})
		if answer.Known() != client.Unknown && answer.Status != 401 && answer.Status != 429 {
			g.Problem("people: a session of %s is answered %d by %s for %s", p.app.Scope, answer.Status, a.Scope, path)
		}
	}
}

func (p *people) Clients(g *game.Requests) (all []func(sim.Random)) {
	ids := slices.Sorted(maps.Keys(p.persons))
	for n := range actors {
		a := &actor{people: p, game: g, number: n, own: p.persons[ids[n]]}
		all = append(all, g.Turns(14, 6*time.Second, func(random sim.Random, _ int) {
			a.random = random
			a.step()
		}))
	}
	return append(all, func(random sim.Random) {
		for range 8 {
			g.Pause(random, 12*time.Second)
			p.administer(g, random)
		}
	})
}

// some draws one of the persons and the sessions that are known now.
func (p *people) some(random sim.Random) (*person, *token) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ids := slices.Sorted(maps.Keys(p.persons))
	who := p.persons[ids[random.IntN(len(ids))]]
	if len(p.tokens) == 0 {
		return who, nil
	}
	return who, p.tokens[random.IntN(len(p.tokens))]
}

// administer blocks a user for a while, or ends all sessions of one. There is no other administrator.
func (p *people) administer(g *game.Requests, random sim.Random) {
	who, _ := p.some(random)
	path := fmt.Sprintf("/oserve/v3/user/%d/", who.id)
	if random.IntN(2) == 0 {
		g.Note("sessions ended by an administrator")
		e := p.begin(who, nil, nil)
		answer, _ := clients.Send(p.app, client.Request{Method: "DELETE", Path: path + "session/"})
		p.over(who, e, answer)
		p.expect(g, "end the sessions", answer, 404)
		return
	}
	g.Note("user blocked")
	for _, blocked := range []bool{true, false} {
		var e *ending
		if blocked {
			e = p.begin(who, nil, nil)
		}
		p.mu.Lock()
		who.blocked.Begin(blocked)
		p.mu.Unlock()
		answer, _, _ := clients.Keyed(random, p.app, client.Request{
			Method: "PUT", Path: path, Body: map[string]any{"blocked": blocked}, Key: fmt.Sprint("block ", random.Uint64()),
		})
		if blocked {
			p.over(who, e, answer)
		}
		p.mu.Lock()
		switch answer.Known() {
		case client.Acknowledged:
			who.blocked.Known()
		case client.Refused:
			who.blocked.Undone()
		}
		p.mu.Unlock()
		p.expect(g, "block", answer, 404)
		g.Pause(random, 8*time.Second)
	}
}

// expect notes a refusal with another status than those of conflicts and limits.
func (p *people) expect(g *game.Requests, what string, answer client.Reply, statuses ...int) {
	if answer.Known() == client.Refused && !slices.Contains(append(statuses, 409, 429), answer.Status) {
		g.Problem("people: %s: %v", what, answer.Failure())
	}
}

func (*people) Open(*game.Requests) int { return 0 }

func (p *people) Judge(g *game.Requests) {
	for _, problem := range p.names.Twice() {
		g.Problem("people: %s", problem)
	}
	random := g.World.Random("last sessions")
	live := []*token{}
	for _, t := range p.tokens {
		p.probe(g, random, t)
		if valid, ended := p.fate(t, clients.Since()); valid && !ended {
			live = append(live, t)
			p.misuse(g, random, t)
		}
	}
	p.judgeAccounts(g)
	p.judgeExpiry(g, live)
}

// judgeExpiry lets the clocks of programs run ahead: no session is valid after its time.
func (p *people) judgeExpiry(g *game.Requests, live []*token) {
	const ahead = 30*24*time.Hour + time.Minute
	for _, program := range []string{"table", "table2", "user", "user2", "session", "session2"} {
		g.World.Skew(program, ahead)
		defer g.World.Skew(program, 0)
	}
	for _, t := range live {
		path := t.probe(int(t.who.id) % 3)
		if answer, _ := clients.Send(clients.As(p.app, t.text), client.Request{Method: "GET", Path: path}); answer.Status != 401 {
			g.Problem("people: a session is answered %d after 30 days for %s", answer.Status, path)
		}
	}
}
