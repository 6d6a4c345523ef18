package requests

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/clients"
	"minicloud/infra/lab/sim/game"
)

// accounts changes names, addresses and profiles of users that want the same ones.
type accounts struct {
	app   *client.Application
	users []string
	asked promise.Ledger // changes of profiles

	states []map[string]bool // of each user, the names that it may have, in the form in which they are claimed
}

const fewUsers = 5

// wanted are the names that all users want, in several notations.
var wanted = []string{"ada", "Ada", "bob", "eve"}

func (a *accounts) Plant(g *game.Requests) (err error) {
	if a.app, err = g.Application("accounts"); err != nil {
		return err
	}
	ctx := context.Background()
	if err := a.app.AddUserColumns(ctx, "n"); err != nil {
		return err
	}
	a.users, err = client.PlantUsers(ctx, g.Keeper().Backend, a.app.Scope, fewUsers, map[string]any{"n": int64(0)})
	if err != nil {
		return err
	}
	for range a.users {
		a.states = append(a.states, map[string]bool{"": true})
	}
	return nil
}

func (a *accounts) Clients(g *game.Requests) (all []func(sim.Random)) {
	for i, user := range a.users {
		rename := func(random sim.Random, n int) { a.rename(g, random, i, n) }
		var first keyed
		all = append(all, g.Turns(6, 5*time.Second, rename), g.Turns(4, 5*time.Second, func(random sim.Random, n int) {
			now := a.add(g, random, user, n)
			a.same(g, first)
			first = now
		}))
	}
	return all
}

// rename gives a user another name and address, or none. Only this client names this user.
func (a *accounts) rename(g *game.Requests, random sim.Random, i, n int) {
	g.Note("account changed")
	name := wanted[random.IntN(len(wanted))]
	claimed, body := "username "+strings.ToLower(name), map[string]any{"username": name, "email": name + "@example.com"}
	if random.IntN(4) == 0 {
		claimed, body = "", map[string]any{"username": nil, "email": nil}
	}
	r := client.Request{Method: "PUT", Path: "/userve/v2.2/miniapp/user/account/" + a.users[i] + "/", Body: body}
	if random.IntN(2) == 0 {
		r.Key = fmt.Sprint("rename ", i, n)
	}
	answer, _ := a.app.Repeat(random.Rand, r)

	switch answer.Known() {
	case client.Acknowledged:
		a.states[i] = map[string]bool{claimed: true}
	case client.Unknown:
		a.states[i][claimed] = true
	case client.Refused:
		if answer.Status != 400 && answer.Status != 409 {
			g.Problem("accounts: renaming to %q was refused: %v", claimed, answer.Failure())
		}
	}
}

// keyed is a request with a key, and its answer.
type keyed struct {
	request client.Request
	answer  client.Reply
}

// same sends a request once more, after the user has changed: it gets its first answer.
func (a *accounts) same(g *game.Requests, first keyed) {
	if first.request.Key == "" || first.answer.Known() != client.Acknowledged {
		return
	}
	again := a.app.Send(context.Background(), first.request)
	if again.Known() == client.Unknown || again.Status == http.StatusConflict {
		return
	}
	if again.Status != first.answer.Status || !bytes.Equal(again.Body, first.answer.Body) {
		g.Problem("keys: %s was answered %s and then %s", first.request.Key, first.answer.Body, again.Body)
	}
}

// add adds a power of ten to a user's column.
func (a *accounts) add(g *game.Requests, random sim.Random, user string, n int) (sent keyed) {
	g.Note("profile changed")
	r := client.Request{
		Method: "PUT", Path: usersPath + user + "/", Body: map[string]any{"n": map[string]any{"$incr_by": promise.Power(n)}},
	}
	if random.IntN(2) == 0 {
		r.Key = fmt.Sprint("add ", user, n)
	}
	answer, x := a.app.Repeat(random.Rand, r)
	if r.Key != "" {
		sent = keyed{r, answer}
		if other := a.other(r); x.Known == client.Acknowledged && other.Known() != client.Unknown && other.Status != 422 {
			g.Problem("keys: another body with the key %q was answered %d", r.Key, other.Status)
		}
	}
	if x.Wrong != "" {
		g.Problem("keys: %s: %s", r.Key, x.Wrong)
	}
	a.asked.Expect(promise.Met(n, user), x.Known)
	return sent
}

// other sends another request with the same key.
func (a *accounts) other(r client.Request) client.Reply {
	r.Body = map[string]any{"n": map[string]any{"$incr_by": 5}}
	return a.app.Send(context.Background(), r)
}

func (*accounts) Open(*game.Requests) int { return 0 }

func (a *accounts) Judge(g *game.Requests) {
	found := map[string]int{}
	type row struct {
		ID json.RawMessage `json:"id"`
		N  int64
	}
	_, err := client.List(context.Background(), a.app, "/userve/v2.2/miniapp/user_profile/?limit=1000", func(r row) error {
		promise.Digits(found, string(r.ID), r.N)
		return nil
	})
	if err != nil {
		g.Problem("accounts: list: %v", err)
	}
	g.Tell("accounts", a.asked.Judge(promise.Found{Times: found}))
	names := clients.Accounts(g, a.app.Scope)
	clients.JudgeNames(g, a.app.Scope, names)
	for i, user := range a.users {
		if name := names[user]["username"]; !a.states[i][name] {
			g.Problem("accounts: %s has %q, and may have %v", user, name, a.states[i])
		}
	}
}
