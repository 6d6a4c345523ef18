package play

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	actionrunner "minicloud/functions/actionrunner/wire"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/shared/trace/chain"
	"minicloud/shared/trigger/manage"
	"minicloud/shared/trigger/run"
)

// skew is how far a clock is off at most.
const skew = 100 * time.Second

// clocks makes the clocks of the machines jump forward and back.
func (g *Game) clocks(random sim.Random) {
	for range 2 + random.IntN(5) {
		g.pause(random, 60)
		by := time.Duration(random.IntN(int(2*skew/time.Second)))*time.Second - skew
		runner := runners[random.IntN(len(runners))]
		g.world.Skew(runner, by)
		g.notePoint(map[bool]string{true: "clock: jumped forward", false: "clock: jumped back"}[by > 0], "")
	}
}

// invalidMessages are messages that no worker can serve.
var invalidMessages = []string{
	`{`, `"text"`, `{"scope":"70013.production"}`, `{"scope":"70013.production","trigger":101,"run":"none","at":1}`,
	`{"scope":"no scope","trigger":101,"run":"none","at":1}`, `{"at":"x"}`,
}

// sendInvalidMessages sends messages that no worker can serve.
func (g *Game) sendInvalidMessages(random sim.Random) {
	for range 1 + random.IntN(3) {
		g.pause(random, 60)
		body := invalidMessages[random.IntN(len(invalidMessages))]
		g.notePoint("message: nobody can serve it", "")
		g.mu.Lock()
		g.invalidMessages = append(g.invalidMessages, body)
		g.mu.Unlock()
		g.world.Put("ActionQueue", body)
	}
}

// sendLongChains sends messages of runs again, at places of their chains beyond the limits of the program.
func (g *Game) sendLongChains(random sim.Random) {
	for range 1 + random.IntN(2) {
		g.pause(random, 60)
		known := g.world.Bodies("ActionQueue")
		if len(known) == 0 {
			continue
		}
		body := known[random.IntN(len(known))]
		place := chain.Link{Generation: actionrunner.Limits.Generations}
		if random.IntN(2) == 0 {
			place = chain.Link{Generation: actionrunner.Limits.Idle, Idle: actionrunner.Limits.Idle}
		}
		g.notePoint("message: its chain is too long", "")
		g.mu.Lock()
		g.invalidMessages = append(g.invalidMessages, body)
		g.mu.Unlock()
		g.world.PutLinked("ActionQueue", body, place.String())
	}
}

// checkInvalidMessages checks that each invalid message has become a dead letter, and nothing else has.
func (g *Game) checkInvalidMessages() {
	var asked promise.Ledger
	for _, body := range g.invalidMessages {
		asked.Expect(body, promise.Must)
	}
	found := map[string]int{}
	for _, one := range g.letters("ActionDeadLetterQueue") {
		body := string(one.Event)
		var quoted string
		if json.Unmarshal(one.Event, &quoted) == nil && slices.Contains(g.invalidMessages, quoted) {
			body = quoted
		}
		found[body] = 1
	}
	g.judge("dead letter", &asked, promise.Found{Times: found})
}

// anyTimers reports whether something happens each minute.
func (g *Game) anyTimers() bool {
	return slices.ContainsFunc(g.tenants, func(t *tenant) bool { return len(t.timers) > 0 })
}

// stopTimers disables all timers.
func (g *Game) stopTimers() {
	for _, t := range g.tenants {
		for _, w := range t.timers {
			w.off = g.until(g.random, func() error {
				planted, err := g.owner().Trigger(context.Background(), t.scope, w.id)
				if err != nil {
					return err
				}
				return g.disable(t, planted)
			})
		}
	}
}

// replays is the service by which owners replay runs.
func (p *platform) replays(i *sim.Instance) any {
	return &manage.Service{
		Store: i.Backend.Triggers(), Runs: i.Backend.Runs(), Queue: i.Queues.Actions(), IDs: i.Backend.IDs, Clock: i.Clock(),
	}
}

// replay replays all interrupted runs and some others, as their owners do, and reports whether there were any.
func (g *Game) replay() bool {
	runs := g.runs()
	slices.SortFunc(runs, func(a, b storedRun) int { return strings.Compare(a.id, b.id) })
	some := 0
	for _, r := range runs {
		ended := r.status == "succeeded" || r.status == "failed"
		if r.why != "interrupted" && (!ended || some >= 5) {
			continue
		}
		some++
		for _, t := range g.tenants {
			if t.scope.String() != r.scope {
				continue
			}
			err, _ := g.world.Do("replays", g.platform.replays, func(ctx context.Context, handlers any) error {
				ref := run.Ref{Trigger: r.trigger, At: r.at.UTC(), ID: r.id}
				return handlers.(*manage.Service).Replay(ctx, t.scope, ref)
			})
			if err != nil {
				g.problem("replay: %s of %s: %v", r.id, r.scope, err)
			}
			g.replayed[r.id]++
			g.interrupted[r.id] = r.unknown()
		}
	}
	return some > 0
}
