// Package triggers is the play of triggers (package game): several applications and environments, a random mixture of
// everything that fires triggers, and everything that can go wrong. In the end what the platform has done is compared
// with what it should have done.
//
//	Game       one seed                                       triggers.go
//	source     makes events of one kind                       rows.go payments.go bus.go hooks.go timers.go loops.go
//	           while triggers come and go                     churn.go
//	platform   the programs of the template                   platform.go
//	troubles   clocks that jump, invalid messages, replays    troubles.go
//	model      what must have happened, held against what is stored and what has left the platform
//	outside    mail and SMS services, receivers of webhooks, the platform of mini programs
package triggers

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/game"
	"minicloud/infra/lab/sim/triggers/model"
	"minicloud/infra/lab/sim/triggers/outside"
	stack "minicloud/infra/local/template"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// Game is one seed while it is played. Its words are the sources that are played, a type of actions, "flows" and
// "unkind".
type Game struct {
	*model.Ledger
	log      *slog.Logger // of all programs
	sources  []source
	played   map[*model.Tenant][]source
	begun    time.Time
	mappings []*sim.Mapping

	mu              sync.Mutex
	rowWrites       map[string]rowWrite
	refused         map[string]string     // events that must be dead letters, by tenant and id: why
	invalidMessages []string              // messages that nobody can serve
	outages         int                   // that lose all ticks now
	lostTick        int                   // the rate without them
	only            trigger.ActionType    // that a word names
	stopped         bool                  // timers are
	told            map[string]game.Point // the points before runs were replayed
}

// source makes events of one kind happen.
type source interface {
	// plant stores what a tenant needs for it.
	plant(g *Game, t *model.Tenant, random sim.Random) error
	// play makes events happen to a tenant.
	play(g *Game, t *model.Tenant, random sim.Random)
	// settle notes occurrences that only the end shows.
	settle(g *Game, t *model.Tenant)
}

// patientFor is how long timers go on after the last fault.
const patientFor = 12 * time.Minute

// Of makes the play of triggers.
func Of(engine *game.Game) game.Play {
	engine.Template = cloud(engine.Template, engine.Seed)
	engine.Open(engine.Template, "ApplicationsTable", "SettingsTable", "TablesTable", "RowsTable",
		"RowIndexesTable", "OrdersTable", "TriggersTable", "TriggerLogTable", "FunctionsTable", "JobsTable", "UsersTable")
	// A webhook waits for up to five hours after its sixth failed attempt, 7.6 hours in all, and 20 % more.
	engine.Bound = 9*time.Hour + 10*time.Minute
	out := outside.New(engine)
	g := &Game{
		Ledger: model.New(engine, out), begun: time.Now(),
		refused: map[string]string{}, rowWrites: map[string]rowWrite{}, played: map[*model.Tenant][]source{},
	}
	g.World.Sent, g.World.OnCall, g.World.OnDelivery = g.sent, out.Befell, out.NoteDelivery
	g.log = slog.New(slog.NewJSONHandler(g.Logs, nil))
	g.World.Serve(g.Template, g.programs(), len(outside.Runners))
	for _, kind := range model.Kinds {
		if g.Says(string(kind)) {
			g.only = kind
		}
	}
	for _, s := range sources {
		if g.Play == "" || g.Says(s.name) {
			g.sources = append(g.sources, s.source)
		}
	}
	return g
}

// Words are the names of all sources.
func Words() (all []string) {
	for _, s := range sources {
		all = append(all, s.name)
	}
	return all
}

// cloud is the template as it is played. What is received too often gets into a queue of its own, apart from what
// consumers have refused, because it is put back until it succeeds.
func cloud(t *stack.Template, seed uint64) *stack.Template {
	played := *t
	played.Queues = nil
	for _, q := range t.Queues {
		of := *q
		if slices.Contains(outside.ActionQueues, q.Name) {
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

// Faults implements game.Play. In the end clocks are right again.
func (g *Game) Faults(on bool) {
	if !on {
		g.Outside.FailureRate = 0
		for _, runner := range outside.Runners {
			g.World.Skew(runner, 0)
		}
		return
	}
	g.Outside.FailureRate = 150 * max(g.Rough, 1)
	if g.Outside.MaxFailures = 2; !g.anyTimers() {
		g.Outside.MaxFailures = 4 // its next attempt may be an hour away
	}
	g.Skewed = g.Rough > 0 && g.Random.IntN(2) == 0
	g.connect()
}

// Clients implements game.Play: the sources of all tenants, and what disturbs them.
func (g *Game) Clients() (all []func()) {
	if g.Skewed {
		all = append(all, func() { g.clocks(g.World.Random("clocks")) })
	}
	if g.Rough > 0 {
		all = append(all, func() { g.sendInvalidMessages(g.World.Random("letters")) },
			func() { g.sendLongChains(g.World.Random("chains")) }, func() { g.throttle(g.World.Random("outages")) },
			func() { g.exhaust(g.World.Random("concurrency")) })
	}
	for i, t := range g.Tenants {
		for n, s := range g.played[t] {
			random := g.World.Random(fmt.Sprint("source ", i, n))
			all = append(all, func() {
				g.Pause(random, 5*time.Second)
				s.play(g, t, random)
			})
		}
	}
	return all
}

// throttle throttles AWS for some seconds, longer than any client retries.
func (g *Game) throttle(random sim.Random) {
	for range 1 + random.IntN(3) {
		g.Pause(random, 60*time.Second)
		usual := g.World.Rates.Throttled
		g.World.Rates.Throttled = 900
		time.Sleep(random.Jitter(time.Duration(3+random.IntN(6)) * time.Second))
		g.World.Rates.Throttled = usual
	}
}

// exhaust takes all concurrency from a program, for longer than messages are hidden.
func (g *Game) exhaust(random sim.Random) {
	for range random.IntN(3) {
		g.Pause(random, 60*time.Second)
		program := []string{"actionrunner", "platformevent", "recordtrigger"}[random.IntN(3)]
		g.World.Exhaust(program, time.Duration(1+random.IntN(600))*time.Second)
	}
}

// connect connects programs with their streams, queues and ticks.
func (g *Game) connect() {
	programs := g.programs()
	for _, f := range g.Template.Functions {
		if f.Program != "recordtrigger" {
			continue
		}
		for _, stream := range f.Streams {
			stream.Size, stream.Parallel = 10, 2 // so that a few records make several batches
			m := &sim.Mapping{
				StreamEvent: stream, Program: f.Program, Start: programs[f.Program], Shards: 2, Handler: g.woken,
			}
			g.mappings = append(g.mappings, m)
			g.World.Follow(m)
		}
	}
	handler := func(handlers any) sim.SQSHandler { return handlers.(sim.SQSHandler) }
	g.World.Consume("PlatformEventQueue", []string{"platformevent"}, programs["platformevent"], 3, handler)
	for _, name := range outside.ActionQueues {
		g.World.Consume(name, outside.Runners, programs["actionrunner"], 4, handler)
	}
	g.World.Tick("timertick", programs["timertick"], g.tick)
}

// woken is a program that reads streams. Changes of rows that no trigger waits for must not pass their filter.
func (g *Game) woken(handlers any) sim.StreamHandler {
	quiet := []string{fmt.Sprintf("#%d", model.MadeID), fmt.Sprintf("#%d", model.CountersID)}
	return func(ctx context.Context, e events.DynamoDBTimeWindowEvent) (events.DynamoDBTimeWindowEventResponse, error) {
		for _, record := range e.Records {
			pk := record.Change.Keys["pk"].String()
			_, number, _ := strings.Cut(pk, "#")
			if strings.Contains(record.EventSourceArn, "/RowsTable/") && slices.Contains(quiet, "#"+number) {
				g.Problem("rows: a change in %s wakes somebody", pk)
			}
		}
		return handlers.(sim.StreamHandler)(ctx, e)
	}
}

// Open implements game.Play: queues, streams and wakes are empty in the end.
func (g *Game) Open(since time.Duration) (n int) {
	queues := []string{"PlatformEventQueue"}
	for _, name := range outside.ActionQueues {
		queues = append(queues, name, failed(name))
	}
	for _, name := range queues {
		n += len(g.World.Messages(name))
	}
	for _, name := range outside.ActionQueues {
		g.World.Redrive(name)
	}
	if since > patientFor && !g.stopped { // timers would go on for ever
		g.stopped = true
		g.stopTimers()
	}

	for _, m := range g.mappings {
		if !g.World.Drained(m) {
			n++
		}
	}
	for _, it := range g.World.DB.Items("TriggerLogTable") {
		if strings.HasPrefix(game.Text(it, "pk"), "wake") {
			n++
		}
	}
	if n == 0 && since < 3*time.Minute { // timers take up to three more ticks
		return 1
	}
	return n
}

// Judge implements game.Play: it compares the state of the platform with the model, after owners have replayed runs.
func (g *Game) Judge() {
	g.told = g.PointsHit(g.Runs())
	if g.replay() {
		g.Drain(g)
	}
	for _, t := range g.Tenants {
		for _, s := range g.played[t] {
			s.settle(g, t)
		}
	}

	g.Check()
	g.checkInvalidMessages()
	g.checkRefused()
}

// Report implements game.Play.
func (g *Game) Report(r *game.Report) {
	runs := g.Runs()
	fires, acts := g.Cost(len(runs)), g.ActionCost(runs)
	for what, n := range map[string]int{
		"events": len(g.Occurrences), "runs": len(runs), "calls of programs that fire": fires.Calls,
		"calls of programs that fire, at most": fires.Budget, "messages of actions": g.Outside.Messages,
		"calls of programs that act": acts.Calls, "calls of programs that act, at most": acts.Budget,
	} {
		g.Count(what, n)
	}
	r.Points = g.told
}

// sent hears of messages. One that asks for a run must find it.
func (g *Game) sent(queue, body string) {
	if !slices.Contains(outside.ActionQueues, queue) {
		return
	}
	var m run.Message
	if slices.Contains(invalidMessages, body) {
		return
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		g.Problem("message %s: %v", body, err)
		return
	}

	pk, sk := fmt.Sprintf("%s#run#%d", m.Scope, m.Trigger), fmt.Sprintf("%013d#%s", m.At, m.Run)
	if g.World.DB.Get("TriggerLogTable", pk, sk) == nil {
		g.Problem("message: run %s of %s was asked for before it was stored", m.Run, m.Scope)
	}
	g.Ask(m.Run)
}
