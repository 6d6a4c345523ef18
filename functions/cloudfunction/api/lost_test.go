package api_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// dying is a store that kills its worker at one step, or loses the response of a call.
type dying struct {
	job.Store
	at string
}

func (s dying) ReadPending(ctx context.Context, scope tenant.Scope, fn, jobID id.ID) (job.PendingJob, error) {
	if s.at == "reading" {
		panic("the program dies")
	}
	return s.Store.ReadPending(ctx, scope, fn, jobID)
}

func (s dying) Begin(ctx context.Context, r job.Running, from job.Place) error {
	if s.at == "beginning" {
		panic("the program dies")
	}
	err := s.Store.Begin(ctx, r, from)
	if s.at == "having begun" && err == nil {
		return errs.Unavailable(1, "the answer was lost")
	}
	return err
}

// Values panics where a worker reads the variables of a function.
func (s dying) Values(context.Context, tenant.Scope, cloudfunction.Function) (map[string]string, []string, error) {
	panic("the program dies")
}

// works delivers the queued messages to workers that die at a step.
func (p *platform) works(t *testing.T, at string) {
	t.Helper()
	for _, m := range p.queue.take() {
		w := p.another()
		w.Store = dying{p.jobs.Store, at}
		if at == "preparing" {
			w.Variables = dying{}
		}
		func() {
			defer func() { recover() }()
			if err := w.Work(t.Context(), m); err != nil {
				t.Errorf("%s: %v", at, err)
			}
		}()
	}
}

// TestRetriesWhenWorkerDiesBeforeUserCode: the job is started again within a minute of each such death, also after
// two in a row (D19).
func TestRetriesWhenWorkerDiesBeforeUserCode(t *testing.T) {
	for _, at := range []string{"reading", "preparing", "beginning", "having begun"} {
		t.Run(at, func(t *testing.T) {
			p := withFunction(t)
			p.play(t, step{method: "PUT", path: functions + "pay/variable/CITY/", body: `{"value":"Turin"}`, status: 200})
			one := decode[struct {
				ID int64 `json:"job_id"`
			}](
				t,
				p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{"a":1},"sync":false}`, status: 200}),
			).ID
			for range 2 {
				died := p.time()
				for p.works(t, at); !p.queue.waits(); p.pass(10 * time.Second) {
					if _, err := p.jobs.Sweep(t.Context()); err != nil {
						t.Fatal(err)
					}
					if waited := p.time().Sub(died); waited > time.Minute {
						t.Fatalf("not started again after %v", waited)
					}
				}
			}
			if len(p.runner.seen) != 0 {
				t.Fatal("it ran too soon for this test")
			}
			p.deliver(t)
			p.play(
				t,
				step{
					method: "GET", path: fmt.Sprintf("%spay/job/%d/", functions, one), status: 200, want: `~"status":"fulfilled"`,
				},
			)
			if n := len(p.runner.seen); n != 1 {
				t.Errorf("it ran %d times", n)
			}
		})
	}
}

// TestFailsWhenWorkerDiesAfterUserCodeBegan: redelivered messages do not start the run again, and the job fails
// within a minute, not after its time limit.
func TestFailsWhenWorkerDiesAfterUserCodeBegan(t *testing.T) {
	p := withFunction(t)
	p.runner.run = func(sandbox.Request) (sandbox.Result, error) { panic("the program dies") }
	one := decode[struct {
		ID int64 `json:"job_id"`
	}](t, p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{},"sync":false}`, status: 200})).ID
	messages := p.queue.take()
	for range 2 {
		p.queue.held = messages
		p.works(t, "running")
	}
	p.pass(50 * time.Second)
	if done, err := p.jobs.Sweep(t.Context()); err != nil || done.Expired != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	p.play(t, step{method: "GET", path: fmt.Sprintf("%spay/job/%d/", functions, one), status: 200,
		want: `~"error":{"message":"the run was lost: its worker stopped before it ended","type":"SandboxError"}`})
	p.queue.held = messages
	p.works(t, "running")
	if len(p.runner.seen) != 1 {
		t.Errorf("it ran %d times", len(p.runner.seen))
	}
}

// TestLateRunsReportTheirTime: the event, the sandbox and the finished job show the time limit of a late run.
func TestLateRunsReportTheirTime(t *testing.T) {
	p := withFunction(t)
	p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{},"sync":false}`, status: 200})
	p.pass(105 * time.Second)
	p.deliver(t)
	if got := p.runner.last(t); got.TimeoutMS != 200_000 || !jsonHas(t, got.Event, "timeLimitInMS", 200_000) {
		t.Errorf("%d ms, event %s", got.TimeoutMS, got.Event)
	}
	p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{},"sync":false}`, status: 200})
	p.pass(job.GiveUp + time.Second)
	p.deliver(t)
	if got := p.jobsOf(t, "status=schedule_failed"); len(got) != 1 || len(p.runner.seen) != 1 {
		t.Errorf("after its time: %v", p.jobsOf(t, ""))
	}
}

func jsonHas(t *testing.T, text []byte, field string, want float64) bool {
	t.Helper()
	return decode[map[string]any](t, string(text))[field] == want
}
