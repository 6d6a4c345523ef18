package lambdahost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"minicloud/infra/local/child"
)

var bootstrap string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "probe")
	if err != nil {
		panic(err)
	}
	bootstrap = filepath.Join(dir, "bootstrap")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", bootstrap, "../testdata/probe")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Println("build the probe:", err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// patience is the maximum wait for a step that takes no time on an idle machine.
const patience = 3 * time.Minute

func newHost(t testing.TB, change func(*Config)) *Host {
	t.Helper()
	cfg := Config{Region: "us-east-1", LogDir: t.TempDir(), Functions: []Function{
		{
			Name: "Plain", Bootstrap: bootstrap, Timeout: patience, MemoryMB: 128, Reserved: -1,
			Environment: map[string]string{"COLOUR": "red"},
		},
		{Name: "Quick", Bootstrap: bootstrap, Timeout: 300 * time.Millisecond, MemoryMB: 128, Reserved: -1},
		{Name: "Tenanted", Bootstrap: bootstrap, Timeout: patience, MemoryMB: 128, PerTenant: true, Reserved: -1},
		{Name: "Narrow", Bootstrap: bootstrap, Timeout: patience, MemoryMB: 128, Reserved: 1},
		{
			Name: "Broken", Bootstrap: bootstrap, Timeout: patience, MemoryMB: 128, Reserved: -1,
			Environment: map[string]string{"BROKEN_INIT": "1"},
		},
		{
			Name: "OneAnswer", Bootstrap: bootstrap, Timeout: patience, MemoryMB: 128, Reserved: -1,
			Environment: map[string]string{"ONE_ANSWER": "1"},
		},
		{
			Name: "SlowNext", Bootstrap: bootstrap, Timeout: patience, MemoryMB: 128, Reserved: -1,
			Environment: map[string]string{"SLOW_NEXT": "50ms"},
		},
		{
			Name: "NoNext", Bootstrap: bootstrap, Timeout: patience, MemoryMB: 128, Reserved: -1,
			Environment: map[string]string{"SLOW_NEXT": "1h"},
		},
		{Name: "Loops", Bootstrap: bootstrap, Timeout: patience, MemoryMB: 128, Reserved: -1, AllowsLoops: true},
		{Name: "Gone", Bootstrap: "/nowhere/bootstrap", Timeout: patience, MemoryMB: 128, Reserved: -1},
	}}
	if change != nil {
		change(&cfg)
	}
	h, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	h.answeredFor = patience
	t.Cleanup(h.Close)
	return h
}

type probed struct {
	PID      int    `json:"pid"`
	Calls    int    `json:"calls"`
	Tenant   string `json:"tenant"`
	LeftMS   int64  `json:"left_ms"`
	Function string `json:"function"`
	Counted  int64  `json:"counted"`
}

func invoke(t testing.TB, h *Host, function, tenant, payload string) probed {
	t.Helper()
	r, err := h.Invoke(context.Background(), Request{Function: function, Tenant: tenant, Payload: []byte(payload)})
	if err != nil || r.FunctionError != "" {
		t.Fatalf("%s %s: %v, %s %s", function, payload, err, r.FunctionError, r.Payload)
	}
	var p probed
	if err := json.Unmarshal(r.Payload, &p); err != nil {
		t.Fatalf("%s: %v", r.Payload, err)
	}
	return p
}

func TestReusesIdleInstance(t *testing.T) {
	h := newHost(t, nil)
	first := invoke(t, h, "Plain", "", `{}`)
	second := invoke(t, h, "Plain", "", `{}`)
	if first.PID != second.PID || second.Calls != 2 {
		t.Errorf("first %+v, second %+v: want one process", first, second)
	}
	if first.Function != "Plain" || first.LeftMS <= 0 || first.LeftMS > patience.Milliseconds() {
		t.Errorf("context: %+v", first)
	}
}

// TestAcceptedInvocationRuns: like on Lambda, an invocation runs even if its caller hangs up while its instance is
// starting.
func TestAcceptedInvocationRuns(t *testing.T) {
	h := newHost(t, nil)
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	if _, err := h.Invoke(gone, Request{Function: "Plain", Payload: []byte(`{}`)}); !errors.Is(err, context.Canceled) {
		t.Fatalf("a caller that is gone gets %v", err)
	}
	idle := func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		p := h.pools[poolKey{"Plain", ""}]
		return p != nil && len(p.idle) == 1
	}
	for until := time.Now().Add(3 * time.Minute); !idle() && time.Now().Before(until); {
		time.Sleep(time.Millisecond)
	}
	if next := invoke(t, h, "Plain", "", `{}`); next.Calls != 2 {
		t.Errorf("it did not run: the next is call %d of its process", next.Calls)
	}
}

func TestConcurrentInvocationsGetOwnProcesses(t *testing.T) {
	h := newHost(t, nil)
	for range 4 {
		go h.Invoke(context.Background(), Request{Function: "Plain", Payload: []byte(`{"do":"sleep","ms":1000000}`)})
	}

	pids := busy(t, h, "Plain", 4)
	if len(slices.Compact(slices.Sorted(slices.Values(pids)))) != 4 {
		t.Errorf("pids %v", pids)
	}
}

func TestTenantsGetOwnProcesses(t *testing.T) {
	h := newHost(t, nil)
	a := invoke(t, h, "Tenanted", "1.production", `{}`)
	b := invoke(t, h, "Tenanted", "2.production", `{}`)
	again := invoke(t, h, "Tenanted", "1.production", `{}`)
	if a.PID == b.PID || a.PID != again.PID || a.Tenant != "1.production" || b.Tenant != "2.production" {
		t.Errorf("a %+v b %+v again %+v", a, b, again)
	}
}

func TestRefusesInvalidInvocations(t *testing.T) {
	h := newHost(t, nil)
	tests := []struct {
		name, function, tenant, payload string
		status                          int
		kind                            string
	}{
		{"unknown", "Nobody", "", "{}", 404, "ResourceNotFoundException"},
		{"tenant missing", "Tenanted", "", "{}", 400, "InvalidParameterValueException"},
		{"tenant too much", "Plain", "x", "{}", 400, "InvalidParameterValueException"},
		{"tenant malformed", "Tenanted", "a\nb", "{}", 400, "InvalidParameterValueException"},
		{"too large", "Plain", "", `"` + strings.Repeat("x", MaxPayload) + `"`, 413, "RequestTooLargeException"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := h.Invoke(t.Context(), Request{Function: tt.function, Tenant: tt.tenant, Payload: []byte(tt.payload)})
			refusal, ok := errors.AsType[*Error](err)
			if !ok || refusal.Status != tt.status || refusal.Type != tt.kind {
				t.Errorf("got %v", err)
			}
		})
	}
	refusals := map[string]string{"Narrow": "reserved concurrency", "Plain": "the host's"}
	for function, of := range refusals {
		t.Run("more than "+of, func(t *testing.T) {
			h := newHost(t, func(c *Config) { c.Max = 1 })
			go h.Invoke(context.Background(), Request{Function: function, Payload: []byte(`{"do":"sleep","ms":1000000}`)})
			busy(t, h, function, 1)

			_, err := h.Invoke(t.Context(), Request{Function: function, Payload: []byte(`{}`)})
			if refusal, ok := errors.AsType[*Error](err); !ok || refusal.Status != 429 {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestReportsFailedInvocations(t *testing.T) {
	h := newHost(t, nil)
	tests := []struct{ name, function, payload, kind, message string }{
		{"returns an error", "Plain", `{"do":"fail"}`, "errorString", "failed on purpose"},
		{"panics", "Plain", `{"do":"panic"}`, "string", "on purpose"},
		{"exits", "Plain", `{"do":"exit"}`, "Runtime.ExitError", "Error: Runtime exited with error: exit status 7"},
		{"times out", "Quick", `{"do":"sleep","ms":60000}`, "Sandbox.Timedout", "Task timed out after 0.30 seconds"},
		{"answers too much", "Plain", `{"do":"big","ms":6291600}`, "Function.ResponseSizeTooLarge", "6291556 bytes"},
		{"does not come up", "Broken", `{}`, "Runtime.ExitError", "exit status 3"},
		{"is not there", "Gone", `{}`, "Runtime.InvalidEntrypoint", "/nowhere/bootstrap"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			begun := time.Now()
			r, err := h.Invoke(t.Context(), Request{Function: tt.function, Payload: []byte(tt.payload)})
			if err != nil {
				t.Fatal(err)
			}
			var f struct {
				Type    string `json:"errorType"`
				Message string `json:"errorMessage"`
			}
			if err := json.Unmarshal(r.Payload, &f); err != nil {
				t.Fatalf("%s: %v", r.Payload, err)
			}
			if r.FunctionError != "Unhandled" || f.Type != tt.kind || !strings.Contains(f.Message, tt.message) {
				t.Errorf("%q %+v", r.FunctionError, f)
			}
			if took := time.Since(begun); took > patience {
				t.Errorf("took %v", took)
			}
			if tt.function == "Plain" { // the next invocation is not affected
				invoke(t, h, "Plain", "", `{}`)
			}
		})
	}
}

// TestDyingInstanceGetsNoWork: a program may end between its response and the next "next"; no invocation may be sent
// to it.
func TestDyingInstanceGetsNoWork(t *testing.T) {
	h := newHost(t, nil)
	for range 5 {
		invoke(t, h, "OneAnswer", "", `{}`)
	}
}

// TestEndedInstanceIsNotGiven: a program may end while the host reads its request for "next".
func TestEndedInstanceIsNotGiven(t *testing.T) {
	h := newHost(t, nil)
	invoke(t, h, "Plain", "", `{}`)
	i, err := h.acquire(t.Context(), h.functions["Plain"], "")
	if err != nil {
		t.Fatal(err)
	}
	i.process.Kill()
	<-i.process.Done()
	h.forget(i)

	if h.give(i) {
		t.Error("an ended instance was given")
	}
	invoke(t, h, "Plain", "", `{}`)
}

// TestWaitsForAnsweredInstance: on a busy machine, a program asks for "next" some time after its response.
func TestWaitsForAnsweredInstance(t *testing.T) {
	h := newHost(t, nil)
	first := invoke(t, h, "SlowNext", "", `{}`)
	for range 5 {
		if again := invoke(t, h, "SlowNext", "", `{}`); again.PID != first.PID {
			t.Fatalf("process %d, then %d", first.PID, again.PID)
		}
	}
	if n := h.cfg.Stats.Snapshot().Starts["SlowNext"]; n != 1 {
		t.Errorf("%d processes were started", n)
	}
}

func TestReplacesOverdueInstance(t *testing.T) {
	h := newHost(t, nil)
	h.answeredFor = 50 * time.Millisecond
	first := invoke(t, h, "NoNext", "", `{}`)
	if again := invoke(t, h, "NoNext", "", `{}`); again.PID == first.PID {
		t.Error("it came after all")
	}
}

// TestAnsweredInstanceIsNotCounted: an instance that has responded counts neither against the reserved concurrency nor
// against the host's.
func TestAnsweredInstanceIsNotCounted(t *testing.T) {
	h := newHost(t, func(c *Config) { c.Max = 1 })
	for range 200 {
		invoke(t, h, "Narrow", "", `{}`)
	}
	for range 3 {
		invoke(t, h, "SlowNext", "", `{}`)
		invoke(t, h, "Plain", "", `{}`)
	}
}

// TestGivenInstanceIsNotAwaited: an invocation must not wait for a new process that was just given to another
// invocation.
func TestGivenInstanceIsNotAwaited(t *testing.T) {
	h := newHost(t, nil)
	h.mu.Lock()
	p := h.pool(h.functions["Plain"], "")
	i := newInstance(p)
	i.process = &child.Process{} // no code uses the process
	i.starting, i.coming, p.coming = true, true, 1
	h.instances[i.id] = i
	defer h.forget(i)
	served := make(chan acquired, 1)
	p.waiters = append(p.waiters, served)
	h.mu.Unlock()

	h.give(i)
	if got := <-served; got.instance != i {
		t.Fatalf("served with %v", got)
	}
	invoke(t, h, "Plain", "", `{}`)
}

func TestPassesLambdaEnvironmentOnly(t *testing.T) {
	t.Setenv("SECRET_OF_THE_HOST", "1")
	h := newHost(t, nil)
	r, err := h.Invoke(t.Context(), Request{Function: "Plain", Payload: []byte(`{"do":"env"}`)})
	if err != nil {
		t.Fatal(err)
	}
	env := string(r.Payload)
	for _, want := range []string{
		"COLOUR=red", "AWS_LAMBDA_FUNCTION_NAME=Plain", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE=128", "AWS_REGION=us-east-1",
		"TZ=:UTC",
	} {
		if !strings.Contains(env, `"`+want+`"`) {
			t.Errorf("no %s in %s", want, env)
		}
	}
	for _, forbidden := range []string{"SECRET_OF_THE_HOST", "HOME="} {
		if strings.Contains(env, forbidden) {
			t.Errorf("%s in %s", forbidden, env)
		}
	}
}

func TestIdleInstancesEnd(t *testing.T) {
	h := newHost(t, func(c *Config) { c.IdleFor = 50 * time.Millisecond })
	p := invoke(t, h, "Plain", "", `{}`)
	deadline := time.Now().Add(3 * time.Minute)
	for syscall.Kill(p.PID, 0) == nil {
		if time.Now().After(deadline) {
			t.Fatal("an idle process lives on")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// busy waits until n processes of the function are busy, and returns their process IDs.
func busy(t *testing.T, h *Host, function string, n int) []int {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		h.mu.Lock()
		all := slices.Collect(maps.Values(h.instances))
		h.mu.Unlock()

		var pids []int
		for _, i := range all {
			i.mu.Lock()
			if i.current != nil && i.pool.function.Name == function {
				pids = append(pids, i.process.Pid)
			}
			i.mu.Unlock()
		}
		if len(pids) == n {
			return pids
		}
	}
	t.Fatalf("%d processes of %s do not run at once", n, function)
	return nil
}

func TestCloseEndsAllProcesses(t *testing.T) {
	h := newHost(t, nil)
	idle := invoke(t, h, "Plain", "", `{}`)
	go h.Invoke(context.Background(), Request{Function: "Narrow", Payload: []byte(`{"do":"sleep","ms":1000000}`)})
	working := busy(t, h, "Narrow", 1)[0]
	begun := time.Now()
	h.Close()
	if took := time.Since(begun); took > patience {
		t.Errorf("Close took %v", took)
	}
	for what, pid := range map[string]int{"idle": idle.PID, "busy": working} {
		if syscall.Kill(pid, 0) == nil {
			t.Errorf("the %s process lives on", what)
		}
	}
}

func TestPrintsErrorsOfPrograms(t *testing.T) {
	var terminal lockedBuilder
	dir := t.TempDir()
	h := newHost(t, func(c *Config) { c.Terminal, c.LogDir = &terminal, dir })
	_, _ = h.Invoke(t.Context(), Request{Function: "Broken", Payload: []byte(`{}`)})
	if !strings.Contains(terminal.String(), "[Broken] panic: broken on purpose") {
		t.Errorf("terminal: %q", terminal.String())
	}
	kept, err := os.ReadFile(filepath.Join(dir, "Broken.log"))
	if err != nil || !strings.Contains(string(kept), "broken on purpose") {
		t.Errorf("log: %q, %v", kept, err)
	}
}

type lockedBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuilder) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuilder) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestServesInvokeAPI calls the Invoke API as programs do.
func TestServesInvokeAPI(t *testing.T) {
	var kept []Request
	h := newHost(t, func(c *Config) { c.Later = func(r Request) error { kept = append(kept, r); return nil } })
	server := httptest.NewServer(h)
	defer server.Close()
	client := lambda.New(lambda.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(server.URL), RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	out, err := client.Invoke(
		t.Context(),
		&lambda.InvokeInput{
			FunctionName: aws.String("Tenanted"), TenantId: aws.String("7.test"), Payload: []byte(`{"value":1}`),
		},
	)
	if err != nil || out.StatusCode != 200 || aws.ToString(out.ExecutedVersion) != "$LATEST" ||
		!strings.Contains(string(out.Payload), `"tenant":"7.test"`) {
		t.Fatalf("%+v, %v", out, err)
	}
	out, err = client.Invoke(
		t.Context(), &lambda.InvokeInput{FunctionName: aws.String("Plain"), Payload: []byte(`{"do":"fail"}`)},
	)
	if err != nil || aws.ToString(out.FunctionError) != "Unhandled" {
		t.Errorf("failing: %+v, %v", out, err)
	}
	out, err = client.Invoke(
		t.Context(),
		&lambda.InvokeInput{
			FunctionName: aws.String("Plain"), InvocationType: types.InvocationTypeEvent, Payload: []byte(`{}`),
		},
	)
	if err != nil || out.StatusCode != 202 || len(kept) != 1 || kept[0].Function != "Plain" {
		t.Errorf("event: %+v, %v", out, err)
	}
	_, err = client.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: aws.String("Nobody")})
	if _, ok := errors.AsType[*types.ResourceNotFoundException](err); !ok {
		t.Errorf("unknown: %v", err)
	}
	_, err = client.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: aws.String("Tenanted")})
	if _, ok := errors.AsType[*types.InvalidParameterValueException](err); !ok {
		t.Errorf("without tenant: %v", err)
	}
	_, err = client.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: aws.String("Plain"), Payload: []byte(`{`)})
	if _, ok := errors.AsType[*types.InvalidRequestContentException](err); !ok {
		t.Errorf("not JSON: %v", err)
	}
}

func BenchmarkWarmInvoke(b *testing.B) {
	h := newHost(b, nil)
	payload := []byte(`{}`)
	for b.Loop() {
		if _, err := h.Invoke(context.Background(), Request{Function: "Plain", Payload: payload}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkColdInvoke(b *testing.B) {
	h := newHost(b, nil)
	n := 0
	for b.Loop() {
		n++
		if _, err := h.Invoke(
			context.Background(), Request{Function: "Tenanted", Tenant: fmt.Sprint(n), Payload: []byte(`{}`)},
		); err != nil {
			b.Fatal(err)
		}
		if n%100 == 0 {
			b.StopTimer()
			h.Close()
			h = newHost(b, nil)
			b.StartTimer()
		}
	}
}
