// Package model knows what triggers must have done in a game, and compares the platform with it:
//
//	Ledger       all that sources made happen                     game.go
//	Tenant       an environment of an application                 tenant.go
//	Trigger      a trigger as its owner wants it, with actions    tenant.go action.go
//	Occurrence   an event as its source knows it                  ledger.go
//	Run          an entry of the trigger log                      runs.go
//	check…       the comparisons                                  ledger.go order.go runs.go effects.go flows.go
//	                                                              evaluations.go leaks.go budget.go
//
// The expectation follows from the sources by the model of package promise, which shares no code with the engine.
package model

import (
	"sync"

	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim/game"
	"minicloud/infra/lab/sim/triggers/outside"
)

// Ledger has what a game knows of what happened, and compares what the platform has done with it.
type Ledger struct {
	*game.Game
	Outside *outside.Services
	Tenants []*Tenant
	Logs    *lines

	mu          sync.Mutex
	Occurrences []Occurrence
	asked       []string // ids of runs, in the order of their messages
	Ticks       []promise.Tick
	Skewed      bool            // clocks jump
	Interrupted map[string]bool // runs of unknown effect, before they were replayed
	Replayed    map[string]int  // runs that their owners had done again, by id: how often
	LimitedURL  map[string]bool // addresses that get one webhook a second
	deepest     map[string]int  // of each run, the depth of its deepest event
}

// New returns the ledger of a game.
func New(engine *game.Game, out *outside.Services) *Ledger {
	return &Ledger{
		Game: engine, Outside: out, Logs: &lines{}, Replayed: map[string]int{}, Interrupted: map[string]bool{},
		LimitedURL: map[string]bool{},
	}
}

// Check compares the state of the platform with the model.
func (g *Ledger) Check() {
	runs := g.Runs()
	g.deepest = deepestEvents(runs)
	g.fillWatches()
	g.checkLedger(runs)
	g.checkOrder(runs)
	g.checkRuns(runs)
	g.checkEffects(runs)
	g.checkFlows(runs)
	g.checkEvaluations()
	g.checkLeaks()
	g.checkCosts(runs)
}

// Compare notes the troubles of a ledger.
func (g *Ledger) Compare(what string, asked *promise.Ledger, found promise.Found) {
	g.Tell(what, asked.Judge(found))
}

// NoteOccurrence notes what a source has made happen.
func (g *Ledger) NoteOccurrence(h Occurrence) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.Occurrences = append(g.Occurrences, h)
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

// Ask notes that a message asks for a run.
func (g *Ledger) Ask(run string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked = append(g.asked, run)
}

// Tick notes a tick of the timers.
func (g *Ledger) Tick(t promise.Tick) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.Ticks = append(g.Ticks, t)
}
