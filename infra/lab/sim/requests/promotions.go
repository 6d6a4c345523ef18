package requests

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/game"
	"minicloud/shared/console"
	"minicloud/shared/console/promotion"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// promotions is what an administrator does in the console: to promote a test environment and to revert that, to sign
// in, and to invite others.
type promotions struct {
	production, test *client.Application
	console          *client.Application // with a session
	invited          map[string]int      // acknowledged accounts, by address
}

// The owner of the console. The hash is a cheap one of the password: sign-ins are many, and a real one takes longer
// than the rest of a game. Each hash names its costs.
const (
	owner         = "owner@example.com"
	ownerPassword = "a long password"
	ownerHash     = "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$oTl0oegcznsO/cdmOXYt8Xq3VKFGmBZizxNx9tht8eE"
)

// promoted are the objects of the test environment.
var promoted = []promotion.Ref{
	{Kind: promotion.KindFunction, Name: "first"}, {Kind: promotion.KindFunction, Name: "second"},
	{Kind: promotion.KindTable, Name: "goods"}, {Kind: promotion.KindTrigger, Name: "called"},
}

func (p *promotions) Plant(g *game.Requests) (err error) {
	p.invited = map[string]int{}
	if p.production, err = g.Application("promotions"); err != nil {
		return err
	}
	for _, env := range p.production.Credentials.Environments {
		p.test = p.production.In(env)
	}

	ctx := context.Background()
	err = g.Keeper().Backend.Console().InsertAccount(ctx, console.Account{
		ID: 1, Email: owner, Name: "owner", Role: console.Owner, AllApplications: true, Password: ownerHash,
		CreatedAt: time.Now(), Revision: 1,
	})
	if err != nil {
		return err
	}
	if p.console, err = p.signIn(ctx); err != nil {
		return fmt.Errorf("sign in: %w", err)
	}
	for _, ref := range promoted {
		path, body := p.draft(ref, 0)
		if err := p.test.Call(ctx, "POST", path, body, &struct{}{}); err != nil {
			return err
		}
	}
	return nil
}

// draft is an object as it is after so many changes.
func (p *promotions) draft(ref promotion.Ref, n int) (path string, body map[string]any) {
	switch ref.Kind {
	case promotion.KindFunction:
		plan := map[bool]sandbox.Plan{true: sandbox.PlanPersonal, false: sandbox.PlanFree}[ref.Name == "second"]
		return client.FunctionsPath, map[string]any{"name": ref.Name, "function_code": game.CodeOf(n), "plan_circle": plan}
	case promotion.KindTable:
		columns := make([]client.Column, n+1)
		for i := range columns {
			columns[i] = client.Column{Name: fmt.Sprint("c", i), Type: "integer"}
		}
		return client.TablesPath, client.Schema(ref.Name, columns...)
	}
	return client.TriggersPath, map[string]any{
		"name": ref.Name, "type": "incoming_webhook", "condition": map[string]any{}, "description": fmt.Sprint("change ", n),
		"actions": []any{map[string]any{"type": "cloud_function", "settings": map[string]any{"function": "first"}}},
	}
}

// signIn is an application of the console, with a session.
func (p *promotions) signIn(ctx context.Context) (*client.Application, error) {
	a := p.production.With("")
	r := a.Send(ctx, client.Request{Method: "POST", Path: "/console/api/session/", Body: map[string]any{
		"email": owner, "password": ownerPassword,
	}})
	var got struct {
		CSRF string `json:"csrf_token"`
	}
	if err := r.Decode(&got); err != nil {
		return nil, err
	}
	a.Header = http.Header{"X-Csrf-Token": {got.CSRF}}
	for _, cookie := range (&http.Response{Header: r.Header}).Cookies() {
		a.Header.Set("Cookie", cookie.Name+"="+cookie.Value)
	}
	return a, nil
}

func (p *promotions) Clients(g *game.Requests) []func(sim.Random) {
	invite := func(random sim.Random) {
		g.Pause(random, 5*time.Second)
		p.invite(g, random)
	}
	round := func(random sim.Random, n int) { p.round(g, random, n) }
	all := []func(sim.Random){g.Turns(4, 20*time.Second, round), p.visit(g)}
	if g.Seed%4 == 0 { // passwords of accounts are expensive
		all = append(all, invite, invite)
	}
	return all
}

// visit signs in and out.
func (p *promotions) visit(g *game.Requests) func(sim.Random) {
	return func(sim.Random) {
		g.Note("sign-in")
		ctx := context.Background()
		session, err := p.signIn(ctx)
		if err != nil {
			return // nobody knows whether there is a session
		}
		r := session.Send(ctx, client.Request{Method: "GET", Path: "/console/api/session/"})
		if r.Known() == client.Refused {
			g.Problem("console: a new session is refused: %v", r.Failure())
		}
		if out := session.Send(ctx, client.Request{Method: "DELETE", Path: "/console/api/session/"}); out.Known() == client.Acknowledged {
			if r := session.Send(ctx, client.Request{Method: "GET", Path: "/console/api/session/"}); r.Known() == client.Acknowledged {
				g.Problem("console: a session that was ended is valid")
			}
		}
	}
}

// invite creates an account with an address that others want, too.
func (p *promotions) invite(g *game.Requests, random sim.Random) {
	g.Note("console account")
	_, x := p.console.Repeat(random.Rand, client.Request{
		Method: "POST", Path: "/console/api/account/", Key: fmt.Sprint("invite ", random.Uint64()), Body: map[string]any{
			"email": "other@example.com", "name": "Other", "password": ownerPassword, "role": "viewer",
		},
	})
	if x.Known == client.Acknowledged {
		p.invited["other@example.com"]++
	}
}

// at is the path of the application in the console.
func (p *promotions) at(path string) string {
	return fmt.Sprintf("/console/api/application/%d/%s", p.production.Scope.App, path)
}

// round changes the test environment, promotes it, and sometimes reverts that. Nobody else changes either.
func (p *promotions) round(g *game.Requests, random sim.Random, n int) {
	for _, ref := range promoted {
		if random.IntN(2) == 0 {
			p.change(random, ref, n+1)
		}
	}
	before, ok := p.state(p.production)
	if !ok {
		return
	}
	record, ok := p.promote(g, random, n)
	if !ok || random.IntN(2) == 0 {
		return
	}
	p.revert(g, random, record, before)
}

// change changes an object of the test environment. Whether that succeeds is not asked.
func (p *promotions) change(random sim.Random, ref promotion.Ref, n int) {
	path, body := p.draft(ref, n)
	method, name := "PUT", ref.Name
	switch ref.Kind {
	case promotion.KindFunction:
		method = "PATCH"
	case promotion.KindTrigger:
		var list struct{ Objects []struct{ ID int64 } }
		if p.test.Send(context.Background(), client.Request{Method: "GET", Path: path}).Decode(&list) != nil || len(list.Objects) == 0 {
			return
		}
		name = fmt.Sprint(list.Objects[0].ID)
		delete(body, "type")
		delete(body, "actions")
	}
	p.test.Repeat(random.Rand, client.Request{Method: method, Path: path + name + "/", Body: body, Key: fmt.Sprint("change ", ref, n)})
}

// answer is a promotion as the console shows it.
type answer struct {
	ID    int64
	Items []struct {
		promotion.Ref
		Change      promotion.Change
		Done        bool
		Pending     bool
		Reverted    bool
		Error       string
		RevertError string `json:"revert_error"`
	}
}

// busy is the reason of a step that may succeed when its request is repeated.
const busy = "try again"

// settled repeats a request with its key until none of its steps was busy.
func (p *promotions) settled(random sim.Random, r client.Request) (got answer, x client.Effect) {
	for range 10 {
		var sent client.Reply
		sent, x = p.console.Repeat(random.Rand, r)
		got = answer{}
		if x.Known != client.Acknowledged || sent.Decode(&got) != nil {
			return got, x
		}
		again := false
		for _, item := range got.Items {
			again = again || item.Pending || strings.Contains(item.RevertError, busy)
		}
		if !again {
			return got, x
		}
		time.Sleep(random.Jitter(client.RepeatAfter))
	}
	return got, x
}

func (p *promotions) promote(g *game.Requests, random sim.Random, n int) (got answer, ok bool) {
	g.Note("promotion")
	r := client.Request{
		Method: "POST", Path: p.at("promote/"), Key: fmt.Sprint("promote ", n), Body: map[string]any{
			"from": p.test.Scope.Env, "to": tenant.Production, "items": promoted,
		},
	}
	got, x := p.settled(random, r)
	if x.Known == client.Refused {
		g.Problem("promotions: refused: %s", x.Said)
	}
	if x.Known != client.Acknowledged {
		return got, false
	}
	for _, item := range got.Items {
		if !item.Done && item.Change != promotion.Same {
			g.Problem("promotions: %s, which is %s, was not promoted: %s", item.Ref, item.Change, item.Error)
		}
	}
	source, read := p.state(p.test)
	target, also := p.state(p.production)
	if read && also {
		p.same(g, "promotions: what was promoted", source, target)
	}
	return got, got.ID != 0
}

// revert reverts a promotion: everything is as it was before.
func (p *promotions) revert(g *game.Requests, random sim.Random, of answer, before map[string]string) {
	g.Note("revert")
	got, x := p.settled(random, client.Request{
		Method: "POST", Path: p.at(fmt.Sprintf("promotion/%d/revert/", of.ID)), Key: fmt.Sprint("revert ", of.ID),
		Body: map[string]any{},
	})
	if x.Known != client.Acknowledged {
		return
	}
	for _, item := range got.Items {
		if item.Change != promotion.Same && !item.Reverted {
			g.Problem("promotions: %s, which was %s, was not reverted: %s", item.Ref, item.Change, item.RevertError)
		}
	}
	if after, ok := p.state(p.production); ok {
		p.same(g, "promotions: what was reverted", before, after)
	}
}

func (p *promotions) same(g *game.Requests, what string, want, got map[string]string) {
	if !maps.Equal(want, got) {
		g.Problem("%s differs: want %v, got %v", what, want, got)
	}
}

// state is what an environment has, without what is its own; ok is false where it could not be read.
func (p *promotions) state(a *client.Application) (all map[string]string, ok bool) {
	all = map[string]string{}
	type object struct {
		Name        string
		Code        string `json:"function_code"`
		Plan        string `json:"plan_circle"`
		Description string
		Actions     []struct{ Settings json.RawMessage }
		Schema      struct{ Fields []struct{ Name string } }
	}
	// A map has no order, and the seed says which request is first.
	for _, of := range [][2]string{
		{"function", client.FunctionsPath}, {"table", client.TablesPath}, {"trigger", client.TriggersPath},
	} {
		kind, path := of[0], of[1]
		_, err := client.List(context.Background(), a, path, func(o object) error {
			if o.Name == "_userprofile" {
				return nil
			}
			key := kind + " " + o.Name
			if _, twice := all[key]; twice {
				return fmt.Errorf("%s is there twice", key)
			}
			if kind == "function" { // lists have no code
				if err := a.Call(context.Background(), "GET", path+o.Name+"/", nil, &o); err != nil {
					return err
				}
			}
			settings := ""
			for _, action := range o.Actions {
				settings += string(action.Settings)
			}
			all[key] = fmt.Sprint(o.Code, o.Plan, o.Description, o.Schema, settings)
			return nil
		})
		if err != nil {
			return nil, false
		}
	}
	return all, true
}

func (*promotions) Open(g *game.Requests) int { return g.Messages("TableWorkQueue", nil) }

func (p *promotions) Judge(g *game.Requests) {
	ctx := context.Background()
	times := map[string]int{}
	_, err := client.List(ctx, p.console, "/console/api/account/", func(a struct{ Email string }) error {
		times[a.Email]++
		return nil
	})
	if err != nil {
		g.Problem("console: list: %v", err)
	}
	for email, n := range p.invited {
		if n > 1 || times[email] != 1 {
			g.Problem("console: %s was created %d times, and is there %d times", email, n, times[email])
		}
	}
}
