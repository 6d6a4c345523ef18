package api

import (
	"net/http"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/job"
	"minicloud/shared/overview"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

type overviewView struct {
	From        int64                     `json:"from"`
	To          int64                     `json:"to"`
	Runs        int                       `json:"runs"`
	Errors      int                       `json:"errors"`
	Outcomes    map[job.Status]int        `json:"outcomes"`
	Latency     latencyView               `json:"latency"`
	Events      int                       `json:"events"`
	Evaluated   evaluatedView             `json:"evaluated"`
	Actions     map[trigger.RunStatus]int `json:"actions"`
	Slots       []slotsView               `json:"slots"`
	PendingJobs int                       `json:"pending_jobs"`
	Cost        float64                   `json:"estimated_cost_usd"`
	Sampled     bool                      `json:"sampled"`
	Hours       []hourView                `json:"hours"`
	Insights    []insightView             `json:"insights"`
	Functions   []ranView                 `json:"functions"`
	// DeadLetters are those of the whole application: what was given up is in no environment's numbers. null: the
	// queues could not be read.
	DeadLetters []heldView `json:"dead_letters"`
}

// evaluatedView is what triggers that keep their evaluations looked at.
type evaluatedView struct {
	Events   int `json:"events"`
	Held     int `json:"held"`
	Triggers int `json:"triggers"` // that keep them now
	Of       int `json:"of"`       // that are enabled
}

type ranView struct {
	Name     cloudfunction.Name `json:"name"`
	Runs     int                `json:"runs"`
	Pending  int                `json:"pending_jobs"`
	Running  int                `json:"running_jobs"`
	Outcomes map[job.Status]int `json:"outcomes"`
	P95      float64            `json:"p95_ms"`
}

type latencyView struct {
	Runs int     `json:"runs"`
	P50  float64 `json:"p50_ms"`
	P95  float64 `json:"p95_ms"`
}

type slotsView struct {
	Plan  sandbox.Plan `json:"plan"`
	Used  int          `json:"used"`
	Limit int          `json:"limit"`
}

type hourView struct {
	At            int64   `json:"from"`
	Runs          int     `json:"runs"`
	Errors        int     `json:"errors"`
	P50           float64 `json:"p50_ms"`
	P95           float64 `json:"p95_ms"`
	Events        int     `json:"events"`
	Evaluated     int     `json:"evaluated"`
	FailedActions int     `json:"failed_actions"`
	Cost          float64 `json:"estimated_cost_usd"`
}

type insightView struct {
	Kind       overview.Kind     `json:"kind"`
	Parameters map[string]string `json:"parameters"`
	Link       string            `json:"link"`
}

func showOverview(o overview.Overview) overviewView {
	view := overviewView{
		From: o.From.Unix(), To: o.To.Unix(), Runs: o.Runs, Errors: o.Errors, Outcomes: o.Outcomes,
		Latency: latencyView{o.Latency.Runs, o.Latency.P50, o.Latency.P95}, Events: o.Events, Actions: o.Actions,
		Evaluated:   evaluatedView{o.Seen, o.Held, o.Tracing, o.Watching},
		PendingJobs: o.Pending, Cost: o.Cost, Sampled: o.Sampled,
		Insights: []insightView{}, Functions: []ranView{},
	}
	for _, plan := range []sandbox.Plan{sandbox.PlanFree, sandbox.PlanPersonal} {
		view.Slots = append(view.Slots, slotsView{plan, o.Slots[plan], job.Slots(plan)})
	}
	for _, h := range o.Hours {
		view.Hours = append(view.Hours, hourView{
			At: h.At.Unix(), Runs: h.Runs, Errors: h.Errors, P50: h.P50, P95: h.P95, Events: h.Events, Evaluated: h.Seen,
			FailedActions: h.Failed, Cost: h.Cost,
		})
	}
	for _, f := range o.Functions {
		view.Functions = append(view.Functions, ranView(f))
	}
	for _, i := range o.Insights {
		view.Insights = append(view.Insights, insightView(i))
	}
	return view
}

// overview serves GET /console/api/application/:application/overview/.
func (g *Group) overview(w http.ResponseWriter, r *http.Request) error {
	hours, err := httpapi.Int(r.URL.Query(), "hours", 24)
	if err != nil {
		return err
	}
	scope, err := g.environment(r, "env")
	if err != nil {
		return err
	}
	o, err := g.Overview.Read(r.Context(), scope, int(hours))
	if err != nil {
		return err
	}

	view := showOverview(o)
	if o.Letters != nil {
		view.DeadLetters = showAllHeld(*o.Letters, administrator(r.Context()))
	}
	httpapi.Write(w, http.StatusOK, view)
	return nil
}

type namedView struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// names serves GET /console/api/application/:application/name/: what the palette leads to.
func (g *Group) names(w http.ResponseWriter, r *http.Request) error {
	scope, err := g.environment(r, "env")
	if err != nil {
		return err
	}
	names, err := g.Overview.Names(r.Context(), scope, r.URL.Query().Get("name__contains"))
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, map[string]any{
		"functions": viewNames(names.Functions), "tables": viewNames(names.Tables), "triggers": viewNames(names.Triggers),
		"more": names.More,
	})
	return nil
}

func viewNames(all []overview.Named) []namedView {
	views := make([]namedView, len(all))
	for i, one := range all {
		views[i] = namedView(one)
	}
	return views
}

// environment returns the environment that a query parameter names, production where it is not given.
func (g *Group) environment(r *http.Request, name string) (tenant.Scope, error) {
	a, err := g.Applications.Get(r.Context(), httpapi.ScopeOf(r).App)
	if err != nil {
		return tenant.Scope{}, err
	}
	env := tenant.EnvID(r.URL.Query().Get(name))
	if env == "" {
		env = tenant.Production
	}
	if _, known := a.Environment(env); !known {
		return tenant.Scope{}, errs.Invalid("%s must be an environment of this application", name)
	}
	return tenant.Scope{App: a.ID, Env: env}, nil
}
