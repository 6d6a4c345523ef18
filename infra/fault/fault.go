// Package fault kills the processes of a local cloud at random moments, while
// jobs run, and then asks for the truth about every job (D19):
//
//	lost      accepted, or begun, and in no record
//	doubled   user code began twice, or one job has two records
//	open      neither ended nor cancelled when its time was over
//	late      ended later than its limit + 30 s
//	slots     still taken when all jobs have ended
//	orphans   processes that outlived the local cloud
//
// All six must be zero. Functions say when they begin: their first statement
// tells a Witness, a server of the test that nobody kills, which job runs; their
// second counts the run in a table of the platform, as any function would. Where
// the platform was killed meanwhile the second may fail, and the job with it; so
// the witness has all that began, and the table all that were fulfilled.
//
// A round is one application's load with one kind of victim:
//
//	plant ─ load + kills ─ load ends ─ the dead are found ─ verdict
//
// The dead of asynchronous runs are found after 305 s, when their lease is
// over. A long proof waits for that; a hurried one has the same code look
// around with a clock that is ahead.
package fault

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"minicloud/shared/job"
)

// Kind is a kind of process to kill.
type Kind string

// The victims. Cloud is the local cloud itself, which is the queue server, the
// gateway and the Lambda service, and takes every other process with it.
const (
	Child         Kind = "sandbox child"
	Sandbox       Kind = "sandbox"
	Jobrunner     Kind = "jobrunner"
	Jobreaper     Kind = "jobreaper"
	Cloudfunction Kind = "cloudfunction"
	Database      Kind = "dynoxide"
	Cloud         Kind = "local cloud"
)

// Kinds are all victims in the order of the table.
var Kinds = []Kind{Child, Sandbox, Jobrunner, Jobreaper, Cloudfunction, Database, Cloud}

// Outcome is what became of the jobs of one or more rounds.
type Outcome struct {
	Kills    map[Kind]int
	Accepted int                // jobs whose id, or result, was answered
	Begun    int                // jobs of which the witness heard
	Counted  int                // jobs that counted themselves in the table
	Records  map[job.Status]int // of all jobs, also those whose answer was cut off
	Lost     int
	Doubled  int
	Open     int
	Late     int
	Slots    int
	Orphans  int
	Latest   time.Duration // the longest any job took beyond its limit
	Troubles []string      // what is wrong, one line each
}

// Bad returns how many of the things that must be zero are not.
func (o Outcome) Bad() int { return o.Lost + o.Doubled + o.Open + o.Late + o.Slots + o.Orphans }

// Jobs returns the number of records.
func (o Outcome) Jobs() int {
	n := 0
	for _, count := range o.Records {
		n += count
	}
	return n
}

// Add adds another round.
func (o *Outcome) Add(more Outcome) {
	for kind, n := range more.Kills {
		if o.Kills == nil {
			o.Kills = map[Kind]int{}
		}
		o.Kills[kind] += n
	}
	for status, n := range more.Records {
		if o.Records == nil {
			o.Records = map[job.Status]int{}
		}
		o.Records[status] += n
	}
	o.Accepted, o.Begun, o.Counted = o.Accepted+more.Accepted, o.Begun+more.Begun, o.Counted+more.Counted
	o.Lost, o.Doubled, o.Open, o.Late = o.Lost+more.Lost, o.Doubled+more.Doubled, o.Open+more.Open, o.Late+more.Late
	o.Slots, o.Orphans = o.Slots+more.Slots, o.Orphans+more.Orphans
	o.Latest = max(o.Latest, more.Latest)
	o.Troubles = append(o.Troubles, more.Troubles...)
}

func (o *Outcome) trouble(count *int, format string, a ...any) {
	*count++
	o.Troubles = append(o.Troubles, fmt.Sprintf(format, a...))
}

// Table is what rounds came to, by the name of the round.
type Table struct {
	rounds map[string]int
	rows   map[string]Outcome
	order  []string
}

// Add adds one round.
func (t *Table) Add(name string, o Outcome) {
	if t.rows == nil {
		t.rounds, t.rows = map[string]int{}, map[string]Outcome{}
	}
	if t.rounds[name] == 0 {
		t.order = append(t.order, name)
	}
	row := t.rows[name]
	row.Add(o)
	t.rounds[name]++
	t.rows[name] = row
}

// Print writes the table: a line for each name, and the sum.
func (t *Table) Print(w io.Writer) {
	fmt.Fprintf(w, "%-14s %6s %6s %8s %6s %6s %7s %9s %6s %8s %8s %8s | %4s %7s %4s %4s %5s %7s  %s\n", "killed", "rounds", "kills", "accepted", "jobs",
		"begun", "counted", "fulfilled", "failed", "deadline", "schedule", "rejected", "lost", "doubled", "open", "late", "slots", "orphans", "latest end after limit")
	var sum Outcome
	rounds := 0
	for _, name := range t.order {
		t.line(w, name, t.rounds[name], t.rows[name])
		sum.Add(t.rows[name])
		rounds += t.rounds[name]
	}
	t.line(w, "all", rounds, sum)
	var kills []string
	for _, kind := range slices.Sorted(maps.Keys(sum.Kills)) {
		kills = append(kills, fmt.Sprintf("%s %d", kind, sum.Kills[kind]))
	}
	fmt.Fprintf(w, "kills: %s\n", strings.Join(kills, ", "))
}

func (t *Table) line(w io.Writer, name string, rounds int, o Outcome) {
	kills := 0
	for _, n := range o.Kills {
		kills += n
	}
	fmt.Fprintf(w, "%-14s %6d %6d %8d %6d %6d %7d %9d %6d %8d %8d %8d | %4d %7d %4d %4d %5d %7d  %s\n", name, rounds, kills, o.Accepted, o.Jobs(),
		o.Begun, o.Counted, o.Records[job.StatusFulfilled], o.Records[job.StatusExecutionFailed], o.Records[job.StatusDeadlineExceeded],
		o.Records[job.StatusScheduleFailed], o.Records[job.StatusExecutionRejected],
		o.Lost, o.Doubled, o.Open, o.Late, o.Slots, o.Orphans, o.Latest.Round(100*time.Millisecond))
}
