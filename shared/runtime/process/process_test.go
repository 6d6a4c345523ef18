package process

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"minicloud/shared/errs"
	"minicloud/shared/runtime/sandboxtest"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

func TestMain(m *testing.M) {
	hostile()
	if IsChild() {
		ChildMain()
	}
	os.Exit(m.Run())
}

func newSupervisor(t testing.TB) *Supervisor {
	s := &Supervisor{}
	t.Cleanup(s.Close)
	return s
}

func (s *Supervisor) must(t testing.TB, req sandbox.Request) sandbox.Result {
	t.Helper()
	r, err := s.Run(t.Context(), tenant.Scope{}, sandbox.PlanFree, req)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRunsFunctions(t *testing.T) {
	s := newSupervisor(t)
	for _, c := range []struct{ code, data, failure string }{
		{`exports.main = async (event) => event.data.n + 1`, "21", ""},
		{`exports.main = () => { for (;;); }`, "", "TimeoutError: function timed out after 100 ms"},
		{`exports.main = async () => 2`, "2", ""},
		{
			`exports.main = () => Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)`, "",
			"TimeoutError: function timed out after 100 ms",
		},
		{`exports.main = async () => 3`, "3", ""},
		{
			`exports.main = () => { const a = []; for (;;) a.push(new Array(1000).fill(0)) }`, "",
			"MemoryError: function exceeded 64 MB",
		},
		{`exports.main = async () => 4`, "4", ""},
	} {
		req := sandboxtest.Request(c.code)
		if strings.HasPrefix(c.failure, "TimeoutError") {
			req.TimeoutMS = 100
		}
		r := s.must(t, req)
		failure := ""
		if r.Error != nil {
			failure = r.Error.Type + ": " + r.Error.Message
		}
		if string(r.Data) != c.data || failure != c.failure {
			t.Errorf("%s: %s %s", c.code, r.Data, failure)
		}
	}
}

func TestRefusesInvalidRequests(t *testing.T) {
	s := &Supervisor{MemoryMB: 128}
	t.Cleanup(s.Close)
	for name, change := range map[string]func(*sandbox.Request){
		"op":            func(r *sandbox.Request) { r.Op = "exec" },
		"no function":   func(r *sandbox.Request) { r.Function = "" },
		"no time":       func(r *sandbox.Request) { r.TimeoutMS = 0 },
		"too much time": func(r *sandbox.Request) { r.TimeoutMS = 300_001 },
		"no memory":     func(r *sandbox.Request) { r.MemoryMB = 0 },
		"too much":      func(r *sandbox.Request) { r.MemoryMB = 256 },
		"event":         func(r *sandbox.Request) { r.Event = json.RawMessage(`{"data":`) },
	} {
		req := sandboxtest.Request(`exports.main = async () => 1`)
		change(&req)
		if r, err := s.Run(t.Context(), tenant.Scope{}, "", req); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}

	for name, change := range map[string]func(*sandbox.Request){
		"not gzip":   func(r *sandbox.Request) { r.Code = []byte("exports.main") },
		"cut":        func(r *sandbox.Request) { r.Code = r.Code[:len(r.Code)-9] },
		"digest":     func(r *sandbox.Request) { r.Digest = strings.Repeat("0", 64) },
		"a bomb":     func(r *sandbox.Request) { *r = sandboxtest.Request(strings.Repeat(" ", 2<<20)) },
		"empty code": func(r *sandbox.Request) { *r = sandboxtest.Request("") },
	} {
		req := sandboxtest.Request(`exports.main = async () => '` + name + `'`)
		change(&req)
		if r := s.must(t, req); r.Outcome != sandbox.OutcomeExecutionFailed || r.Error.Message == "" {
			t.Errorf("%s: %s %+v", name, r.Data, r.Error)
		}
	}
}

func TestLogsRun(t *testing.T) {
	s := newSupervisor(t)
	req := sandboxtest.Request(`console.log('hi', {a: 1}); console.error('pass s3cr"et'); exports.main = async () => 'x'`)
	req.Variables, req.Secrets = map[string]string{"KEY": `s3cr"et`}, []string{"KEY"}
	r := s.must(t, req)
	lines := strings.Split(strings.TrimSpace(r.Log), "\n")
	want := []string{`LOG event.data: {"n":20}`, `LOG hi { a: 1 }`, `ERROR pass ******`, `LOG return: "x"`}
	for i, line := range lines {
		if i >= len(want) || line[len("2006-01-02T15:04:05.000Z "):] != want[i] {
			t.Fatalf("log is %q", lines)
		}
	}
	if len(lines) != len(want) {
		t.Fatalf("log is %q", lines)
	}
}

func TestChildIsReplacedAfterManyRuns(t *testing.T) {
	s := newSupervisor(t)
	var cold []int
	n := 0
	s.Observe = func(o Observation) {
		if n++; o.Cold {
			cold = append(cold, n)
		}
	}
	req := sandboxtest.Request(`exports.main = async () => 1`)
	for range maxRuns + 1 {
		s.must(t, req)
	}
	if !slices.Equal(cold, []int{1, maxRuns + 1}) {
		t.Errorf("new children at runs %v", cold)
	}
}

// killer is a HostCaller that calls a function, such as one that kills or cancels the run.
type killer func()

func (k killer) Call(context.Context, sandbox.Host, string, json.RawMessage) (json.RawMessage, error) {
	k()
	return nil, nil
}

// TestReportsKilledChild kills the child during a run, as the kernel might.
func TestReportsKilledChild(t *testing.T) {
	s := newSupervisor(t)
	s.Warm()
	child := <-s.next
	s.next <- child
	s.Caller = killer(child.worker.kill)
	req := sandboxtest.Request(`console.log('before'); exports.main = () => { BaaS.invoke('now'); for (;;); }`)
	req.Host = &sandbox.Host{}
	r := s.must(t, req)
	if r.Outcome != sandbox.OutcomeExecutionFailed || r.Error.Type != "InternalError" ||
		!strings.Contains(r.Log, "LOG before\n") {
		t.Errorf("%s %+v\n%s", r.Outcome, r.Error, r.Log)
	}
	if r = s.must(t, sandboxtest.Request(`exports.main = async () => 'next'`)); string(r.Data) != `"next"` {
		t.Errorf("the next run gave %s %+v", r.Data, r.Error)
	}
}

// TestLostCheckIsUnavailable checks that a child which dies while compiling gives errs.Unavailable: reporting an
// error in the code would refuse a valid upload.
func TestLostCheckIsUnavailable(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &Supervisor{Executable: link(t, self, "exit")}
	defer s.Close()

	req := sandboxtest.Request(`exports.main = async () => 1`)
	req.Op = sandbox.OpCheck
	r, err := s.Run(t.Context(), tenant.Scope{}, sandbox.PlanFree, req)
	if !errs.Is(err, errs.KindUnavailable) || len(r.Diagnostics) > 0 {
		t.Errorf("%+v, %v; want that the check could not be made", r, err)
	}
}

func BenchmarkRun(b *testing.B) {
	s := newSupervisor(b)
	req := sandboxtest.Request(`exports.main = async (event) => ({ sum: event.data.n + 1 })`)
	for b.Loop() {
		s.must(b, req)
	}
}

// TestCancelledRunIsInternal checks that a cancelled run is not errs.Unavailable, which would make the caller run
// it again.
func TestCancelledRunIsInternal(t *testing.T) {
	s := newSupervisor(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.Caller = killer(cancel) // cancels while the run is in progress
	req := sandboxtest.Request(`exports.main = () => { BaaS.invoke('now'); for (;;); }`)
	req.Host = &sandbox.Host{}

	_, err := s.Run(ctx, tenant.Scope{}, sandbox.PlanFree, req)
	if err == nil || errs.KindOf(err) != errs.KindInternal {
		t.Errorf("%v is of kind %s", err, errs.KindOf(err))
	}
}
