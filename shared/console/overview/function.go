package overview

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"minicloud/shared/clip"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/console/price"
	"minicloud/shared/job"
	"minicloud/shared/page"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// function adds the figures of a function's runs.
func (s *Service) function(ctx context.Context, scope tenant.Scope, f cloudfunction.Function, b *builder) error {
	counted, err := s.Jobs.Ended(ctx, scope, f.ID, b.from, b.now)
	if err != nil {
		return err
	}
	pending, err := s.Jobs.Pending(ctx, scope, f.ID, time.Time{})
	if err != nil {
		return err
	}

	did := tally(counted)
	var sample []job.Record
	errors := map[job.Status]string{}
	// Counters give the number of ended runs. Times and errors come from a sample of the newest runs.
	if did.runs > 0 {
		if sample, err = s.jobs(ctx, scope, f, job.Filter{From: b.from}, b.now, sampledJobs); err != nil {
			return err
		}
		for _, status := range told {
			if errors[status], err = s.newestError(ctx, scope, f, status, did, sample, b); err != nil {
				return err
			}
		}
	}

	// All reads are done, so the lock is held only to add the results.
	b.mu.Lock()
	defer b.mu.Unlock()
	b.out.Pending += len(pending)
	b.count(counted)
	p95 := b.time(f, sample)
	running := b.running[f.ID]
	if did.runs > 0 || len(pending) > 0 || running > 0 {
		b.out.Functions = append(b.out.Functions, function{f.Name, did.runs, len(pending), running, did.outcomes, p95})
	}
	b.adviseFunction(f, did, errors, sample)
	return nil
}

func (s *Service) jobs(
	ctx context.Context, scope tenant.Scope, f cloudfunction.Function, filter job.Filter, now time.Time, limit int,
) ([]job.Record, error) {
	listing, err := s.Jobs.List(ctx, scope, f.ID, filter, now, page.Request{Limit: limit})
	return listing.Objects, err
}

// told are the outcomes whose error an insight contains.
var told = []job.Status{job.StatusExecutionFailed, job.StatusExecutionRejected}

// newestError returns the error of the newest run with a status, "" if there is none. It searches the sample first, and
// lists runs of that status only if the sample has none.
func (s *Service) newestError(
	ctx context.Context, scope tenant.Scope, f cloudfunction.Function, status job.Status, did done, sample []job.Record,
	b *builder,
) (string, error) {
	if did.outcomes[status] == 0 {
		return "", nil
	}
	others := func(r job.Record) bool { return r.Status != status || r.Error == nil || r.Cancelled() }
	all := slices.DeleteFunc(slices.Clone(sample), others)
	if len(all) == 0 {
		filter := job.Filter{Status: status, From: b.from}
		// Many successful runs may have followed the failure.
		older, err := s.jobs(ctx, scope, f, filter, b.now, sampledJobs)
		if err != nil {
			return "", err
		}
		all = slices.DeleteFunc(older, others)
	}
	if len(all) == 0 {
		return "", nil
	}
	return clip.Text(all[0].Error.Type+": "+all[0].Error.Message, maxError), nil
}

// done is the number of a function's runs by outcome.
type done struct {
	runs     int
	outcomes map[job.Status]int
}

func tally(counted []job.Counted) done {
	d := done{outcomes: map[job.Status]int{}}
	for _, c := range counted {
		d.runs += c.N
		d.outcomes[c.Status] += c.N
	}
	return d
}

func (b *builder) count(counted []job.Counted) {
	for _, c := range counted {
		b.out.Runs += c.N
		b.out.Outcomes[c.Status] += c.N
		failed := 0
		if c.Status != job.StatusFulfilled {
			failed = c.N
		}
		b.out.Errors += failed
		// A nine-minute counter may begin before the first hour: it counts for the first hour.
		i, _ := b.hour(c.At)
		i = min(max(i, 0), len(b.out.Hours)-1)
		b.out.Hours[i].Runs += c.N
		b.out.Hours[i].Errors += failed
	}
}

// time adds the durations of sampled runs and returns their 95th percentile.
func (b *builder) time(f cloudfunction.Function, sample []job.Record) float64 {
	var own []float64
	for _, r := range sample {
		if r.StartedAt.IsZero() || !r.Status.Terminal() {
			continue
		}
		own = append(own, r.Execution)
		b.spent += price.Run(r.Service, f.Plan, time.Duration(r.Execution*float64(time.Millisecond)))
		b.sampled++
		if i, ok := b.hour(r.CreatedAt()); ok {
			b.byHour[i] = append(b.byHour[i], r.Execution)
		}
	}
	b.durations = append(b.durations, own...)
	return percentile(own, 0.95)
}

// percentile returns the p-quantile of values, 0 if there are none.
func percentile(values []float64, p float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[min(int(math.Ceil(p*float64(len(values))))-1, len(values)-1)]
}

// finish computes the totals.
func (b *builder) finish() Overview {
	b.out.Latency = latency{Runs: len(b.durations), P50: percentile(b.durations, 0.5), P95: percentile(b.durations, 0.95)}
	b.out.Sampled = b.out.Sampled || b.sampled < b.out.Runs
	perRun := price.Run(job.TimeSensitive, sandbox.PlanFree, 0)
	if b.sampled > 0 {
		// Assume that runs outside the sample cost the average of the sample.
		perRun = b.spent / float64(b.sampled)
	}
	for i := range b.out.Hours {
		h := &b.out.Hours[i]
		h.P50, h.P95 = percentile(b.byHour[i], 0.5), percentile(b.byHour[i], 0.95)
		h.Cost = float64(h.Runs) * perRun
	}
	b.out.Cost = float64(b.out.Runs) * perRun
	b.out.Events = len(b.events)
	slices.SortFunc(b.out.Functions, func(x, y function) int {
		return cmp.Or(cmp.Compare(y.Errors(), x.Errors()), cmp.Compare(y.Runs, x.Runs), cmp.Compare(x.Name, y.Name))
	})
	slices.SortFunc(b.out.Insights, compare)
	return b.out
}

// adviseFunction adds insights about the problems of a function.
func (b *builder) adviseFunction(f cloudfunction.Function, d done, errors map[job.Status]string, sample []job.Record) {
	name, link := string(f.Name), "function/"+string(f.Name)
	if failed := d.outcomes[job.StatusExecutionFailed]; failed >= fewFailures && failed*100 >= d.runs*failingPercent {
		b.advise(FunctionFails, link, "function", name, "failed", fmt.Sprint(failed), "runs", fmt.Sprint(d.runs),
			"error", errors[job.StatusExecutionFailed])
	}
	if late := d.outcomes[job.StatusDeadlineExceeded]; late > 0 {
		b.advise(FunctionTimesOut, link, "function", name, "timeouts", fmt.Sprint(late))
	} else if p95, limit := slowest(sample); p95 > nearLimit*limit && limit > 0 {
		b.advise(FunctionNearLimit, link, "function", name, "p95_ms", fmt.Sprintf("%.0f", p95),
			"limit_ms", fmt.Sprintf("%.0f", limit))
	}
	if refused := d.outcomes[job.StatusScheduleFailed]; refused > 0 {
		b.advise(NoSlots, link, "function", name, "runs", fmt.Sprint(refused))
	}
	// Cancelled jobs are intended, so they are not errors.
	if rejected := d.outcomes[job.StatusExecutionRejected]; rejected > 0 && errors[job.StatusExecutionRejected] != "" {
		b.advise(RunsRejected, link, "function", name, "runs", fmt.Sprint(rejected),
			"error", errors[job.StatusExecutionRejected])
	}
}

// slowest returns the p95 of the sampled synchronous runs, and the limit of synchronous runs, in milliseconds.
func slowest(sample []job.Record) (p95, limit float64) {
	var times []float64
	for _, r := range sample {
		if r.Service == job.TimeSensitive && r.Status.Terminal() {
			times = append(times, r.Execution)
		}
	}
	return percentile(times, 0.95), float64(job.SyncTime.Milliseconds())
}
