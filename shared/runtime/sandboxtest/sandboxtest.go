// Package sandboxtest is the suite every sandbox.Runner must pass: the language
// as D16–D24 have it (language.go, conformance.go), and programs that try to do
// harm (abuse.go). It runs against the child directly and through the Invoke API.
package sandboxtest

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"

	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// Scopes of the suite: programs that do harm run beside one that must not notice.
var (
	strangers = tenant.Scope{App: 1, Env: tenant.Production}
	neighbour = tenant.Scope{App: 2, Env: tenant.Production}
)

// Run runs the whole suite.
func Run(t *testing.T, runner sandbox.Runner) {
	t.Run("language", func(t *testing.T) { Language(t, runner) })
	t.Run("conformance", func(t *testing.T) { Conformance(t, runner) })
	t.Run("logs", func(t *testing.T) { Logs(t, runner) })
	t.Run("check", func(t *testing.T) { Check(t, runner) })
	t.Run("abuse", func(t *testing.T) { Abuse(t, runner) })
}

// Request returns a run of code with 64 MB and a time that no program but an
// endless one uses up, on the busiest machine: 30 s.
func Request(code string) sandbox.Request {
	sum := sha256.Sum256([]byte(code))
	return sandbox.Request{
		Op: sandbox.OpRun, JobID: "1", Function: "hello", Code: Compress(code), Digest: hex.EncodeToString(sum[:]),
		Event: json.RawMessage(`{"data":{"n":20},"eventType":"open_api"}`), TimeoutMS: 30_000, MemoryMB: 64,
	}
}

// Compress returns code as a Request carries it.
func Compress(code string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(code)); err != nil {
		panic(err) // a bytes.Buffer takes everything
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// LogOf returns the log of a result, wherever it is.
func LogOf(t testing.TB, r sandbox.Result) string {
	t.Helper()
	if r.LogGzip == nil {
		return r.Log
	}
	z, err := gzip.NewReader(bytes.NewReader(r.LogGzip))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
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

// failure is the error of a result as "Type: message", "" when there is none.
func failure(r sandbox.Result) string {
	if r.Error == nil {
		return ""
	}
	return strings.TrimSuffix(r.Error.Type+": "+r.Error.Message, ": ")
}

// PerTenant gives every tenant a runner of its own, as Lambda does.
func PerTenant(open func() sandbox.Runner) sandbox.Runner { return &perTenant{open: open} }

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
