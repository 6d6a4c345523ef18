package manage

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// Jobs reads jobs; job.Store implements it.
type Jobs interface {
	// Read returns a job of a function, errs.NotFound if it does not exist.
	Read(ctx context.Context, scope tenant.Scope, fn, job id.ID, now time.Time) (job.Record, error)
}

// Limits of a trace. A larger trace shows its oldest part.
const (
	maxTraced     = 200 // runs of actions
	maxTracedJobs = 50  // jobs that are read; of further jobs only the ids are shown
	jobsAtOnce    = 8
)

// Trace returns the tree of what one request or event caused (G10). It returns errs.NotFound if no trigger acted in the
// trace.
func (s *Service) Trace(ctx context.Context, scope tenant.Scope, name string) (*Node, error) {
	unknown := errs.NotFound("no trigger has acted in a trace %q", name)
	if !trace.Valid(name) {
		return nil, unknown
	}
	runs, err := s.Runs.Traced(ctx, scope, name, maxTraced+1)
	if err != nil {
		return nil, err
	}
	if len(runs) == 0 {
		return nil, unknown
	}

	more := len(runs) > maxTraced
	runs = runs[:min(len(runs), maxTraced)]
	jobs, err := s.jobsOf(ctx, scope, runs)
	if err != nil {
		return nil, err
	}
	root := newTree(name, runs, jobs).grow()
	root.Truncated = more
	return root, nil
}

// jobsOf reads the jobs that actions started or that caused events, and the jobs that caused these. The keys are as in
// job.Record.Cause. A deleted job has only its ids.
func (s *Service) jobsOf(ctx context.Context, scope tenant.Scope, runs []run.Run) (map[string]job.Record, error) {
	known := map[string]job.Record{}
	for next := causesOf(runs); len(next) > 0 && len(known) < maxTracedJobs; {
		next = next[:min(len(next), maxTracedJobs-len(known))]
		read, err := s.readJobs(ctx, scope, next)
		if err != nil {
			return nil, err
		}

		maps.Copy(known, read)
		next = nil
		for _, r := range read {
			_, _, isJob := job.ParseCause(r.Trace.Cause)
			if _, there := known[r.Trace.Cause]; isJob && !there && !slices.Contains(next, r.Trace.Cause) {
				next = append(next, r.Trace.Cause)
			}
		}
	}
	return known, nil
}

func (s *Service) readJobs(ctx context.Context, scope tenant.Scope, causes []string) (map[string]job.Record, error) {
	var mu sync.Mutex
	read := make(map[string]job.Record, len(causes))
	group, each := errgroup.WithContext(ctx)
	group.SetLimit(jobsAtOnce)
	for _, cause := range causes {
		group.Go(func() error {
			function, number, _ := job.ParseCause(cause)
			r, err := s.Jobs.Read(each, scope, function, number, s.Clock.Now())
			if errs.Is(err, errs.KindNotFound) {
				r, err = job.Record{ID: number, Function: function}, nil
			}
			mu.Lock()
			defer mu.Unlock()
			read[cause] = r
			return err
		})
	}
	return read, group.Wait()
}

// causesOf returns the jobs that runs name, without duplicates.
func causesOf(runs []run.Run) (causes []string) {
	add := func(cause string) {
		if _, _, ok := job.ParseCause(cause); ok && !slices.Contains(causes, cause) {
			causes = append(causes, cause)
		}
	}
	for _, r := range runs {
		add(r.Event.Cause)
		for _, a := range r.Attempts {
			add(startedBy(r, a))
		}
	}
	return causes
}

// startedBy returns the job that an attempt started, "" for none. The response of a cloud_function action has its ids.
func startedBy(r run.Run, a run.Attempt) string {
	var said struct {
		Job      id.ID `json:"job_id"`
		Function id.ID `json:"function"`
	}
	if r.ActionType.Definition().Proof != trigger.ProofJob {
		return ""
	}
	if err := json.Unmarshal([]byte(a.Response), &said); err != nil || said.Job == 0 {
		return ""
	}
	return job.Record{ID: said.Job, Function: said.Function}.Cause()
}
