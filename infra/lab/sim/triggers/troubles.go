package triggers

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	actionrunner "minicloud/functions/actionrunner/wire"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/triggers/model"
	"minicloud/infra/lab/sim/triggers/outside"
	"minicloud/shared/trace/chain"
	"minicloud/shared/trigger/manage"
	"minicloud/shared/trigger/run"
)

// clocks makes the clocks of the machines jump forward and back.
func (g *Game) clocks(random sim.Random) {
	for range 2 + random.IntN(5) {
		g.Pause(random, 60*time.Second)
		by := time.Duration(random.IntN(int(2*outside.Skew/time.Second)))*time.Second - outside.Skew
		runner := outside.Runners[random.IntN(len(outside.Runners))]
		g.World.Skew(runner, by)
		g.Outside.NotePoint(map[bool]string{true: "clock: jumped forward", false: "clock: jumped back"}[by > 0], "")
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
		g.Pause(random, 60*time.Second)
		body := invalidMessages[random.IntN(len(invalidMessages))]
		g.Outside.NotePoint("message: nobody can serve it", "")
		g.mu.Lock()
		g.invalidMessages = append(g.invalidMessages, body)
		g.mu.Unlock()
		g.World.Put("ActionQueue", body)
	}
}

// sendLongChains sends messages of runs again, at places of their chains beyond the limits of the program.
func (g *Game) sendLongChains(random sim.Random) {
	for range 1 + random.IntN(2) {
		g.Pause(random, 60*time.Second)
		known := g.World.Bodies("ActionQueue")
		if len(known) == 0 {
			continue
		}
		body := known[random.IntN(len(known))]
		place := chain.Link{Generation: actionrunner.Limits.Generations}
		if random.IntN(2) == 0 {
			place = chain.Link{Generation: actionrunner.Limits.Idle, Idle: actionrunner.Limits.Idle}
		}
		g.Outside.NotePoint("message: its chain is too long", "")
		g.mu.Lock()
		g.invalidMessages = append(g.invalidMessages, body)
		g.mu.Unlock()
		g.World.PutLinked("ActionQueue", body, place.String())
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
	g.Compare("dead letter", &asked, promise.Found{Times: found})
}

// anyTimers reports whether something happens each minute.
func (g *Game) anyTimers() bool {
	return slices.ContainsFunc(g.Tenants, func(t *model.Tenant) bool { return len(t.Timers) > 0 })
}

// stopTimers disables all timers.
func (g *Game) stopTimers() {
	for _, t := range g.Tenants {
		for _, w := range t.Timers {
			w.Off = g.until(g.Random, func() error {
				planted, err := g.owner().Backend.Triggers().Trigger(context.Background(), t.Scope, w.ID)
				if err != nil {
					return err
				}
				return g.disable(t, planted)
			})
		}
	}
}

// replay replays all interrupted runs and some others, as their owners do, and reports whether there were any.
func (g *Game) replay() bool {
	runs := g.Runs()
	slices.SortFunc(runs, func(a, b model.Run) int { return strings.Compare(a.ID, b.ID) })
	some := 0
	for _, r := range runs {
		ended := r.Status == "succeeded" || r.Status == "failed"
		if r.Why != "interrupted" && (!ended || some >= 5) {
			continue
		}
		some++
		for _, t := range g.Tenants {
			if t.Scope.String() != r.Scope {
				continue
			}
			err := g.own(func(ctx context.Context, s *manage.Service) error {
				return s.Replay(ctx, t.Scope, run.Ref{Trigger: r.Trigger, At: r.At.UTC(), ID: r.ID})
			})
			if err != nil {
				g.Problem("replay: %s of %s: %v", r.ID, r.Scope, err)
			}
			g.Replayed[r.ID]++
			g.Interrupted[r.ID] = r.Unknown()
		}
	}
	return some > 0
}
