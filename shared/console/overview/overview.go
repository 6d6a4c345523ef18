// Package overview summarises the recent activity of an environment and lists its problems as insights.
//
// An overview writes nothing. Runs come from the counters of the job lists (count): a counter covers nine minutes, so
// hours are off by up to nine minutes. Times and messages come from samples of the newest jobs, and actions from the
// newest entries of each trigger's log; Sampled reports that there were more. Evaluated events are known only for
// triggers that keep their evaluations (G11): counting the others would cost a write for each batch of events.
package overview

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/console/deadletter"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/message/messaging"
	"minicloud/shared/page"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
	"minicloud/shared/trigger/run"
)

// MaxHours is the maximum period of an overview, in hours.
const MaxHours = 168

// Limits of the overview, so that every environment costs a bounded number of calls.
const (
	maxFunctions = page.MaxLimit // the newest
	sampledJobs  = 50            // per function that ran
	sampledRuns  = 200           // per trigger
	sampledSeen  = 200           // evaluations per trigger
	sideBySide   = 32
)

// Overview is the recent activity of an environment.
type Overview struct {
	From      int64              `json:"from" schema:"Seconds"`
	To        int64              `json:"to" schema:"Seconds"`
	Runs      int                `json:"runs"`     // The number of completed runs.
	Errors    int                `json:"errors"`   // The number of completed runs that did not succeed.
	Outcomes  map[job.Status]int `json:"outcomes"` // The number of runs by status.
	Latency   latency            `json:"latency"`
	Events    int                `json:"events"`             // The number of events that fired a trigger.
	Evaluated evaluated          `json:"evaluated"`          // The evaluations of triggers that keep them. An event counts once for each trigger.
	Actions   map[run.Status]int `json:"actions"`            // The number of action runs by status.
	Slots     []slots            `json:"slots"`              // The current concurrency slots of the application by plan.
	Pending   int                `json:"pending_jobs"`       // The current number of pending jobs, including delayed jobs.
	Cost      float64            `json:"estimated_cost_usd"` // The estimated AWS cost of the runs, in US dollars.
	Sampled   bool               `json:"sampled"`            // Whether only a sample was evaluated.
	Hours     []hour             `json:"hours"`
	Insights  []Insight          `json:"insights"`
	Functions []function         `json:"functions"` // The functions with completed, running or pending jobs. Most errors first.
	// The dead letters of the whole application by queue. null when the queues could not be read.
	Letters []deadletter.Held `json:"dead_letters" nullable:"true"`
}

type evaluated struct {
	Events   int `json:"events"`
	Held     int `json:"held"`     // The number of evaluations whose conditions matched.
	Triggers int `json:"triggers"` // The number of triggers that currently keep evaluations.
	Of       int `json:"of"`       // The number of enabled triggers.
}

type function struct {
	Name     cloudfunction.Name `json:"name" schema:"FunctionName"`
	Runs     int                `json:"runs"`
	Pending  int                `json:"pending_jobs"`
	Running  int                `json:"running_jobs"` // Now.
	Outcomes map[job.Status]int `json:"outcomes"`     // The number of runs by status.
	P95      float64            `json:"p95_ms"`
}

// Errors returns the number of runs that were not fulfilled.
func (f function) Errors() int { return f.Runs - f.Outcomes[job.StatusFulfilled] }

// latency is the latency of sampled runs, in milliseconds of user code.
type latency struct {
	Runs int     `json:"runs"` // The number of runs in the sample.
	P50  float64 `json:"p50_ms"`
	P95  float64 `json:"p95_ms"`
}

type slots struct {
	Plan  sandbox.Plan `json:"plan" schema:"Plan"`
	Used  int          `json:"used"`
	Limit int          `json:"limit"`
}

type hour struct {
	At            int64   `json:"from" schema:"Seconds"`
	Runs          int     `json:"runs"`
	Errors        int     `json:"errors"`
	P50           float64 `json:"p50_ms"`
	P95           float64 `json:"p95_ms"`
	Events        int     `json:"events"`
	Evaluated     int     `json:"evaluated"`
	FailedActions int     `json:"failed_actions"`
	Cost          float64 `json:"estimated_cost_usd"`
}

// Jobs reads jobs for an overview.
type Jobs interface {
	// Ended counts the ended jobs of a function that were created between two times, off by up to nine minutes.
	Ended(ctx context.Context, scope tenant.Scope, fn id.ID, from, to time.Time) ([]job.Counted, error)
	// List, Pending and Slots are documented on job.Store.
	List(ctx context.Context, scope tenant.Scope, fn id.ID, f job.Filter, now time.Time, req page.Request) (job.Listing, error)
	Pending(ctx context.Context, scope tenant.Scope, fn id.ID, before time.Time) ([]job.PendingJob, error)
	Slots(ctx context.Context, app tenant.AppID) ([]job.Running, error)
}

// Evaluations reads evaluations for an overview; Seen is documented on run.Evaluations.
type Evaluations interface {
	Seen(ctx context.Context, scope tenant.Scope, t trigger.ID, since time.Time, limit int) ([]run.Seen, error)
}

// Letters reads dead letters for an overview; *deadletter.Service implements it.
type Letters interface {
	List(ctx context.Context, app tenant.AppID, kinds ...deadletter.Kind) (deadletter.Listing, error)
}

// Service computes overviews.
type Service struct {
	Letters   Letters
	Functions *cloudfunction.Service
	Jobs      Jobs
	Triggers  *manage.Service
	Runs      run.Log
	Seen      Evaluations
	Settings  *messaging.Settings
	Clock     clock.Clock
	Log       *slog.Logger
}

// Read returns the overview of the last hours.
//
// Its cost: one query for the triggers, one for executing jobs and a list of functions without code. For each function,
// a query of counters per three days, one for pending jobs, and if it ran, a list of jobs and one more for each kind of
// failure missing in that list. For each trigger, a query of its log, and one of its evaluations if it keeps them. For
// each dead-letter queue a count, and receives if it is not empty.
func (s *Service) Read(ctx context.Context, scope tenant.Scope, hours int) (Overview, error) {
	if hours < 1 || hours > MaxHours {
		return Overview{}, errs.Invalid("hours must be an integer from 1 to %d", MaxHours)
	}
	now := s.Clock.Now()
	b := newBuilder(now, hours)

	functions, triggers, err := s.subjects(ctx, scope, b)
	if err != nil {
		return Overview{}, err
	}

	group, inner := errgroup.WithContext(ctx)
	// An environment can have hundreds of functions; the limit prevents throttling of their queries.
	group.SetLimit(sideBySide)
	for _, f := range functions.Objects {
		group.Go(func() error { return s.function(inner, scope, f, b) })
	}
	for _, t := range triggers.Objects {
		group.Go(func() error { return s.trigger(inner, scope, t, b) })
	}
	group.Go(func() error { return s.settings(inner, scope, triggers.Objects, b) })
	group.Go(func() error { return s.letters(inner, scope, b) })
	if err := group.Wait(); err != nil {
		return Overview{}, err
	}
	return b.finish(), nil
}

// subjects reads the functions, the triggers and the executing jobs.
func (s *Service) subjects(ctx context.Context, scope tenant.Scope, b *builder) (
	functions page.Page[cloudfunction.Function], triggers page.Page[trigger.Trigger], err error,
) {
	group, inner := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		bare := cloudfunction.Filter{NoCode: true}
		functions, err = s.Functions.List(inner, scope, bare, page.Request{Limit: maxFunctions})
		return err
	})
	group.Go(func() (err error) {
		triggers, err = s.Triggers.List(inner, scope, manage.Filter{}, page.Request{Limit: trigger.MaxTriggers})
		return err
	})
	group.Go(func() error {
		running, err := s.Jobs.Slots(inner, scope.App)
		for _, r := range running {
			for i := range b.out.Slots { // of the whole application
				if b.out.Slots[i].Plan == r.Plan {
					b.out.Slots[i].Used++
				}
			}
			if r.Scope == scope {
				b.running[r.Function]++
			}
		}
		return err
	})
	err = group.Wait()
	b.out.Sampled = functions.Next != "" || triggers.Next != ""
	return functions, triggers, err
}

// builder collects the results of several goroutines.
type builder struct {
	mu        sync.Mutex
	from, now time.Time
	out       Overview
	durations []float64
	byHour    map[int][]float64
	events    map[string]bool
	running   map[id.ID]int // by function
	spent     float64       // dollars for the sampled runs
	sampled   int
}

func newBuilder(now time.Time, hours int) *builder {
	from := now.Truncate(time.Hour).Add(-time.Duration(hours-1) * time.Hour)
	b := &builder{from: from, now: now, byHour: map[int][]float64{}, events: map[string]bool{}, running: map[id.ID]int{}, out: Overview{
		From: from.Unix(), To: now.Unix(), Outcomes: map[job.Status]int{}, Actions: map[run.Status]int{},
		Insights: []Insight{}, Functions: []function{},
	}}
	// A plan without runs is listed too, with 0 used slots.
	for _, plan := range []sandbox.Plan{sandbox.PlanFree, sandbox.PlanPersonal} {
		b.out.Slots = append(b.out.Slots, slots{Plan: plan, Limit: job.Slots(plan)})
	}
	for i := range hours {
		b.out.Hours = append(b.out.Hours, hour{At: from.Add(time.Duration(i) * time.Hour).Unix()})
	}
	return b
}

// hour returns the index of the hour that contains a time; ok is false for a time outside the overview.
func (b *builder) hour(at time.Time) (int, bool) {
	i := int(at.Sub(b.from) / time.Hour)
	return i, !at.Before(b.from) && i < len(b.out.Hours)
}
