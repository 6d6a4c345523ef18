package api_test

import (
	"fmt"
	"testing"
	"time"

	"minicloud/shared/job"
	"minicloud/shared/sandbox"
)

func TestSweep(t *testing.T) {
	p := withFunction(t)
	post := func() int64 {
		return decode[struct {
			ID int64 `json:"job_id"`
		}](
			t, p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{},"sync":false}`, status: 200}),
		).ID
	}
	p.queue.down = true
	lost := post()
	p.queue.down = false
	sweep := func() job.Swept {
		t.Helper()
		done, err := p.jobs.Sweep(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	if done := sweep(); done.Functions != 1 || done.Resent != 0 {
		t.Errorf("at once: %+v", done)
	}
	p.pass(35 * time.Second)
	if done := sweep(); done.Resent != 1 {
		t.Errorf("35 s later: %+v", done)
	}
	p.deliver(t)
	if len(p.runner.seen) != 1 || p.runner.seen[0].JobID != fmt.Sprint(lost) {
		t.Fatal("the lost message was not made up for")
	}
	// A job is given up if all its messages are lost.
	never := post()
	for range 17 {
		p.queue.take()
		p.pass(20 * time.Second)
		sweep()
	}
	p.play(
		t,
		step{
			method: "GET", path: fmt.Sprintf("%spay/job/%d/", functions, never), status: 200,
			want: `~"status":"schedule_failed"`,
		},
	)
	p.pass(announced)
	sweep()
	if active, err := p.jobs.Store.Active(t.Context()); err != nil || len(active) != 0 {
		t.Errorf("still active: %v, %v", active, err)
	}
}

// announced is longer than the lifetime of any announcement.
const announced = 26 * time.Minute

// TestExpiredLeaseEndsItsJob: a sweep, a list or a read ends the job, with the time when its lease expired.
func TestExpiredLeaseEndsItsJob(t *testing.T) {
	p := withFunction(t)
	p.runner.run = func(sandbox.Request) (sandbox.Result, error) { panic("the program dies") }
	p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, status: 500})
	if got := p.jobsOf(t, "status=executing"); len(got) != 1 {
		t.Fatalf("jobs %v", got)
	}
	p.pass(9 * time.Second)
	if done, err := p.jobs.Sweep(t.Context()); err != nil || done.Expired != 0 {
		t.Errorf("within the lease: %+v, %v", done, err)
	}
	p.pass(2 * time.Second)
	for _, query := range []string{"status=executing", "status=execution_failed", ""} {
		want := 1
		if query == "status=executing" {
			want = 0
		}
		got := p.jobsOf(t, query)
		if len(got) != want || want == 1 && (got[0]["status"] != "execution_failed" ||
			got[0]["finished_at"] != 1795262410.0) {
			t.Errorf("%s after the lease: jobs %v", query, got)
		}
	}

	p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, status: 500})
	p.pass(11 * time.Second)
	if done, err := p.jobs.Sweep(t.Context()); err != nil || done.Expired != 1 {
		t.Errorf("after the lease: %+v, %v", done, err)
	}
	p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{},"sync":false}`, status: 200})
	p.queue.take()
	p.pass(job.GiveUp + 6*time.Second)
	if got := p.jobsOf(t, ""); len(got) != 3 || got[0]["status"] != "schedule_failed" {
		t.Errorf("jobs %v", got)
	}
}
