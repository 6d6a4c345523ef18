package play

import (
	"slices"
	"strings"
)

// Cost is how many calls of AWS the programs that fire have made, and how many they may make.
type Cost struct{ Calls, Budget int }

// programsThatFire turn what happened into runs.
var programsThatFire = []string{"recordtrigger", "platformevent", "timertick"}

// What things may cost, in calls. A delivery that fails is made again, so faults cost as well.
const (
	callsPerRun   = 3 // it is stored, perhaps as skipped after it could not be stored with its turn, and asked for
	callsPerEvent = 6 // whose it is, which triggers there are, what the table is like, what was seen
	callsPerTick  = 3 // which timers are due; each is read and moved
	callsPerFault = 3 // what it makes them do again
)

func (g *Game) cost(runs int) (c Cost) {
	for what, n := range g.world.Calls {
		program, _, _ := strings.Cut(what, " ")
		if slices.Contains(programsThatFire, program) {
			c.Calls += n
		}
	}
	faults := 0
	for what, n := range g.world.Faults {
		if what != "done" {
			faults += n
		}
	}
	told := len(g.happened) + len(g.world.Queue("events").Log()) // of one payment, the bus may tell several times
	c.Budget = callsPerRun*runs + callsPerEvent*told + callsPerTick*len(g.ticks) + callsPerFault*faults
	return c
}

// checkCosts holds the calls against the budget.
func (g *Game) checkCosts(runs int) {
	if c := g.cost(runs); c.Calls > c.Budget {
		g.problem("budget: %d calls for %d runs of %d events, at most %d", c.Calls, runs, len(g.happened), c.Budget)
	}
}
