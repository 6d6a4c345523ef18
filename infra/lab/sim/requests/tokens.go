package requests

import (
	"context"
	"fmt"
	"sync"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/game"
	"minicloud/shared/oauth"
)

// tokens gets and refreshes tokens of applications of its own, one after the other, because a refresh ends all earlier
// tokens.
type tokens struct{ apps []*client.Application }

func (t *tokens) Plant(g *game.Requests) error {
	for n := range 3 {
		a, err := g.Application(fmt.Sprint("tokens ", n))
		if err != nil {
			return err
		}
		t.apps = append(t.apps, a)
	}
	return nil
}

func (t *tokens) Clients(g *game.Requests) (all []func(sim.Random)) {
	for n, a := range t.apps {
		all = append(all, g.Turns(3, 10*time.Second, func(random sim.Random, round int) {
			h := holder{g, a, random, fmt.Sprintf("tokens: application %d, round %d", n, round)}
			h.round(random.IntN(4))
		}))
	}
	return all
}

func (*tokens) Open(*game.Requests) int { return 0 }
func (*tokens) Judge(*game.Requests)    {}

// holder has the tokens of an application.
type holder struct {
	*game.Requests
	app    *client.Application
	random sim.Random
	what   string
}

// round is one of the ways in which tokens are used.
func (h holder) round(kind int) {
	first, ok := h.exchange()
	if !ok {
		return
	}
	h.expect(first, promise.Must, "was just given")
	switch kind {
	case 0:
		h.codeTwice()
	case 1:
		h.refreshTogether(first)
	default:
		second, ok := h.refresh(first)
		if ok && kind == 2 {
			h.refreshLate(first, second)
		}
	}
}

// exchange gets a token. Without an answer nobody knows whether the code is spent, and there are no tokens.
func (h holder) exchange() (got client.Grant, ok bool) {
	h.Note("code exchanged")
	return got, h.app.Exchange(context.Background()).Decode(&got) == nil
}

// valid is whether the API takes a token.
func (h holder) valid(token client.Grant) promise.Need {
	for range 5 { // the question has no effect
		if known := h.app.Valid(context.Background(), token.Access); known != promise.May {
			return known
		}
	}
	return promise.May
}

func (h holder) expect(token client.Grant, want promise.Need, why string) {
	if got := h.valid(token); got != want && got != promise.May {
		h.Problem("%s: a token that %s is valid: %v", h.what, why, got == promise.Must)
	}
}

// refresh refreshes until it is answered, or for as long as an answer may be repeated.
func (h holder) refresh(old client.Grant) (got client.Grant, ok bool) {
	h.Note("token refreshed")
	r := h.app.Renew(context.Background(), old.Refresh)
	if r.Known() == client.Refused {
		h.Problem("%s: a refresh was refused: %v", h.what, r.Failure())
	}
	if r.Decode(&got) != nil {
		return got, false
	}
	h.expect(got, promise.Must, "was just refreshed")
	h.expect(old, promise.Never, "was refreshed")
	return got, true
}

// refreshTogether refreshes the same token several times at once: all get the same pair.
func (h holder) refreshTogether(old client.Grant) {
	var mu sync.Mutex
	pairs := map[client.Grant]bool{}
	h.AtOnce(h.what, 3, 20*time.Millisecond, func(sim.Random, int) {
		var got client.Grant
		r := h.app.Refresh(context.Background(), old.Refresh)
		mu.Lock()
		defer mu.Unlock()
		if r.Known() == client.Refused {
			h.Problem("%s: one of several refreshes was refused: %v", h.what, r.Failure())
		}
		if r.Decode(&got) == nil {
			pairs[got] = true
		}
	})
	if len(pairs) > 1 {
		h.Problem("%s: refreshes of one token gave %d pairs", h.what, len(pairs))
	}
	for got := range pairs {
		h.expect(got, promise.Must, "was refreshed together with others")
	}
}

// refreshLate uses a refresh token again when it is too late for a lost answer: that ends all tokens.
func (h holder) refreshLate(first, second client.Grant) {
	time.Sleep(h.random.Jitter(oauth.ReplayWindow + 5*time.Second))
	r := h.app.Refresh(context.Background(), first.Refresh)
	if r.Known() == client.Acknowledged {
		h.Problem("%s: a refresh token was accepted twice", h.what)
	}
	if r.Known() == client.Refused {
		h.expect(second, promise.Never, "was given for a refresh token that was used twice")
	}
}

// codeTwice sends a code a second time: that ends what the first one gave.
func (h holder) codeTwice() {
	var got client.Grant
	body := map[string]any{"client_id": h.app.Credentials.ClientID, "client_secret": h.app.Credentials.ClientSecret}
	authorize := client.Request{Method: "POST", Path: "/api/oauth2/service/openapi/authorize/", Body: body}
	var code struct{ Code string }
	if h.app.Send(context.Background(), authorize).Decode(&code) != nil {
		return
	}
	body["code"], body["grant_type"] = code.Code, "authorization_code"
	token := client.Request{Method: "POST", Path: "/api/oauth2/access_token/", Body: body}
	if h.app.Send(context.Background(), token).Decode(&got) != nil {
		return
	}
	h.Note("code used twice")
	again := h.app.Send(context.Background(), token)
	if again.Known() == client.Acknowledged {
		h.Problem("%s: a code was accepted twice", h.what)
	}
	if again.Known() == client.Refused {
		h.expect(got, promise.Never, "was given for a code that was used twice")
	}
}
