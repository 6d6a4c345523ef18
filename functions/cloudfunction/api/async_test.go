package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/sandbox"
)

// TestJobsOfDeletedFunctionsEnd: the pending jobs of a deleted function are rejected when they are due, and a new
// function with the same name does not list them.
func TestJobsOfDeletedFunctionsEnd(t *testing.T) {
	p := withFunction(t)
	f, err := p.functions.Read(t.Context(), shopScope, "pay")
	if err != nil {
		t.Fatal(err)
	}
	var started []int64
	for _, body := range []string{
		`{"data":{},"sync":false}`, fmt.Sprintf(`{"data":{},"sync":false,"run_at":%d}`, p.time().Add(time.Hour).Unix()),
	} {
		started = append(started, decode[struct {
			ID int64 `json:"job_id"`
		}](t, p.play(t, step{method: "POST", path: functions + "pay/job/", body: body, status: 200})).ID)
	}
	p.play(t, step{method: "DELETE", path: functions + "pay/", status: 204})
	p.play(t, step{method: "GET", path: functions + "pay/job/", status: 404})
	p.play(t, step{method: "POST", path: functions, body: `{"name":"pay","function_code":"1"}`, status: 201})
	p.deliver(t)
	p.pass(time.Hour)
	if _, err := p.jobs.Tick(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.deliver(t)
	for _, n := range started {
		r, err := p.jobs.Store.Read(t.Context(), shopScope, f.ID, id.ID(n), p.time())
		if err != nil || r.Status != job.StatusExecutionRejected || r.Error == nil ||
			r.Error.Message != `function "pay" was deleted` {
			t.Errorf("job %d: %s %+v, %v", n, r.Status, r.Error, err)
		}
	}
	if len(p.runner.seen) != 0 || len(p.jobsOf(t, "")) != 0 {
		t.Errorf("%d runs, the new function has %v", len(p.runner.seen), p.jobsOf(t, ""))
	}
}

func TestAsyncRun(t *testing.T) {
	p := withFunction(t)
	started := decode[struct {
		Status string
		ID     int64 `json:"job_id"`
	}](
		t, p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{"a":1},"sync":false}`, status: 200}),
	)
	one := fmt.Sprintf("%spay/job/%d/", functions, started.ID)
	if started.Status != "ok" {
		t.Errorf("status %q", started.Status)
	}
	p.play(
		t,
		step{
			method: "GET", path: one, status: 200,
			want: `~"started_at":null,"finished_at":null,"mem_usage":0,"service_type":"batch","source":"open_api","status":"waiting","user_log_url":null`,
		},
	)
	messages := p.queue.take()
	for range 3 { // delivered more than once
		for _, m := range messages {
			if err := p.jobs.Work(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(p.runner.seen) != 1 || p.runner.seen[0].TimeoutMS != 300000 ||
		!strings.Contains(string(p.runner.seen[0].Event), `"data":{"a":1}`) {
		t.Fatalf("%d runs", len(p.runner.seen))
	}
	p.play(
		t,
		step{
			method: "GET", path: one, status: 200,
			want: `~"created_at":1795262400.0,"started_at":1795262400.0,"finished_at":1795262400.0,"mem_usage":2048,"service_type":"batch","source":"open_api","status":"fulfilled","user_log_url":"http://example.com/oserve/v1.3/cloud-function-log/`,
		},
	)
	p.play(t, step{method: "DELETE", path: one, status: 400, want: "~cannot be cancelled: it is fulfilled"})
	p.play(t, step{method: "GET", path: one + "log/?follow=1", status: 200, want: "a line\n"})
}

func TestAsyncRunUsesCodeOfAcceptance(t *testing.T) {
	p := withFunction(t)
	for i := range 3 {
		code := fmt.Sprintf("let version = %d", i)
		p.play(t, step{method: "PATCH", path: functions + "pay/", body: `{"function_code":"` + code + `"}`, status: 202})
		p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{},"sync":false}`, status: 200})
		p.deliver(t)
		if got, err := (cloudfunction.Code{Gzip: p.runner.last(t).Code}).Source(); err != nil || got != code {
			t.Errorf("ran %q, %v, want %q", got, err, code)
		}
	}
	// A deleted or refused function stops running within a second.
	p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{},"sync":false}`, status: 200})
	p.play(t, step{method: "DELETE", path: functions + "pay/", status: 204})
	p.pass(time.Second)
	runs := len(p.runner.seen)
	p.deliver(t)
	if len(p.runner.seen) != runs {
		t.Error("a deleted function runs")
	}
}

func TestAsyncRunWithoutSandbox(t *testing.T) {
	p := withFunction(t)
	p.gives(sandbox.Result{}, sandbox.NotStarted("the sandbox has no capacity"))
	started := decode[struct {
		ID int64 `json:"job_id"`
	}](
		t, p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{"a":1},"sync":false}`, status: 200}),
	)
	one := fmt.Sprintf("%spay/job/%d/", functions, started.ID)
	p.deliver(t)
	p.play(t, step{method: "GET", path: one, status: 200, want: `~"status":"waiting"`})
	p.gives(sandbox.Result{Outcome: sandbox.OutcomeFulfilled}, nil)
	p.deliver(t)
	p.play(t, step{method: "GET", path: one, status: 200, want: `~"status":"fulfilled"`})
	if run := p.runner.last(t); !strings.Contains(string(run.Event), `"data":{"a":1}`) {
		t.Errorf("its input was lost: %s", run.Event)
	}

	p.gives(sandbox.Result{}, sandbox.NotStarted("the sandbox has no capacity"))
	started.ID = decode[struct {
		ID int64 `json:"job_id"`
	}](t, p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{},"sync":false}`, status: 200})).ID
	for range 200 {
		p.deliver(t)
		p.pass(3 * time.Second)
	}
	p.play(t, step{method: "GET", path: fmt.Sprintf("%spay/job/%d/", functions, started.ID), status: 200,
		want: `~"status":"schedule_failed"`})
	if slots, err := p.jobs.Store.Slots(t.Context(), shop.ID); err != nil || len(slots) != 0 {
		t.Errorf("slots are held: %v, %v", slots, err)
	}
}

func TestCancelAndDelay(t *testing.T) {
	p := withFunction(t)
	runAt := p.time().Add(time.Hour).Unix()
	delayed := decode[struct {
		ID int64 `json:"job_id"`
	}](
		t,
		p.play(
			t,
			step{
				method: "POST", path: functions + "pay/job/", body: fmt.Sprintf(`{"data":{},"sync":false,"run_at":%d}`, runAt),
				status: 200,
			},
		),
	)
	cancelled := decode[struct {
		ID int64 `json:"job_id"`
	}](
		t,
		p.play(
			t,
			step{
				method: "POST", path: functions + "pay/job/", body: fmt.Sprintf(`{"data":{},"sync":false,"run_at":%d}`, runAt),
				status: 200,
			},
		),
	)
	one := fmt.Sprintf("%spay/job/%d/", functions, cancelled.ID)
	upcoming := fmt.Sprintf(`~"run_at":%d`, runAt)
	p.play(t, step{method: "GET", path: one, status: 200, want: upcoming})
	p.play(t, step{method: "GET", path: functions + "pay/job/?status=waiting", status: 200, want: upcoming})
	p.play(t, step{method: "DELETE", path: one, status: 204})
	ended := p.play(t, step{method: "GET", path: one, status: 200, want: `~"status":"execution_rejected"`})
	if strings.Contains(ended, "run_at") {
		t.Errorf("it says when it would have run: %s", ended)
	}
	p.play(t, step{method: "DELETE", path: one, status: 400})
	tick := func() {
		t.Helper()
		if _, err := p.jobs.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	tick()
	p.deliver(t)
	if len(p.runner.seen) != 0 {
		t.Fatal("it ran an hour early")
	}
	for range 61 {
		p.pass(time.Minute)
		tick()
		p.deliver(t)
	}
	if len(p.runner.seen) != 1 || p.runner.seen[0].JobID != fmt.Sprint(delayed.ID) {
		t.Errorf("%d runs", len(p.runner.seen))
	}
}
