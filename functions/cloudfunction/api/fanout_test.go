package api_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/oauth"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// startsItself makes each run start "pay" asynchronously the given number of times, as BaaS.invoke does. It returns
// the counter of the runs.
func (p *platform) startsItself(t *testing.T, times int) *atomic.Int32 {
	p.jobs.Hosts = &oauth.RunSigner{Applications: shops{}, Clock: p.time}
	var runs atomic.Int32
	p.runner.run = func(req sandbox.Request) (sandbox.Result, error) {
		runs.Add(1)
		for range times {
			p.play(t, step{
				method: "POST", path: functions + "pay/job/", header: "Authorization: Run " + req.Host.Token,
				body: `{"data":{},"sync":false}`, status: 200, want: "~job_id",
			})
		}
		return sandbox.Result{Outcome: sandbox.OutcomeFulfilled}, nil
	}
	return &runs
}

const tooMany = "one call may start at most 200 functions, directly and through others"

// rejections counts the jobs rejected because of the budget, and those rejected because of the depth.
func (p *platform) rejections(t *testing.T) (budget, depth int) {
	for _, j := range p.jobsOf(t, "status=execution_rejected&limit=1000") {
		failure := j["error"].(map[string]any)
		switch {
		case failure["type"] != "RejectedError":
			t.Errorf("rejected with %v", failure)
		case failure["message"] == tooMany:
			budget++
		case strings.Contains(failure["message"].(string), "8 deep"):
			depth++
		default:
			t.Errorf("rejected with %v", failure)
		}
	}
	return budget, depth
}

// TestOneCallStartsAtMost200Functions, directly or through other functions: all jobs end, those over the limit as
// execution_rejected. Another call has its own budget of 200 (D52).
func TestOneCallStartsAtMost200Functions(t *testing.T) {
	p := withFunction(t)
	runs := p.startsItself(t, 2)
	call := step{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, status: 200, want: `~"code":0`}
	p.play(t, call)
	for p.queue.waits() {
		p.deliver(t)
	}

	// The tree has 127 jobs down to depth 7, then 74 of the 128 at the next depth.
	budget, depth := p.rejections(t)
	if n := int(runs.Load()); n != 201 || budget != 54 || depth != 148 {
		t.Errorf("%d runs, %d refused for the budget, %d for the depth", n, budget, depth)
	}
	if open := append(p.jobsOf(t, "status=waiting"), p.jobsOf(t, "status=executing")...); len(open) != 0 {
		t.Errorf("still open: %v", open)
	}

	p.play(t, call)
	if next, _ := p.rejections(t); next != budget || len(p.queue.take()) != 2 {
		t.Errorf("another call: %d refused for the budget, %d before", next, budget)
	}
}

// TestBudgetOfFunctionsHoldsConcurrently: descendants run at the same time in different processes, and each message
// is delivered twice.
func TestBudgetOfFunctionsHoldsConcurrently(t *testing.T) {
	p := withFunction(t)
	runs := p.startsItself(t, 3)
	p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, status: 200, want: `~"code":0`})
	for p.queue.waits() {
		var workers sync.WaitGroup
		side := make(chan struct{}, 8)
		for _, m := range p.queue.take() {
			for range 2 {
				workers.Go(func() {
					side <- struct{}{}
					defer func() { <-side }()
					if err := p.another().Work(t.Context(), m); err != nil {
						t.Error(err)
					}
				})
			}
		}
		workers.Wait()
	}
	budget, _ := p.rejections(t)
	if n := int(runs.Load()); n != 201 || budget == 0 {
		t.Errorf("%d runs, %d refused for the budget", n, budget)
	}
}

// another returns the job service of another process, with empty caches.
func (p *platform) another() *job.Service {
	return &job.Service{
		Variables: p.jobs.Variables, Functions: p.jobs.Functions, Store: p.jobs.Store, Runner: p.jobs.Runner,
		Queue: p.jobs.Queue,
		Hosts: p.jobs.Hosts, IDs: p.jobs.IDs, Clock: p.jobs.Clock, Pause: p.jobs.Pause,
	}
}

func (l *line) waits() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.held) > 0
}

// TestRunWithoutDescendantsCostsNothingExtra: such a run makes no call for the budget. Synchronous descendants and
// manual runs count like all others.
func TestRunWithoutDescendantsCostsNothingExtra(t *testing.T) {
	p := withFunction(t)
	p.jobs.Hosts = &oauth.RunSigner{Applications: shops{}, Clock: p.time}
	run := step{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, status: 200}
	p.play(t, run)
	if calls := p.counting(func() { p.play(t, run) }); strings.Contains(fmt.Sprint(calls), "Update") {
		t.Errorf("a run alone makes %v", calls)
	}
	token := p.runner.last(t).Host.Token
	run.header = "Authorization: Run " + token
	started := p.counting(func() { p.play(t, run) })
	if n := strings.Count(fmt.Sprint(started), "UpdateItem"); n != 1 {
		t.Errorf("a run that another starts makes %v", started)
	}

	// Most of the budget is spent directly in the store, because real runs take longer.
	root, err := strconv.ParseInt(p.runner.seen[1].JobID, 10, 64)
	for range 198 {
		err = errors.Join(err, p.jobs.Store.Descend(t.Context(), shopScope, id.ID(root), 200, p.time().Add(time.Hour)))
	}
	if err != nil {
		t.Fatal(err)
	}
	run.want = `~"code":0`
	p.play(t, run)
	run.want = `{"code":1,"data":null,"error":{"message":"` + tooMany + `","type":"RejectedError"}}`
	p.play(t, run)
	debug := step{
		method: "POST", path: functions + "pay/debug/", header: run.header, body: `{"data":{}}`, status: 200,
		want: "~" + tooMany,
	}
	p.play(t, debug)
}

// TestRefusesRunsThatCannotBeCounted: no run starts if the store cannot write the count.
func TestRefusesRunsThatCannotBeCounted(t *testing.T) {
	p := withFunction(t)
	p.jobs.Hosts = &oauth.RunSigner{Applications: shops{}, Clock: p.time}
	p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, status: 200})
	token, runs := p.runner.last(t).Host.Token, len(p.runner.seen)
	p.jobs.Store = uncounting{p.jobs.Store}
	for _, body := range []string{`{"data":{}}`, `{"data":{},"sync":false}`} {
		p.play(
			t,
			step{method: "POST", path: functions + "pay/job/", header: "Authorization: Run " + token, body: body, status: 503},
		)
	}
	if p.deliver(t); len(p.runner.seen) != runs || len(p.jobsOf(t, "")) != 1 {
		t.Errorf("%d runs, jobs %v", len(p.runner.seen)-runs, p.jobsOf(t, ""))
	}
}

// uncounting is a store that fails to count descendants.
type uncounting struct{ job.Store }

func (uncounting) Descend(context.Context, tenant.Scope, id.ID, int, time.Time) error {
	return errs.Unavailable(1, "the database is busy")
}
