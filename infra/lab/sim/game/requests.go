package game

import (
	"context"
	"fmt"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/sim"
	"minicloud/infra/seed/demo"
)

// Part is what clients of one kind do in a game of requests.
type Part interface {
	// Plant prepares the applications, before anything goes wrong.
	Plant(g *Requests) error
	// Clients are what happens at the same time.
	Clients(g *Requests) []func(random sim.Random)
	// Open is how much is still under way.
	Open(g *Requests) int
	// Judge compares what there is with what was asked for.
	Judge(g *Requests)
}

// Named makes a part.
type Named struct {
	Name string
	Make func() Part
}

// Requests is the play of what callers ask of the API: programs put together by their own wire packages, and clients
// that send requests through the gateway.
type Requests struct {
	*Game
	*Cloud
	parts []Part
}

// AllWord is the word for those parts that the seed says.
const AllWord = "requests"

// Of returns the play with the parts that the words of a game name; by AllWord a quarter of all, which the seed says, so that
// a seed takes no longer than one of triggers.
func Of(all []Named) func(*Game) Play {
	return func(g *Game) Play {
		r := &Requests{Game: g, Cloud: newCloud(g)}
		for i, p := range all {
			if g.Says(p.Name) || g.Says(AllWord) && uint64(i)%4 == g.Seed%4 {
				r.parts = append(r.parts, p.Make())
			}
		}
		return r
	}
}

// Plant implements Play.
func (r *Requests) Plant() error {
	for _, p := range r.parts {
		if err := p.Plant(r); err != nil {
			return fmt.Errorf("%T: %w", p, err)
		}
	}
	return nil
}

// Faults implements Play.
func (r *Requests) Faults(on bool) {
	if r.Sandbox.troubles = 0; on {
		r.Sandbox.troubles = r.Rough
	}
}

// Clients implements Play.
func (r *Requests) Clients() (all []func()) {
	for i, p := range r.parts {
		for n, do := range p.Clients(r) {
			random := r.World.Random(fmt.Sprintf("client %T %d %d", p, i, n))
			all = append(all, func() {
				r.Pause(random, 3*time.Second)
				do(random)
			})
		}
	}
	return all
}

// Open implements Play.
func (r *Requests) Open(time.Duration) (n int) {
	for _, p := range r.parts {
		n += p.Open(r)
	}
	if n > 0 {
		r.redrive()
	}
	return n
}

// Judge implements Play.
func (r *Requests) Judge() {
	for _, p := range r.parts {
		p.Judge(r)
	}
}

// Report implements Play: what was asked for is all there is to say.
func (r *Requests) Report(*Report) {}

// Application makes an application with a test environment and a token.
func (g *Requests) Application(name string) (*client.Application, error) {
	k, ctx := g.Keeper(), context.Background()
	seed := demo.Seed{Client: k.Backend.DynamoDB, Clock: k.Clock(), Name: name}
	credentials, err := seed.Plant(ctx, demo.Credentials{})
	if err != nil {
		return nil, err
	}
	a := client.Over(g.World, credentials)
	var got client.Grant
	if err := a.Exchange(ctx).Decode(&got); err != nil {
		return nil, fmt.Errorf("token of %s: %w", name, err)
	}
	a.Token = got.Access
	return a, nil
}
