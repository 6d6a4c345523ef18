// Package sandbox measures the sandbox: a fresh run in the engine, in the child,
// and through the Invoke API; what a killed child costs; what an idle pair of
// supervisor and child occupies; and the same function elsewhere.
package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"minicloud/infra/lab/bench/measure"
	"minicloud/infra/local/lambdahost"
	"minicloud/shared/sandbox"
	"minicloud/shared/sandbox/engine"
	"minicloud/shared/sandbox/process"
	"minicloud/shared/sandbox/remote"
	"minicloud/shared/sandbox/sandboxtest"
	"minicloud/shared/tenant"
)

// trivial is the function every engine is compared with.
const trivial = `exports.main = async (event) => ({ sum: event.data.n + 1 })`

const rounds = 2000

// Run prints the figures of the sandbox.
func Run(ctx context.Context, r measure.Report) error {
	dir, err := os.MkdirTemp("", "bench-sandbox")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "bootstrap")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", program, "./functions/sandbox")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build sandbox: %w\n%s", err, out)
	}

	fresh, err := inEngine(r)
	if err != nil {
		return err
	}
	if err := modules(r, fresh); err != nil {
		return err
	}
	if err := inCrypto(r); err != nil {
		return err
	}
	if err := inChild(ctx, r, program); err != nil {
		return err
	}
	if err := overInvoke(ctx, r, program, dir); err != nil {
		return err
	}

	return elsewhere(ctx, r, dir, fresh)
}

// quiet is a Host for functions that neither log nor call.
type quiet struct{}

func (quiet) Log(string, string)           {}
func (quiet) Settled(engine.Settlement)    {}
func (quiet) Call(int32, string, string)   {}
func (quiet) Replies() <-chan engine.Reply { return nil }

func job(code string) engine.Job {
	req := sandboxtest.Request(code)
	return engine.Job{
		Function: req.Function, Digest: req.Digest, Source: func() ([]byte, error) { return []byte(code), nil },
		Event: req.Event, Timeout: 5 * time.Second, Memory: 128 << 20,
	}
}

// inEngine measures what happens inside the child, on one core.
func inEngine(r measure.Report) (time.Duration, error) {
	e, err := process.NewEngine(128 << 20)
	if err != nil {
		return 0, err
	}
	defer e.Close()
	times := func(code string, n int) (measure.Series, error) {
		j := job(code)
		return measure.Times(50, n, func() error {
			report := e.Run(j, quiet{})
			e.Reset()
			if report.Error != nil {
				return fmt.Errorf("%s: %s", report.Error.Type, report.Error.Message)
			}
			return nil
		})
	}
	fresh, err := times(trivial, rounds)
	if err != nil {
		return 0, err
	}

	micros(r, "fresh isolated run in the child", fresh, "≤ 300 µs")
	total := time.Duration(0)
	for _, d := range fresh {
		total += d
	}

	r.Row("runs per second, one core", fmt.Sprintf("%.0f/s", float64(len(fresh))/total.Seconds()), "≥ 3500/s", "")
	logging, err := times(`exports.main = async () => { console.log('hello', { a: [1, 2] }); return 1 }`, rounds)
	if err != nil {
		return 0, err
	}

	micros(r, "fresh run that logs an object", logging, "")
	large, err := times(largeCode(), 300)
	if err != nil {
		return 0, err
	}

	r.Series("fresh run of 165 KB of code, cached bytecode", large, "≤ 4 ms")

	return fresh.Median(), nil
}

// largeCode is 165 KB of functions that main calls one of.
func largeCode() string {
	var b strings.Builder
	for i := 0; b.Len() < 165_000; i++ {
		fmt.Fprintf(
			&b,
			"function f%d(a, b) { const o = { a, b, name: 'f%d' }; if (a > %d) return [o, ...Object.entries(o)]; return `${a}-${b}-%d`; }\n",
			i, i, i, i,
		)
	}
	return b.String() + "exports.main = async () => f7(1, 2)"
}

func inChild(ctx context.Context, r measure.Report, program string) error {
	s := &process.Supervisor{Executable: program, MemoryMB: 128}
	defer s.Close()
	one := func(code string) func() error {
		req := sandboxtest.Request(code)
		return func() error {
			_, err := s.Run(ctx, tenant.Scope{}, sandbox.PlanFree, req)
			return err
		}
	}
	run := one(trivial)
	times, err := measure.Times(100, rounds, run)
	if err != nil {
		return err
	}

	micros(r, "run through the supervisor's pipes", times, "")
	replaced, err := measure.Times(1, 30, func() error {
		s.Close()
		return run()
	})
	if err != nil {
		return err
	}

	r.Series("child replaced: start, seal, first run", replaced, "≤ 15 ms")

	return nil
}

// overInvoke measures the compiled program behind the local Invoke API.
func overInvoke(ctx context.Context, r measure.Report, program, dir string) error {
	runner, stop, err := Host(program, dir)
	if err != nil {
		return err
	}
	defer stop()
	scope := tenant.Scope{App: 1, Env: tenant.Production}
	req := sandboxtest.Request(trivial)
	once := func() error {
		result, err := runner.Run(ctx, scope, sandbox.PlanFree, req)
		if err == nil && result.Error != nil {
			err = fmt.Errorf("%s", result.Error.Message)
		}
		return err
	}
	first, err := measure.Times(0, 1, once)
	if err != nil {
		return err
	}

	r.Series("program start to first answer, through Invoke", first, "≤ 15 ms")
	times, err := measure.Times(100, rounds, once)
	if err != nil {
		return err
	}

	r.Series("run through the local Invoke API", times, "≤ 1 ms")
	time.Sleep(300 * time.Millisecond)
	idle, err := occupied(os.Getpid())
	if err != nil {
		return err
	}

	r.Row(
		"idle supervisor and child, resident", fmt.Sprintf("%.1f MB", idle.pair), "≤ 40 MB",
		fmt.Sprintf("%.1f MB without what files back", idle.private),
	)
	r.Row("warm child alone, resident", fmt.Sprintf("%.1f MB", idle.child), "≤ 30 MB", "")

	return nil
}

// Host serves the program as both sandbox functions behind a local Invoke API
// and returns a runner that reaches it.
func Host(program, dir string) (*remote.Runner, func(), error) {
	function := func(name string, memory int) lambdahost.Function {
		return lambdahost.Function{
			Name: name, Bootstrap: program, Timeout: 310 * time.Second, MemoryMB: memory, PerTenant: true, Reserved: -1,
		}
	}
	host, err := lambdahost.New(lambdahost.Config{
		Functions: []lambdahost.Function{function("free", 256), function("personal", 512)}, Region: "local", LogDir: dir,
	})
	if err != nil {
		return nil, nil, err
	}

	server := httptest.NewServer(host)
	runner := remote.New(aws.Config{
		Region: "local", BaseEndpoint: aws.String(server.URL),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	}, "free", "personal")
	return runner, func() { server.Close(); host.Close() }, nil
}

func micros(r measure.Report, name string, s measure.Series, bound string) {
	us := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
	r.Row(name, fmt.Sprintf("%.0f µs", us(s.Median())), bound, fmt.Sprintf("p95 %.0f µs, n %d", us(s.P(0.95)), len(s)))
}

// eventJSON is the event of the comparison runs.
func eventJSON() string {
	b, err := json.Marshal(map[string]any{"data": map[string]any{"n": 20}})
	if err != nil {
		panic(err) // literals marshal
	}
	return string(b)
}
