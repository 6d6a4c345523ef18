package play

import (
	"context"
	"fmt"
	"maps"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/shared/app"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/table"
	scopes "minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// tenant is one environment of an application. All tenants of a game have the same ids of triggers, tables, messages
// and trades, so that code that forgets the tenant mixes them up.
type tenant struct {
	scope    scopes.Scope
	mark     string // stands in all its data and in no other's
	client   app.ClientID
	sources  []source
	triggers []*modelTrigger
	timers   []modelTimer

	manyRows []string           // names of counters of many rows
	limited  map[string]bool    // addresses that get one webhook a second; the game's
	planted  bool               // nothing more is stored before something may go wrong
	only     trigger.ActionType // of its actions where that can be; "" = any
	flows    bool               // all actions that can have flow controls do
}

// scopesPlayed are the tenants of a game: two environments of one application, and another application.
var scopesPlayed = []scopes.Scope{
	{App: 70013, Env: scopes.Production}, {App: 70013, Env: "0123456789abcdef0123"}, {App: 80021, Env: scopes.Production},
}

// hears reports whether an occurrence is one that the trigger waits for, and whether its condition holds.
func (w *modelTrigger) hears(h occurrence) (seen, held bool) {
	return w.index == h.index, w.holds == nil || w.holds(h.before, h.after)
}

// modelTrigger is a trigger as the model knows it: what its owner wants.
type modelTrigger struct {
	id      trigger.ID
	index   string // that of the occurrences it waits for
	actions []modelAction
	// holds is its condition, nil = always. before and after are what a row was and is, after alone what else happened.
	holds   func(before, after map[string]any) bool
	watch   promise.Watch // what it must have made of what happened; filled at the end
	on, off moment        // when it was enabled, and disabled again; zero = before anything happened, never
}

// moment is when something was done: at some instant between began and ended.
type moment struct{ began, ended time.Time }

// needAt is whether the trigger must run for an occurrence, as far as it was enabled: seen is when the writer of the
// event read the triggers.
func (w *modelTrigger) needAt(seen time.Time) promise.Need {
	switch {
	case !w.off.began.IsZero() && !w.off.ended.IsZero() && seen.After(w.off.ended):
		return promise.Never
	case !w.off.began.IsZero() || !seen.After(w.on.ended):
		return promise.May
	}
	return promise.Must
}

// modes are how often actions may run, most of them as often as they like.
var modes = []trigger.Frequency{
	{Mode: trigger.Repeatable}, {Mode: trigger.Repeatable}, {Mode: trigger.Repeatable}, {Mode: trigger.Repeatable},
	{Mode: trigger.Once}, {Mode: trigger.Intermittent, IntervalSeconds: 60},
}

// model adds a model trigger; the caller gives the type, the condition and the actions, and stores it.
func (t *tenant) model(
	planted trigger.Trigger, index string, holds func(before, after map[string]any) bool,
) (trigger.Trigger, *modelTrigger) {
	w := &modelTrigger{id: trigger.ID(101 + len(t.triggers)), index: index, holds: holds}
	if index == "" { // a timer's is its own
		w.index = fmt.Sprintf("timer#%d", w.id)
	}
	planted.ID, planted.Name = w.id, fmt.Sprintf("%s trigger %d", t.mark, w.id)
	planted.Enabled, planted.Revision, planted.Timezone = true, 1, trigger.DefaultTimezone
	t.triggers = append(t.triggers, w)
	return planted, w
}

// add adds a model trigger with random actions.
func (t *tenant) add(
	random sim.Random, planted trigger.Trigger, index string, holds func(before, after map[string]any) bool,
) (trigger.Trigger, *modelTrigger) {
	planted, w := t.model(planted, index, holds)
	if random.IntN(2) == 0 {
		planted.TraceUntil = trigger.TraceAlways
	}

	planted.Tables = maps.Clone(planted.Tables)
	if planted.Tables == nil {
		planted.Tables = map[string]table.ID{}
	}
	planted.Tables[madeName], planted.Tables[counters] = madeID, countersID
	for n := range 1 + random.IntN(2) {
		action, does := t.newAction(random, &planted, trigger.ActionID(1+n))
		planted.Actions, w.actions = append(planted.Actions, action), append(w.actions, does)
	}
	return planted, w
}

// plant stores the tenants and what they have, before anything goes wrong.
func (g *Game) plant() error {
	g.world.Rates = sim.Rates{}
	apps := &appdb.Applications{Client: g.owner().Client, Table: "ApplicationsTable"}
	for _, scope := range scopesPlayed {
		t := &tenant{
			scope: scope, mark: fmt.Sprintf("mark-%s", scope),
			client: app.ClientID(fmt.Sprintf("%08x%012x", int64(scope.App), 12)), only: g.only, flows: g.flows,
			limited: g.limitedURL,
		}
		g.tenants = append(g.tenants, t)
		if scope.Env == scopes.Production {
			a := app.Application{
				ID: scope.App, Name: "app", ClientID: t.client, Generation: 1, CreatedAt: time.Now(),
				Environments: map[scopes.EnvID]string{scopesPlayed[1].Env: "staging"},
			}
			if err := apps.InsertApplication(context.Background(), a); err != nil {
				return err
			}
		}

		for _, s := range g.sources {
			if few := len(g.sources) < len(sources); !few && g.random.IntN(2) == 0 {
				continue
			}
			t.sources = append(t.sources, s)
			if err := s.plant(g, t, g.random); err != nil {
				return fmt.Errorf("%T: %w", s, err)
			}
		}
		if err := g.plantActions(t); err != nil {
			return err
		}
	}
	return nil
}

// owner is the store of triggers in the hands of their owners.
func (g *Game) owner() *triggerdb.Triggers {
	return g.world.Instance("owner", g.platform.owner).Handlers.(*triggerdb.Triggers)
}

// insert stores a trigger.
func (g *Game) insert(t *tenant, planted trigger.Trigger, next time.Time) error {
	return g.owner().Insert(context.Background(), t.scope, planted, next)
}

// insertSome stores so many new triggers.
func (g *Game) insertSome(t *tenant, n int, add func() (trigger.Trigger, *modelTrigger)) error {
	for range n {
		planted, _ := add()
		if err := g.insert(t, planted, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}
