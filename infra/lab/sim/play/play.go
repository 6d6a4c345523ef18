// Package play plays seeds: a seed makes a world (package sim) with several applications and environments, the
// programs of the platform on it, a random mixture of everything that can happen, and everything that can go wrong. In
// the end what the platform has done is compared with what it should have done.
//
//	Game           one seed                                          play.go
//	tenant         an environment of an application, its triggers    tenant.go
//	source         makes events of one kind                          rows.go payments.go bus.go hooks.go timers.go
//	                                                                 loops.go churn.go
//	occurrence     an event as the source knows it                   ledger.go
//	modelTrigger   a trigger as the model knows it                   tenant.go action.go
//	platform       the programs, put together as their mains do      platform.go runner.go
//	outside        mail and SMS services, receivers of webhooks      outside.go
//	vendor         the platform of mini programs, and recipients     vendors.go
//	troubles       clocks that jump, invalid messages, replays       troubles.go
//	check…         comparisons of the platform with the model        ledger.go runs.go effects.go flows.go
//	                                                                 leaks.go budget.go evaluations.go
//	Point          a place in the work on an action with a fault     points.go
//
// The expectation follows from the sources by the model of package promise, which shares no code with the engine.
package play

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/memdb"
	stack "minicloud/infra/local/template"
	"minicloud/shared/clock"
	"minicloud/shared/trigger"
)

// Options are what a game may be played with.
type Options struct {
	Play     string          // words: the sources that are played, a type of actions, "flows", "unkind"; "" = everything
	Log      io.Writer       // gets a line for each call and its fault; nil = none
	Template *stack.Template // template.yaml
}

// Report is what one game was like.
type Report struct {
	Seed      uint64
	Problems  []string // nil = all is as it should be
	Trace     string   // a digest of all that happened
	Calls     int
	Events    int
	Runs      int
	Deaths    int
	Faults    map[string]int
	Simulated time.Duration
	Drained   time.Duration // from the last fault until everything had ended
	Cost      Cost
	Actions   Cost             // of those that work on actions
	Messages  int              // that they got
	Points    map[string]Point // where something went wrong in an action, by name
}

// Game is one seed while it is played.
type Game struct {
	world    *sim.World
	platform *platform
	random   sim.Random
	tenants  []*tenant
	sources  []source
	begun    time.Time
	logs     *lines
	playing  sync.WaitGroup

	mu          sync.Mutex
	occurrences []occurrence
	refused     map[string]string // events that must be dead letters, by tenant and id: why
	asked       []string          // ids of runs, in the order of their messages
	sendTries   map[string]int    // how often the message of a run was sent in a batch, by id
	ticks       []promise.Tick
	outages     int // that lose all ticks now
	lostTick    int // the rate without them
	problems    []string
	ended       bool // by an endless program
	mappings    []*sim.Mapping
	streams     []stack.StreamEvent // of recordtrigger
	rowWrites   map[string]rowWrite

	outside         *outside
	only            trigger.ActionType // see Options.Play
	flows           bool
	unkind          bool            // all kinds of package unkind are on
	limitedURL      map[string]bool // addresses that get one webhook a second
	invalidMessages []string        // messages that nobody can serve
	failureRate     int             // of a thousand deliveries to the outside, how many fail
	maxFailures     int             // how many deliveries of a run may fail
	skewed          bool            // clocks jump
	interrupted     map[string]bool // runs of unknown effect, before they were replayed
	points          map[string]*point
	deepest         map[string]int // of each run, the depth of its deepest event
	replayed        map[string]int // runs that their owners had done again, by id: how often
}

// source makes events of one kind happen.
type source interface {
	// plant stores what a tenant needs for it.
	plant(g *Game, t *tenant, random sim.Random) error
	// play makes events happen to a tenant.
	play(g *Game, t *tenant, random sim.Random)
	// settle notes occurrences that only the end shows.
	settle(g *Game, t *tenant)
}

const (
	// bound is how long after the last fault everything has ended: a failed run waits for up to an hour, a webhook for up
	// to two and a half, and 20 % more.
	bound = 4 * time.Hour
	// mostCalls is how many calls a program makes at most: more than all programs of most games together.
	mostCalls = 10_000
	// patientFor is how long timers go on then.
	patientFor = 12 * time.Minute
)

// Play plays one seed. It must be called within a synctest bubble.
func Play(seed uint64, o Options) Report {
	g := newGame(seed, o)
	defer g.world.Stop()

	if err := g.plant(); err != nil {
		g.problem("planting: %v", err)
		return g.report(seed, 0)
	}
	g.start()

	for i, t := range g.tenants {
		for n, s := range t.sources {
			random := g.world.Random(fmt.Sprint("source ", i, n))
			g.playing.Go(func() {
				time.Sleep(random.Jitter(time.Duration(random.IntN(5000)) * time.Millisecond))
				s.play(g, t, random)
			})
		}
	}
	g.playing.Wait()

	drained := g.drain()
	points := g.pointsHit(g.runs())
	if g.replay() {
		g.drain()
	}
	for _, t := range g.tenants {
		for _, s := range t.sources {
			s.settle(g, t)
		}
	}
	g.check()
	r := g.report(seed, drained)
	r.Points = points
	return r
}

func newGame(seed uint64, o Options) *Game {
	db := memdb.New(
		clock.System, "ApplicationsTable", "SettingsTable", "TablesTable", "RowsTable*", "RowIndexesTable",
		"OrdersTable*", "TriggersTable*", "TriggerLogTable*", "FunctionsTable", "JobsTable", "UsersTable",
	)
	g := &Game{
		world: sim.New(seed, db, cloud(o.Template, seed)), streams: streamsOf(o.Template), logs: &lines{},
		refused: map[string]string{}, rowWrites: map[string]rowWrite{}, sendTries: map[string]int{},
	}
	g.world.Log, g.random, g.begun = o.Log, g.world.Random("game"), time.Now()
	g.world.MostCalls = mostCalls
	g.world.Sent, g.world.OnCall, g.world.OnDelivery, g.world.OnEndless = g.sent, g.befell, g.noteDelivery, g.endless
	g.outside = &outside{
		g: g, tries: map[string]int{}, refused: map[string]bool{}, forms: map[string][]string{}, seen: map[string]bool{},
		shown: map[string][]time.Time{},
	}
	g.world.OnChain = func(problem string) { g.problem("chain: %s", problem) }
	g.points, g.replayed, g.interrupted = map[string]*point{}, map[string]int{}, map[string]bool{}
	g.limitedURL = map[string]bool{}
	g.platform = &platform{log: slog.New(slog.NewJSONHandler(g.logs, nil)), outside: g.outside}
	for _, word := range strings.Fields(o.Play) {
		if slices.Contains(kinds, trigger.ActionType(word)) {
			g.only = trigger.ActionType(word)
		}
		g.flows = g.flows || word == "flows"
		g.unkind = g.unkind || word == "unkind"
	}

	for _, s := range sources {
		if o.Play == "" || slices.Contains(strings.Fields(o.Play), s.name) {
			g.sources = append(g.sources, s.source)
		}
	}

	return g
}

// cloud is the template as it is played. What is received too often gets into a queue of its own, apart from what
// consumers have refused, because it is put back until it succeeds.
func cloud(t *stack.Template, seed uint64) *stack.Template {
	played := *t
	played.Queues = nil
	for _, q := range t.Queues {
		of := *q
		if slices.Contains(actionQueues, q.Name) {
			of.DeadQueue = failed(q.Name)
			if seed%3 == 0 {
				of.MaxReceive = 3 // so that some become dead letters
			}
			played.Queues = append(played.Queues, &stack.Queue{Name: of.DeadQueue, Retention: q.Retention})
		}
		played.Queues = append(played.Queues, &of)
	}
	return &played
}

// failed is the queue of what was received from a queue too often.
func failed(queue string) string { return queue + "Failed" }

// sources are all there are, by their names.
var sources = []struct {
	name   string
	source source
}{
	{"rows", rows{}}, {"payments", payments{}}, {"messages", messages}, {"files", files}, {"hooks", hooks{}},
	{"timers", timers{}}, {"loops", loops{}},
}

// Plays reports whether a word names a source.
func Plays(word string) bool {
	for _, s := range sources {
		if s.name == word {
			return true
		}
	}
	return false
}

// roughness is how many times Rough the faults of a game are, in halves.
var roughness = []int{0, 1, 1, 2, 2, 2, 3, 4}

// start begins the faults.
func (g *Game) start() {
	r, times := sim.Rough, roughness[g.random.IntN(len(roughness))]
	for _, rate := range []*int{
		&r.LostRequest, &r.LostAnswer, &r.Throttled, &r.Slow, &r.DeathBefore, &r.DeathAfter, &r.Doubled, &r.LostTick,
		&r.DoubledTick,
	} {
		*rate = *rate * times / 2
	}
	r.Twice = 30 * times / 2
	g.world.Rates, g.failureRate = r, 150*max(times, 1)
	if times > 0 || g.unkind {
		g.world.BeUnkind(g.unkind)
	}
	if g.maxFailures = 2; !g.anyTimers() {
		g.maxFailures = 4 // its next attempt may be an hour away
	}
	if times > 0 && g.random.IntN(2) == 0 {
		g.skewed = true
		g.playing.Go(func() { g.clocks(g.world.Random("clocks")) })
	}
	if times > 0 {
		g.playing.Go(func() { g.sendInvalidMessages(g.world.Random("letters")) })
		g.playing.Go(func() { g.sendLongChains(g.world.Random("chains")) })
		g.playing.Go(func() { g.throttle(g.world.Random("outages")) })
		g.playing.Go(func() { g.exhaust(g.world.Random("concurrency")) })
	}
	g.connect()
}

// throttle throttles AWS for some seconds, longer than any client retries.
func (g *Game) throttle(random sim.Random) {
	for range 1 + random.IntN(3) {
		g.pause(random, 60)
		usual := g.world.Rates.Throttled
		g.world.Rates.Throttled = 900
		time.Sleep(random.Jitter(time.Duration(3+random.IntN(6)) * time.Second))
		g.world.Rates.Throttled = usual
	}
}

// exhaust takes all concurrency from a program, for longer than messages are hidden.
func (g *Game) exhaust(random sim.Random) {
	for range random.IntN(3) {
		g.pause(random, 60)
		program := []string{"actionrunner", "platformevent", "recordtrigger"}[random.IntN(3)]
		g.world.Exhaust(program, time.Duration(1+random.IntN(600))*time.Second)
	}
}

// connect connects programs with their streams, queues and ticks.
func (g *Game) connect() {
	for _, stream := range g.streams {
		stream.Size, stream.Parallel = 10, 2 // so that a few records make several batches
		m := &sim.Mapping{
			StreamEvent: stream, Program: "recordtrigger", Start: g.platform.recordTrigger, Shards: 2, Handler: g.woken,
		}
		g.mappings = append(g.mappings, m)
		g.world.Follow(m)
	}
	g.world.Consume("PlatformEventQueue", []string{"platformevent"}, g.platform.platformEvent, 3, queueHandler)
	for _, runner := range runners {
		g.world.Limits[runner] = 55 * time.Second
	}
	for _, name := range actionQueues {
		g.world.Consume(name, runners, g.platform.actionRunner, 4, queueHandler)
	}
	g.world.Tick("timertick", g.platform.timerTick, g.tick)
}

// streamsOf are the streams that recordtrigger reads.
func streamsOf(t *stack.Template) (all []stack.StreamEvent) {
	for _, f := range t.Functions {
		if f.Program == "recordtrigger" {
			all = append(all, f.Streams...)
		}
	}
	return all
}

// woken is a program that reads streams. Changes of rows that no trigger waits for must not pass their filter.
func (g *Game) woken(handlers any) sim.StreamHandler {
	quiet := []string{fmt.Sprintf("#%d", madeID), fmt.Sprintf("#%d", countersID)}
	return func(ctx context.Context, e events.DynamoDBTimeWindowEvent) (events.DynamoDBTimeWindowEventResponse, error) {
		for _, record := range e.Records {
			pk := record.Change.Keys["pk"].String()
			_, number, _ := strings.Cut(pk, "#")
			if strings.Contains(record.EventSourceArn, "/RowsTable/") && slices.Contains(quiet, "#"+number) {
				g.problem("rows: a change in %s wakes somebody", pk)
			}
		}
		return handlers.(sim.StreamHandler)(ctx, e)
	}
}

// drain ends the faults, and waits until all queues, streams and wakes are empty.
func (g *Game) drain() time.Duration {
	g.stopFaults()
	from, stopped := time.Now(), false
	for look := time.Second; time.Since(from) < bound && !g.over(); time.Sleep(look) {
		if g.drained() && time.Since(from) > 3*time.Minute { // timers take up to three more ticks
			break
		}
		if time.Since(from) > 4*time.Minute {
			look = 15 * time.Second
		}
		for _, name := range actionQueues {
			g.world.Redrive(name)
		}
		if time.Since(from) > patientFor && !stopped { // they would go on for ever
			g.stopTimers()
			stopped = true
		}
	}
	if !g.drained() && !g.over() {
		g.problem("%v after the last fault something is still under way: %d messages", bound,
			len(g.world.Messages("ActionQueue")))
	}
	return time.Since(from)
}

// stopFaults ends all faults.
func (g *Game) stopFaults() {
	g.world.Rates, g.failureRate = sim.Rates{}, 0
	g.world.Unkind.Set(nil)
	for _, runner := range runners {
		g.world.Skew(runner, 0)
	}
}

func (g *Game) drained() bool {
	for _, m := range g.mappings {
		if !g.world.Drained(m) {
			return false
		}
	}
	queues := []string{"PlatformEventQueue"}
	for _, name := range actionQueues {
		queues = append(queues, name, failed(name))
	}
	if slices.ContainsFunc(queues, func(name string) bool { return len(g.world.Messages(name)) > 0 }) {
		return false
	}
	return !slices.ContainsFunc(g.world.DB.Items("TriggerLogTable"), func(it memdb.Item) bool {
		return strings.HasPrefix(text(it, "pk"), "wake")
	})
}

// endless hears of a program that calls AWS again and again without end. The game ends soon.
func (g *Game) endless(program, operation string) {
	g.problem("endless: %s calls %s again and again", program, operation)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
}

// over reports whether a program has not come to its end.
func (g *Game) over() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ended
}

// problem notes a difference from the model.
func (g *Game) problem(format string, args ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.problems = append(g.problems, fmt.Sprintf(format, args...))
}

// judge notes the troubles of a ledger.
func (g *Game) judge(what string, asked *promise.Ledger, found promise.Found) {
	for _, trouble := range asked.Judge(found).Troubles {
		g.problem("%s: %s", what, trouble)
	}
}

// noteOccurrence notes what a source has made happen.
func (g *Game) noteOccurrence(h occurrence) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.occurrences = append(g.occurrences, h)
}

// check compares the state of the platform with the model.
func (g *Game) check() {
	runs := g.runs()
	g.deepest = deepestEvents(runs)
	g.fillWatches()
	g.checkLedger(runs)
	g.checkOrder(runs)
	g.checkRuns(runs)
	g.checkEffects(runs)
	g.checkFlows(runs)
	g.checkInvalidMessages()
	g.checkEvaluations()
	g.checkRefused()
	g.checkLeaks()
	g.checkCosts(runs)
}

func (g *Game) report(seed uint64, drained time.Duration) Report {
	slices.Sort(g.problems)
	return Report{
		Seed: seed, Problems: g.problems, Trace: g.world.Trace(), Calls: g.world.Steps(), Events: len(g.occurrences),
		Runs: len(g.runs()), Deaths: g.world.Deaths, Faults: sim.Struck(maps.Clone(g.world.Faults)),
		Simulated: time.Since(g.begun), Drained: drained, Cost: g.cost(len(g.runs())),
		Actions: g.actionCost(g.runs()), Messages: g.outside.messages,
	}
}

// pause is a random time of up to so many seconds.
func (g *Game) pause(random sim.Random, seconds int) {
	time.Sleep(random.Jitter(time.Duration(random.IntN(1000*seconds)) * time.Millisecond))
}

// lines are what programs have logged.
type lines struct {
	mu  sync.Mutex
	all []string
}

// Write implements io.Writer: slog writes a line at a time.
func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, string(line))
	return len(line), nil
}
