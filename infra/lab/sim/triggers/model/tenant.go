package model

import (
	"fmt"
	"maps"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/shared/app"
	"minicloud/shared/table"
	scopes "minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// Tenant is one environment of an application. All tenants of a game have the same ids of triggers, tables, messages
// and trades, so that code that forgets the tenant mixes them up.
type Tenant struct {
	Scope    scopes.Scope
	Mark     string // stands in all its data and in no other's
	App      app.Application
	Triggers []*Trigger
	Timers   []Timer

	ManyRows []string           // names of counters of many rows
	Limited  map[string]bool    // addresses that get one webhook a second; the game's
	Planted  bool               // nothing more is stored before something may go wrong
	Only     trigger.ActionType // of its actions where that can be; "" = any
	Flows    bool               // all actions that can have flow controls do
}

// ScopesPlayed are the tenants of a game: two environments of one application, and another application.
var ScopesPlayed = []scopes.Scope{
	{App: 70013, Env: scopes.Production}, {App: 70013, Env: "0123456789abcdef0123"}, {App: 80021, Env: scopes.Production},
}

// hears reports whether an occurrence is one that the trigger waits for, and whether its condition holds.
func (w *Trigger) hears(h Occurrence) (seen, held bool) {
	return w.Index == h.Index, w.holds == nil || w.holds(h.Before, h.After)
}

// Trigger is a trigger as the model knows it: what its owner wants.
type Trigger struct {
	ID      trigger.ID
	Index   string // that of the occurrences it waits for
	Actions []Action
	// holds is its condition, nil = always. before and after are what a row was and is, after alone what else happened.
	holds   func(before, after map[string]any) bool
	watch   promise.Watch // what it must have made of what happened; filled at the end
	On, Off Moment        // when it was enabled, and disabled again; zero = before anything happened, never
}

// Moment is when something was done: at some instant between began and ended.
type Moment struct{ Began, Ended time.Time }

// needAt is whether the trigger must run for an occurrence, as far as it was enabled: seen is when the writer of the
// event read the triggers.
func (w *Trigger) needAt(seen time.Time) promise.Need {
	switch {
	case !w.Off.Began.IsZero() && !w.Off.Ended.IsZero() && seen.After(w.Off.Ended):
		return promise.Never
	case !w.Off.Began.IsZero() || !seen.After(w.On.Ended):
		return promise.May
	}
	return promise.Must
}

// modes are how often actions may run, most of them as often as they like.
var modes = []trigger.Frequency{
	{Mode: trigger.Repeatable}, {Mode: trigger.Repeatable}, {Mode: trigger.Repeatable}, {Mode: trigger.Repeatable},
	{Mode: trigger.Once}, {Mode: trigger.Intermittent, IntervalSeconds: 60},
}

// Model adds a model trigger; the caller gives the type, the condition and the actions, and stores it.
func (t *Tenant) Model(
	planted trigger.Trigger, index string, holds func(before, after map[string]any) bool,
) (trigger.Trigger, *Trigger) {
	w := &Trigger{ID: trigger.ID(101 + len(t.Triggers)), Index: index, holds: holds}
	if index == "" { // a timer's is its own
		w.Index = fmt.Sprintf("timer#%d", w.ID)
	}
	planted.ID, planted.Name = w.ID, fmt.Sprintf("%s trigger %d", t.Mark, w.ID)
	planted.Enabled, planted.Revision, planted.Timezone = true, 1, trigger.DefaultTimezone
	t.Triggers = append(t.Triggers, w)
	return planted, w
}

// Add adds a model trigger with random actions.
func (t *Tenant) Add(
	random sim.Random, planted trigger.Trigger, index string, holds func(before, after map[string]any) bool,
) (trigger.Trigger, *Trigger) {
	planted, w := t.Model(planted, index, holds)
	if random.IntN(2) == 0 {
		planted.TraceUntil = trigger.TraceAlways
	}

	planted.Tables = maps.Clone(planted.Tables)
	if planted.Tables == nil {
		planted.Tables = map[string]table.ID{}
	}
	planted.Tables[MadeName], planted.Tables[Counters] = MadeID, CountersID
	for n := range 1 + random.IntN(2) {
		action, does := t.newAction(random, &planted, trigger.ActionID(1+n))
		planted.Actions, w.Actions = append(planted.Actions, action), append(w.Actions, does)
	}
	return planted, w
}

// Timer is a timer as the model knows it.
type Timer struct {
	*Trigger
	promise.Timer
	From time.Time
}
