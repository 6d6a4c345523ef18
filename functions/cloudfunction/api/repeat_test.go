package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/sandbox"
)

// TestRepeatedKeyAfterProgramDied: a repeated request never runs the function again. It finds the job, waits for its
// end, and returns its result.
func TestRepeatedKeyAfterProgramDied(t *testing.T) {
	p := withFunction(t)
	run := func(key string, status int, want string) string {
		t.Helper()
		header := "Idempotency-Key: " + key
		return p.play(t, step{method: "POST", path: functions +
			"pay/job/", body: `{"data":{}}`, header: header, status: status, want: want})
	}

	works := p.runner.run
	p.runner.run = func(sandbox.Request) (sandbox.Result, error) { panic("killed while it ran") }
	run("k", 500, "")
	p.runner.run = works
	// The repeated request waits until the lease has expired.
	lost := run("k", 200, `~"type":"SandboxError"`)
	if again := run("k", 200, ""); again != lost {
		t.Errorf("then %s, first %s", again, lost)
	}
	if n := len(p.jobsOf(t, "")); n != 1 || len(p.runner.seen) != 1 {
		t.Errorf("%d jobs, %d runs, want one of each", n, len(p.runner.seen))
	}
}

// TestKeyedRunWithLargeResult: the response to a repeated request says that the result was too large to store.
func TestKeyedRunWithLargeResult(t *testing.T) {
	p := withFunction(t)
	large, err := json.Marshal(id.Hex(2 * job.MaxKeptResult)) // gzip halves hex text
	if err != nil {
		t.Fatal(err)
	}
	p.runner.run = func(sandbox.Request) (sandbox.Result, error) {
		return sandbox.Result{Outcome: sandbox.OutcomeFulfilled, Data: large}, nil
	}
	s := step{
		method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, header: "Idempotency-Key: k", status: 200,
	}
	p.play(t, s)
	dynamotest.ForgetAnswers(t, p.client, "IdempotencyTable")
	s.status, s.want = 409, "~too large to be kept"
	p.play(t, s)
	if len(p.runner.seen) != 1 {
		t.Errorf("%d runs", len(p.runner.seen))
	}
}

// TestRepeatedKeyRunsAfterMissingSandbox: nothing ran, so the repeated request runs the function.
func TestRepeatedKeyRunsAfterMissingSandbox(t *testing.T) {
	p := withFunction(t)
	works := p.runner.run
	p.runner.run = func(sandbox.Request) (sandbox.Result, error) {
		return sandbox.Result{}, sandbox.NotStarted("no capacity")
	}
	s := step{
		method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, header: "Idempotency-Key: k", status: 503,
	}
	p.play(t, s)
	p.runner.run = works
	s.status, s.want = 200, `~{"pong":true}`
	p.play(t, s)
}

// TestIdempotencyKeyAddsOnlyClaimAndAnswer: a key adds two calls to a request; a request without a key makes neither.
func TestIdempotencyKeyAddsOnlyClaimAndAnswer(t *testing.T) {
	p := withFunction(t)
	for _, s := range []step{
		{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, status: 200},
		{method: "POST", path: functions + "pay/job/", body: `{"data":{},"sync":false}`, status: 200},
		{method: "PATCH", path: functions + "pay/", body: `{"remark":"a %d"}`, status: 202},
		{method: "POST", path: functions, body: `{"name":"made%d","function_code":"1"}`, status: 201},
		{method: "PUT", path: functions + "pay/variable/A/", body: `{"value":"%d"}`, status: 200},
	} {
		n := 0
		send := func(header string) []string {
			n++
			p.pass(time.Millisecond) // otherwise ids of two sources in one millisecond could be equal
			s.header = header
			sent := s
			if strings.Contains(s.body, "%d") {
				sent.body = fmt.Sprintf(s.body, n)
			}
			return p.counting(func() { p.play(t, sent) })
		}
		send("") // the first request fills the caches
		plain, keyed := send(""), send("Idempotency-Key: "+s.method+s.path+s.body)
		more := 2
		if strings.Contains(s.body, `"data":{}}`) {
			more = 1 // the record and its slot end in one transaction with the token, without it in two writes
		}
		if len(keyed) != len(plain)+more || keyed[0] != "PutItem" || keyed[len(keyed)-1] != "UpdateItem" {
			t.Errorf("%s %s: %v\nwith a key %v", s.method, s.path, plain, keyed)
		}
		if strings.HasSuffix(s.path, "/job/") {
			continue // a transaction instead of one PutItem
		}
		if diff := cmp.Diff(plain, keyed[1:len(keyed)-1]); diff != "" {
			t.Errorf("%s %s, without and with a key:\n%s", s.method, s.path, diff)
		}
	}
}
