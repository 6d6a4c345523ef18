package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"minicloud/shared/job"
)

// Load is what tenants ask for in a day.
type Load struct {
	Runs      float64 // of functions
	Others    float64 // other requests of the API for each run
	Tenants   int
	Large     float64 // share of all runs that is the large tenant's
	Functions float64 // of the large tenant, used alike
	Async     float64 // share of the runs
	Swing     float64 // of the rate around its mean: 0.8 is 20 % at night and 180 % in the evening
	RunTime   time.Duration
}

// Stage has the quotas of an account and the parameters of the template.
type Stage struct {
	Name           string
	Gateway        float64 // requests a second
	Concurrency    float64
	JobConcurrency float64 // batches of asynchronous runs
	TableWrites    float64 // units a second that a table takes at most
	KeyWrites      float64
	Slots          float64 // of one application
	InFlight       float64
}

// The time of a program beside the function's own. An environment that Lambda keeps for a tenant lives for
// environmentLife after its last run, which AWS does not publish; 10 minutes is what is seen.
const (
	overhead        = 20 * time.Millisecond
	environmentLife = 10 * time.Minute
	syncPatience    = 2 // seconds that a synchronous run waits, for a slot or a sandbox
	jobBatch        = 10
	laneRecords     = 1600 // a second that one lane counts: 24 of as many functions in each transaction of 15 ms
	shardWrites     = KeyWrites
	minShards       = 4
	day             = 24 * 60 * 60
)

// limit is a limit of AWS or of the platform, with what each run uses of it in a second.
type limit struct {
	name          string
	capacity      float64
	large         bool // a limit of one tenant, so of the large one
	sync, async   float64
	peak          float64 // the largest use by a second's new runs, as a share of the capacity
	atPeak        float64 // new runs of that second
	first         int     // the first second in which runs had to wait for it, -1 = none
	refused, late float64 // runs, and run-seconds of waiting asynchronous runs, because of it
}

// limits returns the limits that do not change with the day. Those of one tenant are first: what it wants beyond them
// burdens no other.
func (s Stage) limits(l Load) []*limit {
	run, sync := l.RunTime.Seconds(), (l.RunTime + overhead).Seconds()
	all := []*limit{
		{name: "concurrent runs of the large tenant", capacity: s.Slots, large: true, sync: run, async: run},
		{name: "write units of its slots", capacity: s.KeyWrites, large: true, sync: SyncSlot, async: AsyncSlot},
		{name: "write units of the runs of one function", capacity: s.KeyWrites * l.Functions, large: true,
			sync: SyncRecord, async: AsyncRecord},
		// A synchronous run holds two environments, ten asynchronous ones hold eleven.
		{name: "concurrency of the account", capacity: s.Concurrency, sync: sync + run + l.Others*overhead.Seconds(),
			async: run + sync/jobBatch + (1+l.Others)*overhead.Seconds()},
		// An environment takes EnvironmentRequests a second, however short they are.
		{name: "invocations a second", capacity: s.Concurrency * EnvironmentRequests, sync: 2 + l.Others,
			async: 2 + 1.0/jobBatch + l.Others},
		{name: "write units of the table of jobs", capacity: s.TableWrites, sync: SyncSlot + SyncRecord,
			async: AsyncSlot + AsyncRecord},
		{name: "batches of asynchronous runs", capacity: s.JobConcurrency * jobBatch, async: run},
		{name: "messages in flight", capacity: s.InFlight, async: run},
	}
	return all
}

// runs are runs of one second by tenant: the large one, and all others together.
type runs [2]float64

func (r runs) sum() float64 { return r[0] + r[1] }

// waiting are asynchronous runs that were accepted in a second.
type waiting struct {
	since int
	runs
}

// World is the state of a simulated day.
type World struct {
	Load   Load
	Stage  Stage
	Report Report

	random                *rand.Rand
	asked                 runs                   // of this second, before the gateway
	limits                []*limit               // scaling and environments are the last
	sync                  [syncPatience + 1]runs // by age in seconds
	async                 []waiting
	scaling, environments *limit
	running               float64 // concurrency of the sandbox
	tokens                float64 // of the gateway
	shards                float64 // of the stream of the table of jobs
	uncount               float64 // records in the stream that are not counted
}

// Play plays one day and then goes on without new requests until nothing waits.
func Play(l Load, s Stage, seed uint64) Report {
	run := l.RunTime.Seconds()
	w := &World{
		Load: l, Stage: s, random: rand.New(rand.NewPCG(seed, 1)), tokens: GatewayBurst,
		scaling:      &limit{name: "new environments of the sandbox in a second", sync: run, async: run},
		environments: &limit{name: "environments of tenants"}, running: l.Runs / day * (1 - l.Swing) * run,
	}
	w.limits = append(s.limits(l), w.scaling, w.environments)
	for _, l := range w.limits {
		l.first = -1
	}
	w.Report.waits, w.Report.throttled = map[int]float64{}, -1
	w.shards = math.Max(minShards, math.Ceil(l.Runs/day*(1+l.Swing)*(AsyncSlot+AsyncRecord)/shardWrites))
	for second := 0; second < day || w.waits(); second++ {
		if second < day {
			w.arrive(second)
		}
		w.serve(second)
		w.count()
	}
	w.Report.finish(w)
	return w.Report
}

func (w *World) waits() bool {
	left := len(w.async) > 0 || w.uncount > 0
	for _, r := range w.sync {
		left = left || r.sum() > 0
	}
	return left
}

// arrive draws the requests of a second and lets the gateway refuse what is too much.
func (w *World) arrive(second int) {
	rate := w.Load.Runs / day * (1 - w.Load.Swing*math.Cos(2*math.Pi*float64(second)/day))
	asked := runs{w.poisson(rate * w.Load.Large), w.poisson(rate * (1 - w.Load.Large))}
	w.asked = asked
	w.Report.Offered += asked.sum()
	if asked.sum() > w.Report.PeakRuns {
		w.Report.PeakRuns = asked.sum()
	}

	requests := asked.sum() * (1 + w.Load.Others)
	w.tokens = math.Min(w.tokens+w.Stage.Gateway, w.Stage.Gateway+GatewayBurst)
	w.Report.gateway(w, second, requests)
	passed := 1.0
	if requests > w.tokens {
		passed = w.tokens / requests
		w.Report.Refused += asked.sum() * (1 - passed)
		w.Report.byGateway += asked.sum() * (1 - passed)
	}
	w.tokens -= requests * passed

	var queued waiting
	for i := range asked {
		w.sync[0][i] = asked[i] * passed * (1 - w.Load.Async)
		queued.runs[i] = asked[i] * passed * w.Load.Async
	}
	if queued.since = second; queued.sum() > 0 {
		w.async = append(w.async, queued)
	}
}

// poisson draws a number with this mean. The means are large enough for a normal distribution.
func (w *World) poisson(mean float64) float64 {
	return math.Max(0, math.Round(mean+math.Sqrt(mean)*w.random.NormFloat64()))
}

// serve runs what the limits allow: synchronous runs first, and among equals the oldest.
func (w *World) serve(second int) {
	wanted, queued := runs{}, runs{}
	for _, r := range w.sync {
		wanted[0], wanted[1] = wanted[0]+r[0], wanted[1]+r[1]
	}
	for _, r := range w.async {
		queued[0], queued[1] = queued[0]+r.runs[0], queued[1]+r.runs[1]
	}
	w.move(wanted, queued)
	w.measure()

	used := make([]float64, len(w.limits))
	began, binding := w.grant(second, wanted, used, func(l *limit) float64 { return l.sync })
	w.endSync(began, binding)
	late, slow := w.grant(second, queued, used, func(l *limit) float64 { return l.async })
	w.endAsync(second, late, slow)
	w.asked = runs{}
	w.running = (began.sum() + late.sum()) * w.Load.RunTime.Seconds()
}

// move sets the limits that change: what the sandbox may gain in a second, and the environments that tenants have.
func (w *World) move(wanted, queued runs) {
	w.scaling.capacity = w.running + ScaleUp/ScaleEvery.Seconds()

	// A small tenant has an environment if it ran within environmentLife; more if it runs more than one at once.
	run, small := w.Load.RunTime.Seconds(), float64(w.Load.Tenants-1)
	each := (wanted[1] + queued[1]) / math.Max(1, small)
	open := small*math.Max(1-math.Exp(-each*environmentLife.Seconds()), each*run*2) + (wanted[0]+queued[0])*run
	l := w.environments
	l.capacity = w.Stage.Concurrency * TenantEnvironments / 1000
	if all := wanted.sum() + queued.sum(); all > 0 {
		l.sync, l.async = open/all, open/all
	}
	// Runs that come after environmentLife find none.
	w.Report.NewEnvironments += w.asked[1] * math.Exp(-each*environmentLife.Seconds())
}

// measure notes how much of each limit the new runs of a second need.
func (w *World) measure() {
	for _, l := range w.limits {
		asked := w.asked.sum()
		if l.large {
			asked = w.asked[0]
		}
		use, capacity := asked*(l.sync*(1-w.Load.Async)+l.async*w.Load.Async), l.capacity
		if l == w.scaling {
			use, capacity = use-w.running, capacity-w.running
		}
		if share := use / capacity; share > l.peak {
			l.peak, l.atPeak = share, w.asked.sum()
		}
	}
}

// grant reduces the wanted runs to what each limit has left, and returns the limit that reduced most for each tenant.
func (w *World) grant(
	second int, wanted runs, used []float64, use func(*limit) float64,
) (granted runs, binding [2]*limit) {
	granted = wanted
	cut := [2]float64{1, 1}
	for i, l := range w.limits {
		demand, left := l.demand(granted, use), math.Max(l.capacity-used[i], 0)
		if demand <= left*(1+tiny) {
			continue
		}
		for tenant := range granted {
			if l.large && tenant > 0 {
				continue
			}
			granted[tenant] *= left / demand
			if left/demand < cut[tenant] {
				cut[tenant], binding[tenant] = left/demand, l
			}
		}
	}
	for i, l := range w.limits {
		used[i] += l.demand(granted, use)
		if l.first < 0 && slices.Contains(binding[:], l) {
			l.first = second
		}
	}
	return granted, binding
}

// demand returns how much of a limit these runs use.
func (l *limit) demand(r runs, use func(*limit) float64) float64 {
	if l.large {
		return r[0] * use(l)
	}
	return r.sum() * use(l)
}

// endSync takes the begun runs from the oldest on, refuses those whose patience is over, and lets the others age.
func (w *World) endSync(began runs, binding [2]*limit) {
	w.Report.ServedSync += began.sum()
	w.Report.large += began[0]
	for tenant := range began {
		left := began[tenant]
		for age := syncPatience; age >= 0; age-- {
			n := math.Min(left, w.sync[age][tenant])
			w.sync[age][tenant] -= n
			left -= n
		}
		if over := w.sync[syncPatience][tenant]; over > tiny {
			w.refuse(binding[tenant], over)
		}
	}
	copy(w.sync[1:], w.sync[:syncPatience])
	w.sync[0] = runs{}
	for age := range w.sync {
		for tenant, n := range w.sync[age] {
			if n < tiny {
				w.sync[age][tenant] = 0
			}
		}
	}
}

// tiny is what rounding leaves of a number of runs.
const tiny = 1e-6

// refuse ends runs because of a limit: a synchronous one with an answer, an asynchronous one with its record.
func (w *World) refuse(because *limit, n float64) {
	because.refused += n
	w.Report.Refused += n
}

// endAsync takes the begun runs from the queue and gives up those that waited for job.GiveUp, whose records say so.
func (w *World) endAsync(second int, began runs, binding [2]*limit) {
	w.Report.ServedAsync += began.sum()
	w.Report.large += began[0]
	for i := range w.async {
		for tenant := range began {
			n := math.Min(began[tenant], w.async[i].runs[tenant])
			w.async[i].runs[tenant] -= n
			began[tenant] -= n
			w.Report.waits[second-w.async[i].since] += n
			if over := w.async[i].runs[tenant]; second-w.async[i].since >= int(job.GiveUp.Seconds()) && over > tiny {
				w.refuse(binding[tenant], over)
				w.async[i].runs[tenant] = 0
			}
			if w.async[i].runs[tenant] < tiny {
				w.async[i].runs[tenant] = 0
			}
		}
	}
	for len(w.async) > 0 && w.async[0].sum() == 0 {
		w.async = w.async[1:]
	}
	for tenant, l := range binding {
		if l != nil {
			for _, r := range w.async {
				l.late += r.runs[tenant]
			}
		}
	}
}

// count lets the stream's lanes count the records of a second. What they cannot count waits in the stream.
func (w *World) count() {
	served := w.Report.ServedSync + w.Report.ServedAsync
	w.uncount += served - w.Report.counted
	w.Report.counted = served
	rate := w.shards * laneRecords
	w.Report.Behind = max(w.Report.Behind, time.Duration(w.uncount/rate*float64(time.Second)))
	w.Report.lanes = math.Max(w.Report.lanes, w.uncount/rate)
	w.uncount = math.Max(0, w.uncount-rate)
}
