// Package sandbox_test is the suite that every sandbox.Runner must pass: the language as D16–D24 define it
// (language_test.go, conformance_test.go), and programs that try to harm the sandbox (abuse_test.go). It runs against
// the child process directly and through the Invoke API.
package sandbox_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"minicloud/infra/local/cloudtest"
	"minicloud/shared/compress"
	"minicloud/shared/runtime/process"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

func TestMain(m *testing.M) {
	if process.IsChild() {
		process.ChildMain()
	}
	os.Exit(m.Run())
}

// TestChild runs the suite against process supervisors, one per tenant, as on Lambda.
func TestChild(t *testing.T) {
	suite(t, &perTenant{open: func() sandbox.Runner {
		s := &process.Supervisor{}
		t.Cleanup(s.Close)
		return s
	}})
}

// TestInvoke runs the suite against the compiled program behind the Invoke API, as the platform uses it.
func TestInvoke(t *testing.T) {
	suite(t, cloudtest.Sandbox(t))
}

// Scopes of the suite: the tested programs run as strangers, beside neighbour, whose runs they must not affect.
var (
	strangers = tenant.Scope{App: 1, Env: tenant.Production}
	neighbour = tenant.Scope{App: 2, Env: tenant.Production}
)

func suite(t *testing.T, runner sandbox.Runner) {
	t.Run("language", func(t *testing.T) { testLanguage(t, runner) })
	t.Run("conformance", func(t *testing.T) { testConformance(t, runner) })
	t.Run("logs", func(t *testing.T) { testLogs(t, runner) })
	t.Run("check", func(t *testing.T) { testCheck(t, runner) })
	t.Run("abuse", func(t *testing.T) { testAbuse(t, runner) })
}

// logOf returns the log of a result, compressed or not.
func logOf(t testing.TB, r sandbox.Result) string {
	t.Helper()
	if r.LogGzip == nil {
		return r.Log
	}
	text, err := compress.Gunzip(r.LogGzip)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// run runs the request and fails the test on an error of the sandbox itself.
func run(t testing.TB, runner sandbox.Runner, req sandbox.Request) sandbox.Result {
	t.Helper()
	r, err := runner.Run(t.Context(), strangers, sandbox.PlanFree, req)
	if err != nil {
		t.Fatalf("sandbox: %v", err)
	}
	return r
}

// failure returns the error of a result as "Type: message", or "" if there is none.
func failure(r sandbox.Result) string {
	if r.Error == nil {
		return ""
	}
	return strings.TrimSuffix(r.Error.Type+": "+r.Error.Message, ": ")
}

// perTenant is a sandbox.Runner that opens one runner per tenant.
type perTenant struct {
	open    func() sandbox.Runner
	mu      sync.Mutex
	runners map[tenant.Scope]sandbox.Runner
}

func (p *perTenant) Run(
	ctx context.Context, scope tenant.Scope, plan sandbox.Plan, req sandbox.Request,
) (sandbox.Result, error) {
	p.mu.Lock()
	r := p.runners[scope]
	if r == nil {
		if p.runners == nil {
			p.runners = map[tenant.Scope]sandbox.Runner{}
		}
		r = p.open()
		p.runners[scope] = r
	}
	p.mu.Unlock()
	return r.Run(ctx, scope, plan, req)
}
