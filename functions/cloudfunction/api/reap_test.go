package api_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/job"
	"minicloud/shared/sandbox"
)

func TestReap(t *testing.T) {
	p := withFunction(t)
	post := func() int64 {
		return decode[struct {
			ID int64 `json:"job_id"`
		}](t, p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{},"sync":false}`, status: 200})).ID
	}
	p.queue.down = true
	lost := post()
	p.queue.down = false
	reap := func() job.Reaped {
		t.Helper()
		done, err := p.jobs.Reap(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	if done := reap(); done.Functions != 1 || done.Resent != 0 {
		t.Errorf("at once: %+v", done)
	}
	p.pass(35 * time.Second)
	if done := reap(); done.Resent != 1 {
		t.Errorf("35 s later: %+v", done)
	}
	p.deliver(t)
	if len(p.runner.seen) != 1 || p.runner.seen[0].JobID != fmt.Sprint(lost) {
		t.Fatal("the lost message was not made up for")
	}
	// One whose messages are lost for ever is given up.
	never := post()
	for range 17 {
		p.queue.take()
		p.pass(20 * time.Second)
		reap()
	}
	p.play(t, step{method: "GET", path: fmt.Sprintf("%spay/job/%d/", functions, never), status: 200, want: `~"status":"schedule_failed"`})
	p.pass(announced)
	reap()
	if active, err := p.jobs.Store.Active(t.Context()); err != nil || len(active) != 0 {
		t.Errorf("still active: %v, %v", active, err)
	}
}

// TestTickFoldsTheHoursThatHavePassed: once, and no list shows a difference.
func TestTickFoldsTheHoursThatHavePassed(t *testing.T) {
	p := withFunction(t)
	run := func() {
		p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, status: 200})
	}
	folds := func() int {
		n := 0
		for _, call := range p.counting(func() {
			if _, err := p.jobs.Tick(t.Context()); err != nil {
				t.Fatal(err)
			}
		}) {
			if call == "TransactWriteItems" { // nothing else of a quiet tick
				n++
			}
		}
		return n
	}
	for range 3 {
		run()
	}
	before := p.jobsOf(t, "")
	for _, c := range []struct {
		pass  time.Duration
		folds int
	}{{0, 0}, {65 * time.Minute, 0}, {6 * time.Minute, 1}, {time.Minute, 0}, {time.Hour, 1}} {
		p.pass(c.pass)
		run()
		if n := folds(); n != c.folds {
			t.Errorf("at %s: %d hours folded, want %d", p.time(), n, c.folds)
		}
	}
	after := p.jobsOf(t, "")
	for _, jobs := range [][]map[string]any{before, after} {
		for _, j := range jobs {
			delete(j, "user_log_url") // it has the time in it
		}
	}
	if diff := cmp.Diff(before, after[len(after)-3:]); diff != "" || len(after) != 8 {
		t.Errorf("%d jobs after folding, the oldest three changed:\n%s", len(after), diff)
	}
}

// announced is longer than any announcement holds.
const announced = 26 * time.Minute

func TestDeadWorkersAreReaped(t *testing.T) {
	p := withFunction(t)
	p.runner.run = func(sandbox.Request) (sandbox.Result, error) { panic("the program dies") }
	p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, status: 500})
	if got := p.jobsOf(t, "status=executing"); len(got) != 1 {
		t.Fatalf("jobs %v", got)
	}
	p.pass(9 * time.Second)
	if done, err := p.jobs.Reap(t.Context()); err != nil || done.Dead != 0 {
		t.Errorf("within the lease: %+v, %v", done, err)
	}
	p.pass(2 * time.Second)
	if done, err := p.jobs.Reap(t.Context()); err != nil || done.Dead != 1 {
		t.Errorf("after the lease: %+v, %v", done, err)
	}
	got := p.jobsOf(t, "")
	if len(got) != 1 || got[0]["status"] != "execution_failed" {
		t.Errorf("jobs %v", got)
	}
}
