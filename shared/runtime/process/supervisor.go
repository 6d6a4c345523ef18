// Package process runs functions in a child process that it can kill.
//
// The program functions/sandbox is both processes: started by Lambda it is the supervisor, started by itself under
// the name "engine-child" it is the child. The child has an empty environment, no descriptors except two pipes, a
// memory limit, and the kernel's restrictions, called walls (seal). One child is kept warm:
//
//	        start                 run              end, not spoiled
//	(none) ──────► starting ──► ready ──► running ─────────────────► ready
//	                  ▲                      │ spoiled, over time, crashed,
//	                  │                      │ protocol violation, 1,000 runs
//	                  └───────── killed ◄────┘
//
// A killed child is replaced at once, while the response is being sent. The supervisor does not trust the child: it
// accepts only what user code may cause anyway. Frames have a maximum size, and an unknown or misplaced frame ends
// the child.
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
	grace    = 100 * time.Millisecond // time between a run's limit and the kill of its child
	maxRuns  = 1000                   // runs after which a child is replaced
	maxCalls = 50                     // concurrent host calls of one run (D24)
	checkFor = 6 * time.Second        // time limit of a check
)

// HostCaller executes host calls of user code; op is "invoke", "request" or "api" (D24). User code sees the text of
// the error.
type HostCaller interface {
	Call(ctx context.Context, host sandbox.Host, op string, payload json.RawMessage) (json.RawMessage, error)
}

// Supervisor runs one request at a time in a warm child. The zero value is ready to use; Log and Caller are
// optional. Close it after use.
type Supervisor struct {
	Caller HostCaller
	Log    *slog.Logger
	// Executable is the program to start as the child; default: this program.
	Executable string
	// MemoryMB is the largest guest heap and determines the memory limit of the child; default 256.
	MemoryMB int
	// Observe, if set, is called after every run.
	Observe func(Observation)

	mu     sync.Mutex // held during a run
	next   chan started
	absent sync.Once
}

// Observation holds the metrics of one run. It contains no application data.
type Observation struct {
	Op        sandbox.Op
	Outcome   sandbox.Outcome
	Duration  time.Duration // from the call of Run, as its caller sees it
	Execution time.Duration // time of user code
	Memory    int64         // peak bytes of guest heap
	Cold      bool          // the first run of the child
	Killed    bool          // the child was killed or crashed
}

type started struct {
	worker *worker
	err    error
}

// Warm starts a child if there is none, so that the first run need not wait.
func (s *Supervisor) Warm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prepare()
}

// Close ends the child. Warm or Run may start another.
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

// Run implements sandbox.Runner. A sandbox serves one tenant and one plan, so it ignores both arguments; req has
// the limits.
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
	// Read runs before giveBack increments it.
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
	// A check runs no code, so it needs no limits.
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

// prepare starts a child in the background unless one is ready or starting.
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

// take returns the child; if it died while idle, take starts another.
func (s *Supervisor) take() (*worker, error) {
	for try := 0; ; try++ {
		// Try a second child: the first may have died while idle.
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

// report logs the missing walls once.
func (s *Supervisor) report(w *worker) {
	s.absent.Do(func() {
		if len(w.absent) > 0 && s.Log != nil {
			s.Log.Warn("sandbox: walls this kernel does not offer", "absent", w.absent)
		}
	})
}

// giveBack keeps the child for the next run, or replaces it.
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

// failed returns the settlement of a run whose child did not survive.
func failed(kind, message string) engine.Settlement {
	return engine.Settlement{
		Outcome: sandbox.OutcomeExecutionFailed, Error: &sandbox.Error{Type: kind, Message: message},
	}
}
