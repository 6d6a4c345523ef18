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

// Overview is the activity from From to To.
type Overview struct {
	From, To time.Time
	Hours    []Hour // in order
	Runs     int    // that ended
	Errors   int    // ended runs that were not fulfilled
	Outcomes map[job.Status]int
	Latency  Latency
	Events   int // that fired a trigger
	// Seen is the number of events evaluated by triggers that keep their evaluations, counted once per trigger. Held is
	// the number of these that met the conditions.
	Seen, Held int
	// Watching is the number of enabled triggers, and Tracing how many of them keep their evaluations now.
	Watching, Tracing int
	Actions           map[run.Status]int
	Slots             map[sandbox.Plan]int // in use now
	Pending           int                  // waiting jobs, including delayed ones
	Sampled           bool                 // some figures come from a sample
	Cost              float64              // US dollars, estimated
	Insights          []Insight
	// Letters are the dead letters of the whole application: figures of an environment do not include them. nil means
	// that the queues could not be read.
	Letters *deadletter.Listing
	// Functions are those with ended, executing or pending jobs, sorted by errors, then by runs, both descending.
	Functions []Function
}

// Function is the activity of one function.
type Function struct {
	Name                   cloudfunction.Name
	Runs, Pending, Running int
	Outcomes               map[job.Status]int
	P95                    float64 // of sampled runs, in milliseconds
}

// Errors returns the number of runs that were not fulfilled.
func (f Function) Errors() int { return f.Runs - f.Outcomes[job.StatusFulfilled] }

// Hour is the activity of one hour.
type Hour struct {
	At             time.Time
	Runs, Errors   int
	Events, Seen   int
	Failed         int // actions
	P50, P95, Cost float64
}

// Latency is the latency of sampled runs, in milliseconds of user code.
type Latency struct {
	Runs     int
	P50, P95 float64
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
		functions, err = s.Functions.Find(inner, scope, bare, page.Request{Limit: maxFunctions})
		return err
	})
	group.Go(func() (err error) {
		triggers, err = s.Triggers.List(inner, scope, manage.Filter{}, page.Request{Limit: trigger.MaxTriggers})
		return err
	})
	group.Go(func() error {
		running, err := s.Jobs.Slots(inner, scope.App)
		for _, r := range running {
			b.out.Slots[r.Plan]++ // of the whole application
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
	now       time.Time
	out       Overview
	durations []float64
	byHour    map[int][]float64
	events    map[string]bool
	running   map[id.ID]int // by function
	billed    float64       // GB-seconds of the sampled runs
	sampled   int
}

func newBuilder(now time.Time, hours int) *builder {
	from := now.Truncate(time.Hour).Add(-time.Duration(hours-1) * time.Hour)
	b := &builder{now: now, byHour: map[int][]float64{}, events: map[string]bool{}, running: map[id.ID]int{}, out: Overview{
		From: from, To: now, Outcomes: map[job.Status]int{}, Actions: map[run.Status]int{},
		Slots: map[sandbox.Plan]int{}, Insights: []Insight{},
	}}
	for i := range hours {
		b.out.Hours = append(b.out.Hours, Hour{At: from.Add(time.Duration(i) * time.Hour)})
	}
	return b
}

// hour returns the index of the hour that contains a time; ok is false for a time outside the overview.
func (b *builder) hour(at time.Time) (int, bool) {
	i := int(at.Sub(b.out.From) / time.Hour)
	return i, !at.Before(b.out.From) && i < len(b.out.Hours)
}
