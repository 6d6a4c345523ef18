package load

import (
	"fmt"
	"io"
	"sync"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/promise"
)

// Line is one line of the report: the requests of one kind and their effects.
type Line struct {
	promise.Tally

	mu    sync.Mutex
	timed bool // lateness is checked
	asked promise.Ledger
	why   map[string]string // refusals, by mark
}

// allowance is how long after its time limit a job may stay open (D19: limit plus 30 s), and how long a request may be
// repeated before it is answered.
const allowance = 30 * time.Second

// Note counts a request with one effect, checks its answers and expects the effect.
func (l *Line) Note(e client.Effect) {
	l.Request(e.Known, e.Mark, e.Wrong, e.Took)
	l.Expect(e)
}

// Expect expects an effect and replaces an earlier expectation for its mark.
func (l *Line) Expect(e client.Effect) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked.Expect(e.Mark, e.Known)
	if l.why == nil {
		l.why = map[string]string{}
	}
	if e.Said != "" {
		l.why[e.Mark] = e.Said
	}
}

// Request counts a request and checks its answers. Its effect is judged elsewhere.
func (l *Line) Request(known promise.Need, mark, wrong string, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Count(known)
	if wrong != "" {
		l.Trouble(&l.Lost, 1, "%q: %s", mark, wrong)
	}
	if took > 0 {
		l.NoteLate(took, mark+" was answered")
	}
}

// Fail records an outcome that a client must never see.
func (l *Line) Fail(number *int, format string, a ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Trouble(number, 1, format, a...)
}

// NoteLate records how long after its due time something ended. Only a load at the real pace checks it, because the
// figure depends on the machine.
func (l *Line) NoteLate(over time.Duration, what string) {
	if !l.timed {
		return
	}
	l.Latest = max(l.Latest, over)
	if over > client.Patient(allowance) {
		l.Trouble(&l.Late, 1, "%s %s late", what, over.Round(100*time.Millisecond))
	}
}

// Judge compares the observed effects, by mark, with the requests.
func (l *Line) Judge(found map[string]int) {
	l.Add(l.asked.Judge(promise.Found{Times: found, Why: l.why}))
}

// Same compares two sets of names.
func (l *Line) Same(where string, want, got map[string]int) {
	var asked promise.Ledger
	for name := range want {
		asked.Expect(name, promise.Must)
	}
	t := asked.Judge(promise.Found{Times: got})
	for i, trouble := range t.Troubles {
		t.Troubles[i] = where + ": " + trouble
	}
	t.Expected, t.Happened = 0, 0
	l.Add(t)
}

// Total compares a total from the platform with a recount.
func (l *Line) Total(of string, said, counted int) {
	l.Count(client.Acknowledged)
	l.Trouble(&l.Lost, counted-said, "the total of %s is %d, there are %d", of, said, counted)
	l.Trouble(&l.Doubled, said-counted, "the total of %s is %d, there are %d", of, said, counted)
}

// Lines holds the report lines of one load, by name.
type Lines struct {
	mu    sync.Mutex
	timed bool
	names []string
	all   map[string]*Line
}

// Line returns the line with that name, and creates it if needed.
func (l *Lines) Line(name string) *Line {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[string]*Line{}
	}
	if l.all[name] == nil {
		l.all[name] = &Line{timed: l.timed}
		l.names = append(l.names, name)
	}
	return l.all[name]
}

// mostTroubles is the maximum number of printed troubles per line.
const mostTroubles = 10

// Troubles returns the troubles of all lines, at most mostTroubles of each.
func (l *Lines) Troubles() (all []string) {
	for _, name := range l.names {
		troubles := l.all[name].Troubles
		for _, trouble := range troubles[:min(len(troubles), mostTroubles)] {
			all = append(all, name+": "+trouble)
		}
	}
	return all
}

// Add adds the tallies of another load.
func (l *Lines) Add(more *Lines) {
	for _, name := range more.names {
		l.Line(name).Add(more.all[name].Tally)
	}
}

// Print writes a table of all lines.
func (l *Lines) Print(w io.Writer) {
	const form = "%-20s %9v %12v %7v | %8v %8v | %4v %7v %10v %4v | %11v %5v  %v\n"
	fmt.Fprintf(w, "\n"+form, "ledger", "attempted", "acknowledged", "unknown", "expected", "happened",
		"lost", "doubled", "disordered", "late", "interrupted", "again", "latest")

	sum := promise.Tally{}
	row := func(name string, t promise.Tally) {
		fmt.Fprintf(w, form, name, t.Attempted, t.Acknowledged, t.Unknown, t.Expected, t.Happened, t.Lost, t.Doubled,
			t.Disordered, t.Late, t.Interrupted, t.Again, t.Latest.Round(100*time.Millisecond))
	}
	for _, name := range l.names {
		row(name, l.all[name].Tally)
		sum.Add(l.all[name].Tally)
	}
	row("all", sum)
}
