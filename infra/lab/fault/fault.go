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
// A Load is a number of events for triggers instead of a time. What they must have fired says the package expect, which
// is written from the specification.
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
	"strings"
	"time"
)

// Result is what a ledger came to.
type Result struct {
	Attempted, Acknowledged, Unknown int
	Lost, Doubled, Late              int

	Latest   time.Duration // the longest anything took beyond what it may; 0 where nothing is timed
	Troubles []string      // what is wrong, a line each

	busy float64 // how many times longer the machine took than a quiet one; 0 is 1
}

// Bad returns how many of the things that must be zero are not.
func (t *Result) Bad() int { return t.Lost + t.Doubled + t.Late }

// count adds an attempt.
func (t *Result) count(known certainty) {
	t.Attempted++

	switch known {
	case acknowledged:
		t.Acknowledged++
	case unknown:
		t.Unknown++
	}
}

// add adds what another round came to.
func (t *Result) add(more Result) {
	t.Attempted += more.Attempted
	t.Acknowledged += more.Acknowledged
	t.Unknown += more.Unknown
	t.Lost += more.Lost
	t.Doubled += more.Doubled
	t.Late += more.Late
	t.Latest = max(t.Latest, more.Latest)
	t.Troubles = append(t.Troubles, more.Troubles[:min(len(more.Troubles), most)]...)
}

// most is how many troubles of a ledger are told; the others are like them.
const most = 10

// trouble adds to one of the numbers that must be zero.
func (t *Result) trouble(number *int, format string, a ...any) {
	*number++
	if len(t.Troubles) < most {
		t.Troubles = append(t.Troubles, fmt.Sprintf(format, a...))
	}
}

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
	effects map[string]*Effect
}

// NewReport returns an empty report with a line for each of the victims.
func NewReport(seed uint64, victims []Victim) *Report {
	r := &Report{Seed: seed, Kills: map[Victim]int{}, results: map[string]*Result{}, effects: map[string]*Effect{}}
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

// Effect returns the line of that action.
func (r *Report) Effect(line string) *Effect {
	if r.effects[line] == nil {
		r.effects[line] = &Effect{}
	}
	return r.effects[line]
}

// Troubles are the lines of all ledgers.
func (r *Report) Troubles() []string {
	var lines []string
	for _, name := range r.names {
		for _, line := range r.results[name].Troubles {
			lines = append(lines, name+": "+line)
		}
	}
	for _, name := range effectLines {
		e := r.Effect(name)
		for _, line := range e.Troubles[:min(len(e.Troubles), most)] {
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
	fmt.Fprintf(w, "\nseed %d\n\n%-22s %9s %12s %8s | %5s %8s %5s  %s\n", r.Seed,
		"ledger", "attempted", "acknowledged", "unknown", "lost", "doubled", "late", "latest")

	var sum Result
	for _, name := range r.names {
		t := r.results[name]
		line(w, name, t)
		sum.add(*t)
	}
	line(w, "all", &sum)

	r.PrintKills(w)
	r.PrintEffects(w)
}

// PrintEffects writes a line for each action.
func (r *Report) PrintEffects(w io.Writer) {
	const form = "%-18s %9v %9v | %5v %8v %10v %5v | %11v %6v  %v\n"
	fmt.Fprintf(w, "\n"+form, "action", "expected", "happened", "lost", "doubled", "disordered", "late", "interrupted",
		"again", "latest")

	sum := Effect{}
	row := func(name string, e *Effect) {
		fmt.Fprintf(w, form, name, e.Expected, e.Happened, e.Lost, e.Doubled, e.Disordered, e.Late, e.Interrupted, e.Again,
			e.Latest.Round(100*time.Millisecond))
	}
	for _, name := range effectLines {
		e := r.Effect(name)
		row(name, e)
		sum.Add(e.Tally)
		sum.Late, sum.Again, sum.Latest = sum.Late+e.Late, sum.Again+e.Again, max(sum.Latest, e.Latest)
	}
	row("all", &sum)
	fmt.Fprintf(w, "%d dead letters were sent again; ", r.Redriven)
	fmt.Fprintf(w, "late is what comes when nothing has come for %s, and nothing waits for another attempt\n", redelivered)
}

// PrintKills writes how often each victim was killed.
func (r *Report) PrintKills(w io.Writer) {
	total := 0
	fmt.Fprintf(w, "\n%-22s %9s\n", "killed", "times")
	for _, v := range sorted(r.Kills) {
		fmt.Fprintf(w, "%-22s %9d\n", v, r.Kills[v])
		total += r.Kills[v]
	}
	fmt.Fprintf(w, "%-22s %9d\n", "all", total)
}

func line(w io.Writer, name string, t *Result) {
	latest := ""
	if t.Latest > 0 {
		latest = t.Latest.Round(100 * time.Millisecond).String()
	}
	text := fmt.Sprintf("%-22s %9d %12d %8d | %5d %8d %5d  %s", name,
		t.Attempted, t.Acknowledged, t.Unknown, t.Lost, t.Doubled, t.Late, latest)
	fmt.Fprintln(w, strings.TrimRight(text, " "))
}
