// Package promise is the model of what the platform promises its callers. Both testers consult it: the fault runner,
// which kills real processes, and the simulation, which plays seeds on a virtual clock. It shares no code with the
// platform that it judges.
//
//	Ledger      each mark is there as often as it was asked for: nothing is lost, nothing is doubled    ledger.go
//	Watch       what a trigger makes of the events that it saw, and what it says that it saw             watch.go
//	Condition   which rows, files and messages pass                                                      condition.go
//	Timer       which minutes fire                                                                       timer.go
//	Job         a run of a function has one record, ends in time and began once                        job.go
//	Disordered  what came before its turn; Crowded: what came too soon after others                      pace.go
//
// A Tally sums up the findings.
package promise

import (
	"fmt"
	"time"
)

// Need says whether something must be there. The zero value is May: a request without an answer may have happened.
type Need int

// The needs, in their order: the smaller of two holds where both count.
const (
	Never Need = iota - 1
	May
	Must
)

// Tally is what was found, held against what was promised.
type Tally struct {
	Attempted, Acknowledged, Unknown int // requests
	Expected, Happened               int // effects; Expected are those that must have happened
	Lost, Doubled, Disordered, Late  int // must be zero
	Interrupted                      int // effects of which the platform says that nobody knows, and may say so
	Again                            int // webhooks that a killed worker had sent, and another sent again
	Latest                           time.Duration
	Troubles                         []string // what is wrong, a line each
}

// Count adds a request, of which it is known whether it happened.
func (t *Tally) Count(known Need) {
	t.Attempted++
	switch known {
	case Must:
		t.Acknowledged++
	case May:
		t.Unknown++
	}
}

// Trouble adds n to one of the numbers that must be zero, unless n is not positive.
func (t *Tally) Trouble(number *int, n int, format string, a ...any) {
	if n > 0 {
		*number += n
		t.Troubles = append(t.Troubles, fmt.Sprintf(format, a...))
	}
}

// Bad is how many of the things that must be zero are not.
func (t *Tally) Bad() int { return t.Lost + t.Doubled + t.Disordered + t.Late }

// Add adds another tally.
func (t *Tally) Add(more Tally) {
	for _, n := range []struct {
		to   *int
		more int
	}{
		{&t.Attempted, more.Attempted}, {&t.Acknowledged, more.Acknowledged}, {&t.Unknown, more.Unknown},
		{&t.Expected, more.Expected}, {&t.Happened, more.Happened}, {&t.Lost, more.Lost}, {&t.Doubled, more.Doubled},
		{&t.Disordered, more.Disordered}, {&t.Late, more.Late}, {&t.Interrupted, more.Interrupted},
		{&t.Again, more.Again},
	} {
		*n.to += n.more
	}
	t.Latest = max(t.Latest, more.Latest)
	t.Troubles = append(t.Troubles, more.Troubles...)
}
