// Package process runs functions in a child process that may be killed.
//
// The program functions/sandbox is both: started by Lambda it is the supervisor,
// started by itself under the name "engine-child" it is the child. The child has
// an empty environment, no descriptors but two pipes, a memory limit, and as
// many walls as the kernel offers (seal). One child stays warm:
//
//	        start                 run              end, not spoiled
//	(none) ──────► starting ──► ready ──► running ─────────────────► ready
//	                  ▲                      │ spoiled, over time, crashed,
//	                  │                      │ broke the protocol, 1,000 runs
//	                  └───────── killed ◄────┘
//
// A killed child is replaced at once, while the answer travels. The supervisor
// believes nothing a child says beyond what one run of user code may say anyway:
// frames are bounded, unknown or misplaced ones end the child.
package process

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/runtime/engine"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// Limits of a supervisor.
const (
	grace    = 100 * time.Millisecond // how long a child may be over its time
	maxRuns  = 1000                   // runs after which a child is replaced anyway
	maxCalls = 50                     // host calls of one run under way (D24)
	checkFor = 6 * time.Second        // longest check
)

// HostCaller does what user code asks of the platform: op is "invoke",
// "request" or "api" (D24). The error's text is shown to user code.
type HostCaller interface {
	Call(ctx context.Context, host sandbox.Host, op string, payload json.RawMessage) (json.RawMessage, error)
}

// Supervisor runs one request at a time in a warm child. The zero value with
// Log set works; Close it.
type Supervisor struct {
	Caller HostCaller
	Log    *slog.Logger
	// Executable is the program to start as child; default this one.
	Executable string
	// MemoryMB is the largest guest heap, which sizes the child's own memory
	// limit; default 256.
	MemoryMB int
	// Observe, when set, is told about every run.
	Observe func(Observation)

	mu     sync.Mutex // held during a run
	next   chan started
	absent sync.Once
}

// Observation is one run as seen from outside, for metrics. It holds
// no application data.
type Observation struct {
	Op        sandbox.Op
	Outcome   sandbox.Outcome
	Duration  time.Duration // as the caller of Run saw it
	Execution time.Duration // user code
	Memory    int64         // peak bytes of guest heap
	Cold      bool          // the child had not run anything before
	Killed    bool          // the child had to be killed or crashed
}

type started struct {
	worker *worker
	err    error
}

var _ sandbox.Runner = (*Supervisor)(nil)

// Warm starts a child if none is there, so that the first run finds it ready.
func (s *Supervisor) Warm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prepare()
}

// Close ends the child.
func (s *Supervisor) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		return
	}
	if child := <-s.next; child.worker != nil {
		child.worker.discard()
		<-child.worker.gone
	}
	s.next = nil
}

// Run implements sandbox.Runner. A sandbox has one tenant and one size, so
// scope and plan are not looked at; req says the limits.
func (s *Supervisor) Run(
	ctx context.Context, _ tenant.Scope, _ sandbox.Plan, req sandbox.Request,
) (sandbox.Result, error) {
	if err := s.validate(req); err != nil {
		return sandbox.Result{}, err
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	began := time.Now()
	w, err := s.take()
	if err != nil {
		return sandbox.Result{}, sandbox.NotStarted(fmt.Sprintf("the sandbox cannot start: %v", err))
	}

	r := newSession(s, w, req)
	// Before the run: giveBack counts it.
	cold := w.runs == 0
	result, err := r.serve(ctx)
	s.giveBack(r)
	if s.Observe != nil {
		s.Observe(Observation{
			Op: req.Op, Outcome: result.Outcome, Duration: time.Since(began), Cold: cold, Killed: r.killed,
			Execution: time.Duration(result.ExecutionMS * float64(time.Millisecond)), Memory: result.MemUsage,
		})
	}

	return result, err
}

func (s *Supervisor) validate(req sandbox.Request) error {
	most := cmp.Or(s.MemoryMB, maxMemoryMB)
	switch {
	case req.Op != sandbox.OpRun && req.Op != sandbox.OpCheck:
		return errs.Invalid("op %q is not known", req.Op)
	case req.Function == "":
		return errs.Invalid("function is missing")
	// A check runs nothing, so it needs no limits.
	case req.Op == sandbox.OpCheck:
		return nil
	case req.TimeoutMS < 1 || req.TimeoutMS > 300_000:
		return errs.Invalid("timeout_ms is %d, want 1 to 300000", req.TimeoutMS)
	case req.MemoryMB < 8 || req.MemoryMB > most:
		return errs.Invalid("memory_mb is %d, want 8 to %d", req.MemoryMB, most)
	case len(req.Event) > 0 && !json.Valid(req.Event):
		return errs.Invalid("event is not JSON")
	}

	return nil
}

// prepare starts a child in the background unless one is there or coming.
func (s *Supervisor) prepare() {
	if s.next != nil {
		return
	}
	next := make(chan started, 1)
	s.next = next
	go func() {
		w, err := s.start()
		next <- started{w, err}
	}()
}

func (s *Supervisor) start() (*worker, error) {
	path := s.Executable
	if path == "" {
		var err error
		if path, err = self(); err != nil {
			return nil, err
		}
	}
	return startWorker(path, cmp.Or(s.MemoryMB, maxMemoryMB))
}

// take waits for the child, and starts another if it died while idle.
func (s *Supervisor) take() (*worker, error) {
	for try := 0; ; try++ {
		// A second child is tried: the first may have died while idle.
		s.prepare()
		child := <-s.next
		s.next = nil
		if child.err == nil {
			if child.err = child.worker.idle(); child.err == nil {
				s.report(child.worker)
				return child.worker, nil
			}
		}
		if try == 1 {
			return nil, child.err
		}
	}
}

// report logs once which walls are missing.
func (s *Supervisor) report(w *worker) {
	s.absent.Do(func() {
		if len(w.absent) > 0 && s.Log != nil {
			s.Log.Warn("sandbox: walls this kernel does not offer", "absent", w.absent)
		}
	})
}

// giveBack keeps the child for the next run or replaces it.
func (s *Supervisor) giveBack(r *session) {
	w := r.worker
	w.runs++
	if !r.killed && !r.spoiled && w.runs < maxRuns {
		s.next = make(chan started, 1)
		s.next <- started{worker: w}
		return
	}
	w.discard()
	s.prepare()
}

// failed is the result of a run that the child did not survive.
func failed(kind, message string) engine.Settlement {
	return engine.Settlement{
		Outcome: sandbox.OutcomeExecutionFailed, Error: &sandbox.Error{Type: kind, Message: message},
	}
}
