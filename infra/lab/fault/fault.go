// Package fault kills every process of a local cloud at random moments while
// its whole API is used, and then holds what the platform has against what its
// clients know. What clients know stands in ledgers:
//
//	acknowledged   answered 2xx: it happened, once
//	refused        answered 4xx: it did not happen
//	unknown        cut off, or answered 5xx: it may have happened, once at most
//
// A request with an Idempotency-Key is repeated until it is answered (D8), so it
// ends acknowledged. Of each ledger three numbers must be zero:
//
//	lost      acknowledged and not there
//	doubled   there more often than it may be, or although it was refused
//	late      ended, or answered, later than it must be
//
// Functions say when they begin: their first statement tells a Witness, a server
// of the test that nobody kills, which job runs. So a run has happened when the
// witness heard of it, whatever the platform remembers.
//
// A round is one application's load while some kinds of process are killed:
//
//	plant ─ load + kills ─ load ends ─ work under way ends ─ judge
//
// A Load is a number of events for triggers instead of a time. What must come of
// requests and events says the package promise, which the simulation consults, too.
//
// Both have rows whose triggers have something done. What came of it is counted where nobody is killed or where the
// platform does not count: in the outbox, at a Receiver of webhooks, in rows that carry a mark for each time. Each of
// these has happened once; webhooks come again only after a death, ordered ones in the order of their row. A mail or an
// SMS may be interrupted, when somebody died between its claim and its end: then it has happened once at most.
//
// In the long form everything takes its real time. The short form has lost
// workers found by the platform's own code with a clock that is ahead, and
// says nothing of the lateness of these.
package fault

import (
	"fmt"
	"io"
	"slices"
	"time"

	"minicloud/infra/lab/promise"
)

// Result is what a ledger came to. Its Latest is the longest that anything took beyond what it may, or of an action
// from the request to its effect; 0 where nothing is timed.
type Result struct {
	promise.Tally

	busy float64 // how many times longer the machine took than a quiet one; 0 is 1
}

// trouble adds to one of the numbers that must be zero.
func (t *Result) trouble(number *int, format string, a ...any) { t.Trouble(number, 1, format, a...) }

// most is how many troubles of a ledger are told; the others are like them.
const most = 10

// took notes that something ended so long after it should have.
func (t *Result) took(over time.Duration, what string) {
	t.Latest = max(t.Latest, over)

	if over > t.slack(allowance) {
		t.trouble(&t.Late, "%s %s late", what, over.Round(100*time.Millisecond))
	}
}

// slack is d on the machine that the round was played on.
func (t *Result) slack(d time.Duration) time.Duration {
	return time.Duration(float64(d) * max(1, t.busy))
}

// allowance is how long after its time limit a job may still be open (D19), and
// how long a request may have to be repeated until it is answered.
const allowance = 30 * time.Second

// Report is what rounds came to.
type Report struct {
	Seed     uint64
	Kills    map[Victim]int
	Redriven int // dead letters that were sent again

	names   []string
	busy    float64
	results map[string]*Result
}

// NewReport returns an empty report with a line for each of the victims.
func NewReport(seed uint64, victims []Victim) *Report {
	r := &Report{Seed: seed, Kills: map[Victim]int{}, results: map[string]*Result{}}
	for _, v := range victims {
		r.Kills[v] = 0
	}
	return r
}

// allow makes the report allow what the load of the machine explains.
func (r *Report) allow() {
	r.busy = max(r.busy, slowness())
	for _, result := range r.results {
		result.busy = r.busy
	}
}

// Ledger returns the result of that name.
func (r *Report) Ledger(name string) *Result {
	if r.results[name] == nil {
		r.results[name] = &Result{busy: r.busy}
		r.names = append(r.names, name)
	}
	return r.results[name]
}

// Troubles are the lines of all ledgers.
func (r *Report) Troubles() []string {
	var lines []string
	for _, name := range r.names {
		all := r.results[name].Troubles
		for _, line := range all[:min(len(all), most)] {
			lines = append(lines, name+": "+line)
		}
	}
	return lines
}

// Spared are the victims that were never killed.
func (r *Report) Spared() []Victim {
	var spared []Victim
	for v, n := range r.Kills {
		if n == 0 {
			spared = append(spared, v)
		}
	}
	slices.Sort(spared)
	return spared
}

// Print writes a line for each ledger, and how often each victim was killed.
func (r *Report) Print(w io.Writer) {
	const form = "%-20s %9v %12v %7v | %8v %8v | %4v %7v %10v %4v | %11v %5v  %v\n"
	fmt.Fprintf(w, "\nseed %d\n\n"+form, r.Seed, "ledger", "attempted", "acknowledged", "unknown", "expected", "happened",
		"lost", "doubled", "disordered", "late", "interrupted", "again", "latest")

	sum := &Result{}
	row := func(name string, t *Result) {
		fmt.Fprintf(w, form, name, t.Attempted, t.Acknowledged, t.Unknown, t.Expected, t.Happened, t.Lost, t.Doubled,
			t.Disordered, t.Late, t.Interrupted, t.Again, t.Latest.Round(100*time.Millisecond))
	}
	for _, name := range r.names {
		row(name, r.results[name])
		sum.Add(r.results[name].Tally)
	}
	row("all", sum)

	fmt.Fprintf(w, "%d dead letters were sent again; ", r.Redriven)
	fmt.Fprintf(w, "late is what comes when nothing has come for %s, and nothing waits for another attempt\n", redelivered)
	r.printKills(w)
}

// printKills writes how often each victim was killed.
func (r *Report) printKills(w io.Writer) {
	total := 0
	fmt.Fprintf(w, "\n%-22s %9s\n", "killed", "times")
	for _, v := range sorted(r.Kills) {
		fmt.Fprintf(w, "%-22s %9d\n", v, r.Kills[v])
		total += r.Kills[v]
	}
	fmt.Fprintf(w, "%-22s %9d\n", "all", total)
}
