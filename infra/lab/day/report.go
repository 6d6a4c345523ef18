package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"

	"minicloud/infra/lab/bench/units"
	"minicloud/shared/console/price"
)

// Report is what happened in a day.
type Report struct {
	Offered, PeakRuns       float64 // runs, and the most of one second
	ServedSync, ServedAsync float64
	Refused                 float64 // runs whose callers were told
	Lost                    float64 // accepted runs that neither ran nor were refused
	NewEnvironments         float64 // of small tenants
	Behind                  time.Duration
	Limits                  []Use // the one that throttles first is first

	waits     map[int]float64 // asynchronous runs by seconds in the queue
	lanes     float64         // of the stream: the largest use as a share of the capacity
	large     float64         // runs of the large tenant
	counted   float64
	requests  float64 // the most requests of a second
	throttled int     // the first second in which the gateway refused requests, -1 = none
	byGateway float64 // refused runs
}

// Use is the use of a limit at the peak of the day.
type Use struct {
	Name    string
	Share   float64 // of the capacity
	At      float64 // runs a second of all tenants at which the limit is reached
	First   int     // the first second in which runs were refused or had to wait, -1 = none
	Refused float64
	Late    float64 // run-seconds that asynchronous runs waited
}

// gateway notes the requests of a second.
func (r *Report) gateway(w *World, second int, requests float64) {
	r.requests = math.Max(r.requests, requests)
	if requests > w.tokens && r.throttled < 0 {
		r.throttled = second
	}
}

// finish computes the table of limits.
func (r *Report) finish(w *World) {
	// Rounding leaves less than one of 200 million runs.
	if r.Lost = r.Offered - r.Served() - r.Refused; math.Abs(r.Lost) < 1 {
		r.Lost = 0
	}

	share := r.requests / w.Stage.Gateway
	r.Limits = append(r.Limits, Use{
		Name: "gateway", Share: share, At: r.PeakRuns / share, First: r.throttled, Refused: r.byGateway,
	}, Use{Name: "lanes of the stream of jobs", Share: r.lanes, At: r.PeakRuns / r.lanes, First: -1})
	for _, l := range w.limits {
		r.Limits = append(r.Limits, Use{l.name, l.peak, l.atPeak / l.peak, l.first, l.refused, l.late})
	}
	slices.SortStableFunc(r.Limits, func(a, b Use) int { return cmp.Compare(b.Share, a.Share) })
}

// Served returns the number of runs that ran.
func (r *Report) Served() float64 { return r.ServedSync + r.ServedAsync }

// Wait returns how long a share of the asynchronous runs waited at most, in seconds.
func (r *Report) Wait(share float64) int {
	passed := 0.0
	for _, seconds := range slices.Sorted(maps.Keys(r.waits)) {
		if passed += r.waits[seconds]; passed >= share*r.ServedAsync-tiny {
			return seconds
		}
	}
	return 0
}

// Bill is the cost of a day in dollars.
type Bill struct{ Requests, Logs, Counting, Time, Environments, Others float64 }

// Sum returns the whole bill.
func (b Bill) Sum() float64 {
	return b.Requests + b.Logs + b.Counting + b.Time + b.Environments + b.Others
}

// The memory of the programs of a run, in GB: the sandbox of plan P_FREE, and the one that waits for it.
const (
	sandboxGB = 0.25
	programGB = 0.5
)

// Bill returns the cost of the day by the measured prices per million.
func (r *Report) Bill(l Load, prices units.Ceilings) Bill {
	sync, async := prices["synchronous run"], prices["asynchronous run, until it has ended"]
	other := prices["row list, first page"]
	million := 1e-6

	// A large tenant's runs of a function in a second share their counters; each run of a small one has its own.
	batches := math.Min(r.large, l.Functions*day)
	counting := units.Usage{Write: CountNodes * (r.Served() - r.large + batches),
		Invocations: minShards * day}.Own()

	run, beside := l.RunTime.Seconds(), overhead.Seconds()
	gigabyteSeconds := r.Served()*run*sandboxGB + r.ServedSync*(run+beside)*programGB +
		r.ServedAsync*((run+beside)/jobBatch+beside)*programGB
	return Bill{
		Requests:     million * (r.ServedSync*sync.Own() + r.ServedAsync*async.Own()),
		Logs:         million * (r.ServedSync*sync.Logs() + r.ServedAsync*async.Logs()),
		Counting:     million * counting,
		Time:         million * gigabyteSeconds * price.GigabyteSecond,
		Environments: million * r.NewEnvironments * sandboxGB * price.Tenant,
		Others:       million * r.Served() * l.Others * other.Price(),
	}
}

// Print writes the report.
func (r *Report) Print(out io.Writer, l Load, s Stage, prices units.Ceilings) {
	fmt.Fprintf(out, "%s: %.1f million runs, %.0f in the busiest second, %.0f %% of them one tenant's\n",
		s.Name, r.Offered/1e6, r.PeakRuns, l.Large*100)
	fmt.Fprintf(out, "  %-42s %8s %12s %9s %12s %14s\n", "limit", "at peak", "reached at", "first", "refused", "run-s waited")
	for _, u := range r.Limits {
		first := "-"
		if u.First >= 0 {
			first = fmt.Sprintf("%02d:%02d:%02d", u.First/3600, u.First/60%60, u.First%60)
		}
		fmt.Fprintf(out, "  %-42s %7.0f%% %8.0f r/s %9s %12.0f %14.0f\n", u.Name, u.Share*100, u.At, first, u.Refused, u.Late)
	}
	fmt.Fprintf(out, "  served %.2f million, refused and told %.2f million, lost %.0f; asynchronous runs waited %d s (median), "+
		"%d s (99 %%), %d s at most; counters %v behind\n", r.Served()/1e6, r.Refused/1e6, r.Lost,
		r.Wait(0.5), r.Wait(0.99), r.Wait(1), r.Behind.Round(time.Millisecond))
	b := r.Bill(l, prices)
	fmt.Fprintf(out, "  $%.0f: requests of runs %.0f, logs %.0f, counting %.0f, time %.0f, environments of tenants %.0f, "+
		"other requests %.0f; $%.2f per million runs\n\n", b.Sum(), b.Requests, b.Logs, b.Counting, b.Time, b.Environments,
		b.Others, b.Sum()/math.Max(r.Served(), 1)*1e6)
}
