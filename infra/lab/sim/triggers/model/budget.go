package model

import (
	"slices"
	"strings"

	"minicloud/infra/lab/sim/triggers/outside"
	"minicloud/infra/local/unkind"
	"minicloud/shared/trigger"
)

// Cost is how many calls of AWS the programs that fire have made, and how many they may make.
type Cost struct{ Calls, Budget int }

// programsThatFire turn what happened into runs.
var programsThatFire = []string{"recordtrigger", "platformevent", "timertick"}

// The budgets, in calls. A failed delivery is repeated, so faults cost as well.
const (
	callsPerRun   = 3 // it is stored, perhaps as skipped after it could not be stored with its turn, and asked for
	callsPerEvent = 6 // whose it is, which triggers there are, what the table is like, what was seen
	callsPerTick  = 9 // four shards of the timers and of the wakes that are due; each timer is read and moved
	callsPerFault = 3 // what it makes them do again
)

// calls counts those of some programs.
func (g *Ledger) calls(programs []string) (n int) {
	for what, times := range g.World.Calls {
		if program, _, _ := strings.Cut(what, " "); slices.Contains(programs, program) {
			n += times
		}
	}
	return n
}

func (g *Ledger) Cost(runs int) Cost {
	faults := 0
	for what, n := range g.World.Faults {
		if what != "done" && what != string(unkind.Freeze) { // a process that stands still repeats nothing
			faults += n
		}
	}
	told := len(g.Occurrences) + len(g.World.Bodies("PlatformEventQueue")) // of one payment, the bus may tell several times
	return Cost{
		g.calls(programsThatFire), callsPerRun*runs + callsPerEvent*told + callsPerTick*len(g.Ticks) + callsPerFault*faults,
	}
}

// checkCosts holds the calls against the budget.
func (g *Ledger) checkCosts(runs []Run) {
	if c := g.Cost(len(runs)); c.Calls > c.Budget {
		g.Problem("budget: %d calls for %d runs of %d events, at most %d", c.Calls, len(runs), len(g.Occurrences), c.Budget)
	}
	if c := g.ActionCost(runs); c.Calls > c.Budget {
		g.Problem("budget: %d calls for %d messages, at most %d", c.Calls, g.Outside.Messages, c.Budget)
	}
}

// The budgets of the work on actions, in calls, without repetitions after faults.
const (
	callsPerMessage = 9  // the run is begun, its trigger read, it is ended; up to six for its effect, its budget among them
	callsPerFlow    = 14 // of a run that is held back: it passes four gates, and leaves its order
	callsPerPerson  = 5  // whom a template message is for: form ids, one is spent, claim, sent; a page of people
)

// ActionCost is what the programs that work on actions have called, and may have.
func (g *Ledger) ActionCost(runs []Run) Cost {
	held, persons := 0, 0
	for _, r := range runs {
		if r.does != nil && r.does.flow.Uses() {
			held++
		}
		if r.does != nil && r.does.Kind == trigger.TemplateMessage {
			persons += len(r.does.recipients()) * (1 + g.Replayed[r.ID])
		}
	}
	faults := 0
	for _, p := range g.Outside.All {
		faults += p.Hits
	}
	budget := callsPerMessage*g.Outside.Messages + callsPerFlow*held + callsPerPerson*persons + callsPerFault*faults
	return Cost{g.calls(outside.Runners), budget}
}
