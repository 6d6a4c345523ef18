package proofs

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/clients"
	"minicloud/infra/lab/sim/game"
)

const pagePath = "/hserve/v2.0/idp/oauth-chat-web/"

// page logs a user of a provider in: several browsers come with one state, and several pages use one auth token.
func (p *proofs) page(g *game.Requests, random sim.Random) {
	g.Note("web login")
	who, nobody := []string{"ada", "bob"}[random.IntN(2)], clients.As(p.app, "")
	begun, _ := clients.Send(nobody, client.Request{
		Method: "POST", Path: pagePath + "redirect/", Body: map[string]any{"callback_url": "https://shop.example.com/login"},
	})
	var to struct {
		URL string `json:"redirect_url"`
	}
	if begun.Known() != client.Acknowledged {
		return
	}
	var at *url.URL
	err := begun.Decode(&to)
	if err == nil {
		at, err = url.Parse(to.URL)
	}
	state := ""
	if err == nil {
		state = at.Query().Get("state")
	}
	if state == "" {
		g.Problem("proofs: a redirect was answered %s: %v", begun.Body, err)
		return
	}

	var mu sync.Mutex
	var tokens []string
	p.atOnce(g, "state "+state, 1+random.IntN(3), func(int) client.Reply {
		answer, token := p.arrive(g, state, who)
		if token != "" {
			mu.Lock()
			defer mu.Unlock()
			tokens = append(tokens, token)
		}
		return answer
	})
	if _, again := p.arrive(g, state, who); again != "" {
		tokens = append(tokens, again)
	}
	if len(tokens) > 1 {
		g.Problem("proofs: a state was used %d times", len(tokens))
	}
	if len(tokens) == 0 {
		return
	}
	done := p.atOnce(g, "token "+tokens[0], 1+random.IntN(3), func(int) client.Reply {
		answer, _ := clients.Send(nobody, client.Request{
			Method: "POST", Path: pagePath + "authenticate/", Body: map[string]any{"auth_token": tokens[0]},
		})
		p.found(g, "account "+who, answer)
		return answer
	})
	if done > 1 {
		g.Problem("proofs: an auth token was used %d times", done)
	}
}

// arrive is a browser that comes back from the provider. It returns the auth token that it was sent on with.
func (p *proofs) arrive(g *game.Requests, state, code string) (client.Reply, string) {
	query := url.Values{"state": {state}, "code": {code}}
	r, err := http.NewRequestWithContext(
		context.Background(), http.MethodGet, fmt.Sprint("http://simulated", pagePath, "callback/?", query.Encode()), nil)
	if err != nil {
		return client.Reply{Err: err}, ""
	}
	got, err := g.World.RoundTrip(r)
	if err != nil {
		return client.Reply{Err: err}, ""
	}
	back, err := url.Parse(got.Header.Get("Location"))
	if err != nil {
		return client.Reply{Err: err}, ""
	}
	return client.Reply{Status: got.StatusCode}, back.Query().Get("token")
}
