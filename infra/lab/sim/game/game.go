// Package game plays seeds: a seed makes a world (package sim), in which a Play happens while calls get lost, are
// throttled or kill their programs. In the end what the platform has is compared with what was asked for.
//
//	Game       one seed of any play                           game.go
//	Play       what happens in it: triggers or requests       package triggers, requests.go
//	Part       of a game of requests: clients of one kind,    packages requests and clients
//	           with applications of their own
//	Cloud      all programs with their routes and queues      cloud.go
//	Sandbox    a stand-in for user code, behind Invoke        sandbox.go
//	Receivers  of callbacks                                   receiver.go
//	Mailbox    SES and SNS                                    mailbox.go
//	PayVendors the payment vendors                            payvendors.go
package game

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/memdb"
	"minicloud/infra/local/template"
	"minicloud/shared/clock"
)

// Options are what a game may be played with.
type Options struct {
	Play     string             // words: what is played; "" = what the seed says
	Log      io.Writer          // gets a line for each call and its fault; nil = none
	Shaken   bool               // see World
	Template *template.Template // template.yaml
}

// Says reports whether the words of a game have one.
func (o Options) Says(word string) bool { return slices.Contains(strings.Fields(o.Play), word) }

// Report is what one game was like.
type Report struct {
	Seed      uint64
	Problems  []string // nil = all is as it should be
	Trace     string   // a digest of all that happened
	Calls     int
	Deaths    int
	Faults    map[string]int
	Done      map[string]int   // what was asked for, and what it cost, by kind
	Points    map[string]Point // where something went wrong in an action, by name
	Simulated time.Duration
	Drained   time.Duration // from the last fault until everything had ended
}

// Point is a place in the work on something where a fault struck.
type Point struct {
	Hits     int
	Outcomes map[string]int // of the work, what became of it
}

// Play is what happens in a game.
type Play interface {
	// Plant prepares everything, before anything goes wrong.
	Plant() error
	// Faults begins the faults that are the play's own, or ends them. The game does so with those of the world.
	Faults(on bool)
	// Clients are what happens at the same time.
	Clients() []func()
	// Open is how much is still under way, so long after the last fault. It puts back what died too often.
	Open(since time.Duration) int
	// Judge compares what there is with what was asked for.
	Judge()
	// Report adds the play's own figures.
	Report(*Report)
}

// Game is one seed while it is played.
type Game struct {
	Options
	World  *sim.World
	Seed   uint64
	Random sim.Random
	Bound  time.Duration // how long after the last fault everything has ended
	Rough  int           // how many times sim.Rough the faults are, in halves
	Unkind bool          // all kinds of package unkind are on

	mu       sync.Mutex
	problems []string
	done     map[string]int
	ended    bool // by an endless program
}

const (
	// bound is how long after the last fault everything has ended: a failed run waits for up to an hour, a webhook for up
	// to two and a half, and 20 % more.
	bound = 4 * time.Hour
	// mostCalls is how many calls a program makes at most.
	mostCalls = 20_000
)

// Run plays one seed of a play, which make makes for it. It must be called within a synctest bubble.
func Run(seed uint64, o Options, make func(*Game) Play) Report {
	g := &Game{Options: o, Seed: seed, done: map[string]int{}, Unkind: o.Says("unkind"), Bound: bound}
	p := make(g)
	defer g.World.Stop()

	r := Report{Seed: seed}
	begun := time.Now()
	g.World.Rates = sim.Rates{}
	if err := p.Plant(); err != nil {
		g.Problem("planting: %v", err)
	} else {
		g.begin()
		p.Faults(true)
		var playing sync.WaitGroup
		for _, do := range p.Clients() {
			playing.Go(do)
		}
		playing.Wait()
		r.Drained = g.Drain(p)
		p.Judge()
	}

	p.Report(&r)
	slices.Sort(g.problems)
	r.Problems, r.Trace, r.Calls, r.Deaths = g.problems, g.World.Trace(), g.World.Steps(), g.World.Deaths
	r.Faults, r.Done, r.Simulated = sim.Struck(maps.Clone(g.World.Faults)), g.done, time.Since(begun)
	return r
}

// Open makes the world of the game with the tables of a template; only those of the names, if there are any.
func (g *Game) Open(t *template.Template, only ...string) {
	var tables []string
	for _, one := range t.Tables {
		if len(only) == 0 || slices.Contains(only, one.Name) {
			tables = append(tables, one.Name+map[bool]string{true: "*"}[one.Stream != ""])
		}
	}
	g.World = sim.New(g.Seed, memdb.New(clock.System, tables...), t)
	g.Random, g.World.Log, g.World.Shaken = g.World.Random("game"), g.Log, g.Shaken
	g.World.MostCalls, g.World.OnEndless = mostCalls, g.endless
	g.World.OnChain = func(problem string) { g.Problem("chain: %s", problem) }
}

// roughness is how many times Rough the faults of a game are, in halves.
var roughness = []int{0, 1, 1, 2, 2, 2, 3, 4}

// begin begins the faults.
func (g *Game) begin() {
	r, times := sim.Rough, roughness[g.Random.IntN(len(roughness))]
	for _, rate := range []*int{
		&r.LostRequest, &r.LostAnswer, &r.Throttled, &r.Slow, &r.DeathBefore, &r.DeathAfter, &r.Doubled, &r.LostTick,
		&r.DoubledTick,
	} {
		*rate = *rate * times / 2
	}
	r.Twice = 15 * times
	g.World.Rates, g.Rough = r, times
	if times > 0 || g.Unkind {
		g.World.BeUnkind(g.Unkind)
	}
}

// Drain ends the faults, waits until nothing is under way, and returns how long that took.
func (g *Game) Drain(p Play) time.Duration {
	g.World.Rates = sim.Rates{}
	g.World.Unkind.Set(nil)
	p.Faults(false)
	open := 0
	from := time.Now()
	for look := time.Second; time.Since(from) < g.Bound && !g.over(); time.Sleep(look) {
		if open = p.Open(time.Since(from)); open == 0 {
			return time.Since(from)
		}
		if time.Since(from) > 4*time.Minute {
			look = 15 * time.Second
		}
	}
	if !g.over() {
		g.Problem("%v after the last fault something is still under way: %d", g.Bound, open)
	}
	return time.Since(from)
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

// Count counts something that was asked for.
func (g *Game) Count(what string, n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done[what] += n
}

// Note counts one.
func (g *Game) Note(what string) { g.Count(what, 1) }

// Turns is a client that does something so often, with a pause below pause behind each turn.
func (g *Game) Turns(times int, pause time.Duration, do func(random sim.Random, n int)) func(sim.Random) {
	return func(random sim.Random) {
		for n := range times {
			do(random, n)
			g.Pause(random, pause)
		}
	}
}

// AtOnce does something several times within a time, each time with a random source of its own.
func (g *Game) AtOnce(name string, times int, within time.Duration, do func(random sim.Random, n int)) {
	var all sync.WaitGroup
	for n := range times {
		random := g.World.Random(fmt.Sprint(name, n))
		all.Go(func() {
			g.Pause(random, within)
			do(random, n)
		})
	}
	all.Wait()
}

// Pause is a random time below d.
func (g *Game) Pause(random sim.Random, d time.Duration) {
	time.Sleep(random.Jitter(time.Duration(random.Int64N(int64(d)))))
}
