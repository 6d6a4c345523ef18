// Package requests plays seeds of everything that callers ask of the API: a seed makes a world (package sim) with all
// programs of the template on it, put together by their own wire packages, and clients that send requests through the
// gateway while calls get lost, are throttled or kill their programs. In the end what the platform has is compared with
// the model of package promise.
//
//	Play       one seed                                                              requests.go
//	cloud      the programs with their routes, queues, streams and schedules         cloud.go
//	sandbox    a stand-in for user code, behind Invoke                               sandbox.go
//	part       clients of one kind, each with applications of its own                jobs.go bulks.go indexes.go
//	                                                                                 tokens.go accounts.go codes.go
//	                                                                                 promotions.go
//	receivers  of callbacks                                                          receiver.go
package requests

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/local/template"
	"minicloud/infra/seed/demo"
)

// Options are what a game may be played with.
type Options struct {
	Play     string             // words: the parts that are played; "" = a third of them, which the seed says
	Log      io.Writer          // gets a line for each call and its fault; nil = none
	Template *template.Template // template.yaml
}

// Report is what one game was like.
type Report struct {
	Seed      uint64
	Problems  []string // nil = all is as it should be
	Trace     string   // a digest of all that happened
	Calls     int
	Deaths    int
	Faults    map[string]int
	Done      map[string]int // what was asked for, by kind
	Simulated time.Duration
	Drained   time.Duration // from the last fault until everything had ended
}

// part is what clients of one kind do.
type part interface {
	// plant prepares the applications, before anything goes wrong.
	plant(g *game) error
	// clients are what happens at the same time.
	clients(g *game) []func(random sim.Random)
	// open is how much is still under way.
	open(g *game) int
	// judge compares what there is with what was asked for.
	judge(g *game)
}

// parts are all there are, by their names.
var parts = []struct {
	name string
	make func() part
}{
	{"jobs", func() part { return &jobs{} }},
	{"bulks", func() part { return &bulks{} }},
	{"tokens", func() part { return &tokens{} }},
	{"accounts", func() part { return &accounts{} }},
	{"indexes", func() part { return &indexes{} }},
	{"promotions", func() part { return &promotions{} }},
	{"codes", func() part { return &codes{} }},
}

// Plays reports whether a word names a part.
func Plays(word string) bool {
	for _, p := range parts {
		if p.name == word {
			return true
		}
	}
	return false
}

// game is one seed while it is played.
type game struct {
	*cloud
	seed   uint64
	random sim.Random
	parts  []part
	rough  int  // how many times Rough the faults are, in halves
	unkind bool // all kinds of package unkind are on

	mu       sync.Mutex
	problems []string
	done     map[string]int
	ended    bool // by an endless program
}

const (
	// bound is how long after the last fault everything has ended: the attempts of a callback are up to half an hour apart.
	bound = 2 * time.Hour
	// mostCalls is how many calls a program makes at most.
	mostCalls = 20_000
)

// Play plays one seed. It must be called within a synctest bubble.
func Play(seed uint64, o Options) Report {
	g := &game{seed: seed, done: map[string]int{}}
	g.cloud = newCloud(seed, o)
	defer g.world.Stop()
	g.random = g.world.Random("game")
	g.world.MostCalls, g.world.OnEndless = mostCalls, g.endless
	g.world.OnChain = func(problem string) { g.problem("chain: %s", problem) }

	g.unkind = slices.Contains(strings.Fields(o.Play), "unkind")
	for i, p := range parts {
		played := slices.Contains(strings.Fields(o.Play), p.name)
		if o.Play == "" { // a third of the parts, so that a seed takes no longer than one of triggers
			played = uint64(i)%3 == seed%3
		}
		if played {
			g.parts = append(g.parts, p.make())
		}
	}
	begun, drained := time.Now(), time.Duration(0)
	if err := g.plant(); err != nil {
		g.problem("planting: %v", err)
	} else {
		g.play()
		drained = g.drain()
		for _, p := range g.parts {
			p.judge(g)
		}
	}

	slices.Sort(g.problems)
	return Report{
		Seed: seed, Problems: g.problems, Trace: g.world.Trace(), Calls: g.world.Steps(), Deaths: g.world.Deaths,
		Faults: sim.Struck(maps.Clone(g.world.Faults)), Done: g.done, Simulated: time.Since(begun), Drained: drained,
	}
}

func (g *game) plant() error {
	g.world.Rates = sim.Rates{}
	for _, p := range g.parts {
		if err := p.plant(g); err != nil {
			return fmt.Errorf("%T: %w", p, err)
		}
	}
	return nil
}

// roughness is how many times Rough the faults of a game are, in halves.
var roughness = []int{0, 1, 1, 2, 2, 2, 3, 4}

// play begins the faults, and has all clients do what they do.
func (g *game) play() {
	r, times := sim.Rough, roughness[g.random.IntN(len(roughness))]
	for _, rate := range []*int{
		&r.LostRequest, &r.LostAnswer, &r.Throttled, &r.Slow, &r.DeathBefore, &r.DeathAfter, &r.Doubled, &r.LostTick,
		&r.DoubledTick,
	} {
		*rate = *rate * times / 2
	}
	r.Twice = 15 * times
	g.world.Rates, g.sandbox.troubles, g.rough = r, times, times
	if times > 0 || g.unkind {
		g.world.BeUnkind(g.unkind)
	}

	var playing sync.WaitGroup
	for i, p := range g.parts {
		for n, do := range p.clients(g) {
			random := g.world.Random(fmt.Sprintf("client %T %d %d", p, i, n))
			playing.Go(func() {
				g.pause(random, 3*time.Second)
				do(random)
			})
		}
	}
	playing.Wait()
}

// drain ends the faults, and waits until nothing is under way.
func (g *game) drain() time.Duration {
	g.world.Rates, g.sandbox.troubles = sim.Rates{}, 0
	g.world.Unkind.Set(nil)
	from := time.Now()
	for look := time.Second; time.Since(from) < bound && !g.over(); time.Sleep(look) {
		if time.Since(from) > time.Minute {
			look = 15 * time.Second
		}
		if g.open() == 0 {
			return time.Since(from)
		}
		g.redrive()
	}
	if !g.over() {
		g.problem("%v after the last fault something is still under way: %d", bound, g.open())
	}
	return time.Since(from)
}

func (g *game) open() (n int) {
	for _, p := range g.parts {
		n += p.open(g)
	}
	return n
}

// endless hears of a program that calls AWS again and again without end. The game ends soon.
func (g *game) endless(program, operation string) {
	g.problem("endless: %s calls %s again and again", program, operation)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
}

func (g *game) over() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ended
}

// problem notes a difference from the model.
func (g *game) problem(format string, args ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.problems = append(g.problems, fmt.Sprintf(format, args...))
}

// tell notes the troubles of a tally.
func (g *game) tell(what string, t promise.Tally) {
	for _, trouble := range t.Troubles {
		g.problem("%s: %s", what, trouble)
	}
}

// note counts something that was asked for.
func (g *game) note(what string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done[what]++
}

// pause is a random time below d.
func (g *game) pause(random sim.Random, d time.Duration) {
	time.Sleep(random.Jitter(time.Duration(random.Int64N(int64(d)))))
}

// application makes an application with a test environment and a token.
func (g *game) application(name string) (*client.Application, error) {
	k, ctx := g.keeper(), context.Background()
	seed := demo.Seed{Client: k.Backend.DynamoDB, ApplicationsTable: "ApplicationsTable", Clock: k.Clock(), Name: name}
	credentials, err := seed.Plant(ctx, demo.Credentials{})
	if err != nil {
		return nil, err
	}
	a := client.Over(g.world, credentials)
	var got client.Grant
	if err := a.Exchange(ctx).Decode(&got); err != nil {
		return nil, fmt.Errorf("token of %s: %w", name, err)
	}
	a.Token = got.Access
	return a, nil
}
