// Package proofs has a part of a game (package clients): codes by SMS, links in mails and logins of web pages, each of
// which proves one thing once, while several use it at the same time.
//
//	phones    codes, guesses and many numbers at once         phones.go
//	mails     links that verify addresses and reset passwords mails.go
//	pages     states and auth tokens of web logins            pages.go
package proofs

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/clients"
	"minicloud/infra/lab/sim/game"
	"minicloud/shared/message/allowance"
)

// Parts are all there are.
var Parts = []game.Named{{Name: "proofs", Make: func() game.Part { return &proofs{} }}}

// proofs are the clients of an application whose budgets are small.
type proofs struct {
	app     *client.Application
	members []member

	mu    sync.Mutex
	users map[string]int64 // by phone and vendor account: the user whom a login found
}

// The budgets of the application, in messages a day.
const (
	textBudget = 10
	mailBudget = 5
)

func (p *proofs) Plant(g *game.Requests) (err error) {
	ctx := context.Background()
	p.users = map[string]int64{}
	if p.app, err = g.Application("proofs"); err != nil {
		return err
	}
	const sender = "tea@example.com"
	store, asked := g.Keeper().Backend.Allowances(), allowance.Sender{Address: sender, Status: allowance.CodeSent, Code: "c"}
	err = errors.Join(store.AskSender(ctx, p.app.Scope.App, asked), store.ConfirmSender(ctx, p.app.Scope.App, asked, "c"))
	for _, s := range []struct {
		path   string
		fields map[string]any
	}{
		{"/oserve/v3/sms-setting/", map[string]any{
			"enabled": true, "signatures": []any{map[string]any{"name": "Tea", "status": "approved"}}, "daily_budget": textBudget,
		}},
		{"/oserve/v3/mail-setting/", map[string]any{"sender": sender, "daily_budget": mailBudget}},
		{"/oserve/v3/login-setting/oauth-chat-web/", map[string]any{"app_id": "web1", "app_secret": "owned"}},
		{"/oserve/v1.8/application-setting/", map[string]any{"callback_hosts": []string{"shop.example.com"}}},
	} {
		err = errors.Join(err, p.app.Call(ctx, "PUT", s.path, s.fields, &struct{}{}))
	}
	return errors.Join(err, p.plantMembers())
}

// Clients implements game.Part.
func (p *proofs) Clients(g *game.Requests) (all []func(sim.Random)) {
	for n := range 3 {
		phone := func(random sim.Random, turn int) { p.phone(g, random, n, turn) }
		page := func(random sim.Random, _ int) { p.page(g, random) }
		// A number gets one message a minute.
		all = append(all, g.Turns(3, 3*time.Minute, phone), g.Turns(3, 30*time.Second, page))
	}
	for _, m := range p.members {
		all = append(all, func(random sim.Random) { p.mail(g, random, m) })
	}
	return append(all, func(random sim.Random) { p.pump(g, random) })
}

// atOnce does something several times at the same time, and returns how many were acknowledged.
func (p *proofs) atOnce(g *game.Requests, name string, times int, do func(n int) client.Reply) int {
	var acknowledged atomic.Int32
	g.AtOnce(name, times, 50*time.Millisecond, func(_ sim.Random, n int) {
		if do(n).Known() == client.Acknowledged {
			acknowledged.Add(1)
		}
	})
	return int(acknowledged.Load())
}

// found notes the user whom a login by a phone or an identity found: always the same one.
func (p *proofs) found(g *game.Requests, by string, answer client.Reply) {
	var got clients.Entered
	if answer.Known() != client.Acknowledged {
		return
	}
	if err := answer.Decode(&got); err != nil || got.ID == 0 {
		g.Problem("proofs: a login of %s was answered %s", by, answer.Body)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if before := p.users[by]; before != 0 && before != got.ID {
		g.Problem("proofs: %s is of user %d and of user %d", by, before, got.ID)
	}
	p.users[by] = got.ID
}

// Open implements game.Part: each request is over when it is answered, or 35 s later.
func (*proofs) Open(*game.Requests) int { return 0 }

// Judge implements game.Part: budgets hold, and no two users have one phone or identity.
func (p *proofs) Judge(g *game.Requests) {
	if n := len(p.texts(g, "")); n > textBudget {
		g.Problem("proofs: %d messages were sent, the budget is %d", n, textBudget)
	}
	if n := len(p.mails(g, "")); n > mailBudget {
		g.Problem("proofs: %d mails were sent, the budget is %d", n, mailBudget)
	}
}
