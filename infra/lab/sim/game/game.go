// Package game plays seeds of everything that callers ask of the API: a seed makes a world (package sim) with all
// programs of the template on it, put together by their own wire packages, and clients that send requests through the
// gateway while calls get lost, are throttled or kill their programs. In the end what the platform has is compared with
// what was asked for.
//
//	Play       one seed                                           game.go
//	Part       clients of one kind, with applications of its own  packages requests and clients
//	Cloud      the programs with their routes and queues          cloud.go
//	Sandbox    a stand-in for user code, behind Invoke            sandbox.go
//	Receivers  of callbacks                                       receiver.go
//	Mailbox    SES and SNS                                        mailbox.go
//	PayVendors the payment vendors                                payvendors.go
package game

import (
	"context"
	"errors"
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
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/table"
)

// Options are what a game may be played with.
type Options struct {
	Play     string             // words: the parts that are played; "" = a quarter of them, which the seed says
	Parts    []Named            // all there are
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

// Part is what clients of one kind do.
type Part interface {
	// Plant prepares the applications, before anything goes wrong.
	Plant(g *Game) error
	// Clients are what happens at the same time.
	Clients(g *Game) []func(random sim.Random)
	// Open is how much is still under way.
	Open(g *Game) int
	// Judge compares what there is with what was asked for.
	Judge(g *Game)
}

// Named makes a part.
type Named struct {
	Name string
	Make func() Part
}

// Plays reports whether a word names a part.
func (o Options) Plays(word string) bool {
	return slices.ContainsFunc(o.Parts, func(p Named) bool { return p.Name == word })
}

// Game is one seed while it is played.
type Game struct {
	*Cloud
	Seed   uint64
	Rough  int // how many times sim.Rough the faults are, in halves
	random sim.Random
	parts  []Part
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
	g := &Game{Seed: seed, done: map[string]int{}}
	g.Cloud = newCloud(seed, o)
	defer g.World.Stop()
	g.random = g.World.Random("game")
	g.World.MostCalls, g.World.OnEndless = mostCalls, g.endless
	g.World.OnChain = func(problem string) { g.Problem("chain: %s", problem) }

	g.unkind = slices.Contains(strings.Fields(o.Play), "unkind")
	for i, p := range o.Parts {
		played := slices.Contains(strings.Fields(o.Play), p.Name)
		if o.Play == "" { // a quarter of the parts, so that a seed takes no longer than one of triggers
			played = uint64(i)%4 == seed%4
		}
		if played {
			g.parts = append(g.parts, p.Make())
		}
	}
	begun, drained := time.Now(), time.Duration(0)
	if err := g.plant(); err != nil {
		g.Problem("planting: %v", err)
	} else {
		g.play()
		drained = g.drain()
		for _, p := range g.parts {
			p.Judge(g)
		}
	}

	slices.Sort(g.problems)
	return Report{
		Seed: seed, Problems: g.problems, Trace: g.World.Trace(), Calls: g.World.Steps(), Deaths: g.World.Deaths,
		Faults: sim.Struck(maps.Clone(g.World.Faults)), Done: g.done, Simulated: time.Since(begun), Drained: drained,
	}
}

func (g *Game) plant() error {
	g.World.Rates = sim.Rates{}
	for _, p := range g.parts {
		if err := p.Plant(g); err != nil {
			return fmt.Errorf("%T: %w", p, err)
		}
	}
	return nil
}

// roughness is how many times Rough the faults of a game are, in halves.
var roughness = []int{0, 1, 1, 2, 2, 2, 3, 4}

// play begins the faults, and has all clients do what they do.
func (g *Game) play() {
	r, times := sim.Rough, roughness[g.random.IntN(len(roughness))]
	for _, rate := range []*int{
		&r.LostRequest, &r.LostAnswer, &r.Throttled, &r.Slow, &r.DeathBefore, &r.DeathAfter, &r.Doubled, &r.LostTick,
		&r.DoubledTick,
	} {
		*rate = *rate * times / 2
	}
	r.Twice = 15 * times
	g.World.Rates, g.Sandbox.troubles, g.Rough = r, times, times
	if times > 0 || g.unkind {
		g.World.BeUnkind(g.unkind)
	}

	var playing sync.WaitGroup
	for i, p := range g.parts {
		for n, do := range p.Clients(g) {
			random := g.World.Random(fmt.Sprintf("client %T %d %d", p, i, n))
			playing.Go(func() {
				g.Pause(random, 3*time.Second)
				do(random)
			})
		}
	}
	playing.Wait()
}

// drain ends the faults, and waits until nothing is under way.
func (g *Game) drain() time.Duration {
	g.World.Rates, g.Sandbox.troubles = sim.Rates{}, 0
	g.World.Unkind.Set(nil)
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
		g.Problem("%v after the last fault something is still under way: %d", bound, g.open())
	}
	return time.Since(from)
}

func (g *Game) open() (n int) {
	for _, p := range g.parts {
		n += p.Open(g)
	}
	return n
}

// endless hears of a program that calls AWS again and again without end. The game ends soon.
func (g *Game) endless(program, operation string) {
	g.Problem("endless: %s calls %s again and again", program, operation)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
}

func (g *Game) over() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ended
}

// Problem notes a difference from the model.
func (g *Game) Problem(format string, args ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.problems = append(g.problems, fmt.Sprintf(format, args...))
}

// Tell notes the troubles of a tally.
func (g *Game) Tell(what string, t promise.Tally) {
	for _, trouble := range t.Troubles {
		g.Problem("%s: %s", what, trouble)
	}
}

// Note counts something that was asked for.
func (g *Game) Note(what string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done[what]++
}

// Pause is a random time below d.
func (g *Game) Pause(random sim.Random, d time.Duration) {
	time.Sleep(random.Jitter(time.Duration(random.Int64N(int64(d)))))
}

// Application makes an application with a test environment and a token.
func (g *Game) Application(name string) (*client.Application, error) {
	k, ctx := g.Keeper(), context.Background()
	seed := demo.Seed{Client: k.Backend.DynamoDB, ApplicationsTable: "ApplicationsTable", Clock: k.Clock(), Name: name}
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

// PlantUsers stores users: no endpoint creates any.
func (g *Game) PlantUsers(a *client.Application, n int, fields map[string]any) (ids []string, err error) {
	store := g.Keeper().Backend
	profiles, err := store.Schemas().Table(context.Background(), a.Scope, table.UserProfiles)
	if errs.Is(err, errs.KindNotFound) { // it has no columns of its own
		profiles, _ = table.BuiltIn(table.UserProfiles)
		err = nil
	}
	if err != nil {
		return nil, err
	}
	var source id.Source
	var people []table.Change
	for range n {
		number := source.New(time.Now().Add(-time.Hour))
		ids = append(ids, fmt.Sprint(int64(number)))
		people = append(people, table.Change{New: &table.Row{
			ID: table.RowID(number.Key()), UpdatedAt: number.Time().Unix(), CreatedBy: int64(number),
			Perm: profiles.DefaultRowPerm, Fields: fields, Revision: 1,
		}})
	}
	return ids, errors.Join(store.Rows().Write(context.Background(), a.Scope, profiles, people)...)
}
