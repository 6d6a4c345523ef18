package api

import (
	"cmp"
	"context"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/console/overview"
	"minicloud/shared/httpapi"
	"minicloud/shared/job"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/run"
)

// Overview is the recent activity of an environment.
type Overview struct {
	From        httpapi.Seconds    `json:"from"`
	To          httpapi.Seconds    `json:"to"`
	Runs        int                `json:"runs"`     // The number of completed runs.
	Errors      int                `json:"errors"`   // The number of completed runs that did not succeed.
	Outcomes    map[job.Status]int `json:"outcomes"` // The number of runs by status.
	Latency     latencyView        `json:"latency"`
	Events      int                `json:"events"`             // The number of events that fired a trigger.
	Evaluated   evaluatedView      `json:"evaluated"`          // The evaluations of triggers that keep them. An event counts once for each trigger.
	Actions     map[run.Status]int `json:"actions"`            // The number of action runs by status.
	Slots       []slotsView        `json:"slots"`              // The current concurrency slots of the application by plan.
	PendingJobs int                `json:"pending_jobs"`       // The current number of pending jobs, including delayed jobs.
	Cost        float64            `json:"estimated_cost_usd"` // The estimated AWS cost of the runs, in US dollars.
	Sampled     bool               `json:"sampled"`            // Whether only a sample was evaluated.
	Hours       []hourView         `json:"hours"`
	Insights    []Insight          `json:"insights"`
	Functions   []ranView          `json:"functions"` // The functions with completed, running or pending jobs. Most errors first.
	// The dead letters of the whole application by queue. null when the queues could not be read.
	DeadLetters []DeadLetterQueue `json:"dead_letters" nullable:"true"`
}

type evaluatedView struct {
	Events   int `json:"events"`
	Held     int `json:"held"`     // The number of evaluations whose conditions matched.
	Triggers int `json:"triggers"` // The number of triggers that currently keep evaluations.
	Of       int `json:"of"`       // The number of enabled triggers.
}

type ranView struct {
	Name     cloudfunction.Name `json:"name" schema:"FunctionName"`
	Runs     int                `json:"runs"`
	Pending  int                `json:"pending_jobs"`
	Running  int                `json:"running_jobs"` // Now.
	Outcomes map[job.Status]int `json:"outcomes"`     // The number of runs by status.
	P95      float64            `json:"p95_ms"`
}

type latencyView struct {
	Runs int     `json:"runs"` // The number of runs in the sample.
	P50  float64 `json:"p50_ms"`
	P95  float64 `json:"p95_ms"`
}

type slotsView struct {
	Plan  sandbox.Plan `json:"plan" schema:"Plan"`
	Used  int          `json:"used"`
	Limit int          `json:"limit"`
}

type hourView struct {
	At            httpapi.Seconds `json:"from"`
	Runs          int             `json:"runs"`
	Errors        int             `json:"errors"`
	P50           float64         `json:"p50_ms"`
	P95           float64         `json:"p95_ms"`
	Events        int             `json:"events"`
	Evaluated     int             `json:"evaluated"`
	FailedActions int             `json:"failed_actions"`
	Cost          float64         `json:"estimated_cost_usd"`
}

// Insight is a problem that an administrator should look at.
type Insight struct {
	Kind overview.Kind `json:"kind" schema:"InsightKind"`
	// The parameters of the message. A function has `function`, `failed`, `runs`, `error`, `timeouts`, `p95_ms`,
	// `limit_ms`; a trigger `trigger`, `failed`, `runs`, `error`, `since`, `vendor`; dead letters `payments`, and
	// `payment` and `error` of the newest one.
	Parameters map[string]string `json:"parameters"`
	Link       string            `json:"link"` // The page to solve the problem: function/<name>, trigger/<id>, setting/<kind> or dead-letter/<kind>.
}

func showOverview(o overview.Overview) Overview {
	view := Overview{
		From: httpapi.Seconds(o.From.Unix()), To: httpapi.Seconds(o.To.Unix()), Runs: o.Runs, Errors: o.Errors, Outcomes: o.Outcomes,
		Latency: latencyView{o.Latency.Runs, o.Latency.P50, o.Latency.P95}, Events: o.Events, Actions: o.Actions,
		Evaluated:   evaluatedView{o.Seen, o.Held, o.Tracing, o.Watching},
		PendingJobs: o.Pending, Cost: o.Cost, Sampled: o.Sampled,
		Insights: []Insight{}, Functions: []ranView{},
	}
	// A plan without runs is listed too, with 0 used slots.
	for _, plan := range []sandbox.Plan{sandbox.PlanFree, sandbox.PlanPersonal} {
		view.Slots = append(view.Slots, slotsView{plan, o.Slots[plan], job.Slots(plan)})
	}
	for _, h := range o.Hours {
		view.Hours = append(view.Hours, hourView{
			At: httpapi.Seconds(h.At.Unix()), Runs: h.Runs, Errors: h.Errors, P50: h.P50, P95: h.P95, Events: h.Events, Evaluated: h.Seen,
			FailedActions: h.Failed, Cost: h.Cost,
		})
	}
	for _, f := range o.Functions {
		view.Functions = append(view.Functions, ranView(f))
	}
	for _, i := range o.Insights {
		view.Insights = append(view.Insights, Insight(i))
	}
	return view
}

type readOverview struct {
	ofApplication
	Env   tenant.EnvID `query:"env"` // The environment. Defaults to production.
	Hours int          `query:"hours" minimum:"1" maximum:"168" default:"24"`
}

// overview serves GET /console/api/application/:application/overview/.
func (g *Group) overview(ctx context.Context, in readOverview) (view Overview, err error) {
	scope, err := g.environment(ctx, in.Application, in.Env)
	if err != nil {
		return view, err
	}
	o, err := g.Overview.Read(ctx, scope, in.Hours)
	if err != nil {
		return view, err
	}

	view = showOverview(o)
	// Without letters the queues could not be read; dead_letters is then null rather than empty.
	if o.Letters != nil {
		view.DeadLetters = showAllHeld(*o.Letters, administrator(ctx))
	}
	return view, nil
}

// Named is the id and name of an object.
type Named struct {
	ID   int64  `json:"id" schema:"ID"`
	Name string `json:"name"`
}

type listNames struct {
	ofApplication
	Env      tenant.EnvID `query:"env"` // The environment. Defaults to production.
	Contains string       `query:"name__contains" ref:"nameContains"`
}

type namesView struct {
	Functions []Named `json:"functions"`
	Tables    []Named `json:"tables"`
	Triggers  []Named `json:"triggers"`
	More      bool    `json:"more"` // Whether a kind has more objects than are shown.
}

// names serves GET /console/api/application/:application/name/: the objects that the command palette finds.
func (g *Group) names(ctx context.Context, in listNames) (view namesView, err error) {
	scope, err := g.environment(ctx, in.Application, in.Env)
	if err != nil {
		return view, err
	}
	names, err := g.Overview.Names(ctx, scope, in.Contains)
	return namesView{
		Functions: viewNames(names.Functions), Tables: viewNames(names.Tables), Triggers: viewNames(names.Triggers),
		More: names.More,
	}, err
}

func viewNames(all []overview.Named) []Named {
	views := make([]Named, len(all))
	for i, one := range all {
		views[i] = Named(one)
	}
	return views
}

// environment returns the environment that the query names, by default production.
func (g *Group) environment(ctx context.Context, app tenant.AppID, env tenant.EnvID) (tenant.Scope, error) {
	a, err := g.Applications.Get(ctx, app)
	if err != nil {
		return tenant.Scope{}, err
	}
	to, err := environmentOf(a, "env", cmp.Or(env, tenant.Production))
	return to.Scope, err
}
