// Package lambdahost runs programs as Lambda does: compiled bootstrap processes behind a Runtime API, one per
// concurrent invocation and per tenant.
//
//	Invoke ──► acquire ──► idle instance? ──────────────► send it the invocation
//	              │ none                                       ▲
//	              └─► start a process ──► its first "next" ────┘
//
//	instance:  starting ─next─► idle ─work─► busy ─response─► answered ─next─► idle
//	                 exit, timeout ─► dead, from any state
//
// An instance is reused only after it has asked for "next" again: between its response and that request it may still
// crash.
package lambdahost

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"time"

	"minicloud/infra/local/server"
	"minicloud/infra/local/stats"
	"minicloud/infra/local/template"
	"minicloud/infra/local/unkind"
	"minicloud/infra/local/watch"
)

// Limits of Lambda.
const (
	MaxPayload      = 6 * 1024 * 1024        // of a request and a response, bytes
	MaxAsyncPayload = 1024 * 1024            // of an Event invocation, bytes
	initTimeout     = 10 * time.Second       // from the start of the process to the first "next"
	maxAnswer       = MaxPayload + 100       // the limit that Lambda really applies
	defaultIdle     = 5 * time.Minute        // then an unused instance is ended
	defaultMax      = 256                    // concurrent processes
	latest          = "$LATEST"              // the only version
	sweepEvery      = 5 * time.Second        // interval of the search for idle instances
	connectionIdle  = 20 * time.Minute       // of the Runtime API; longer than a run, during which the connection is idle
	drainOutput     = 500 * time.Millisecond // wait for output after the process has exited
)

// Function is the configuration of a function.
type Function struct {
	Name        string
	Bootstrap   string // path of the program
	Timeout     time.Duration
	MemoryMB    int
	PerTenant   bool
	Reserved    int               // reserved concurrency; -1 means none
	AllowsLoops bool              // RecursiveLoop is Allow
	Environment map[string]string // in addition to Lambda's own variables
	Traced      bool              // its invocations are sampled for X-Ray
	LogGroup    string            // of its lines, for Config.Line
}

// Config is the configuration of a host.
type Config struct {
	Functions []Function
	Region    string
	LogDir    string    // folder with one log file per function
	Terminal  io.Writer // receives the error lines of the programs; nil discards them
	Max       int       // maximum concurrent processes; 0 means 256
	IdleFor   time.Duration
	Stats     *stats.Counters
	Metrics   *watch.Metrics
	Line      func(group string, line []byte) // called for each log line; nil for nobody
	Later     func(Request) error             // stores Event invocations; nil refuses them
	Unkind    *unkind.Switches                // freezes processes, limits new ones and their processor time; nil does none of it
}

// Host runs functions. Close kills every process.
type Host struct {
	cfg       Config
	functions map[string]*function
	listener  net.Listener
	server    *http.Server
	starts    chan struct{} // slots for starting processes
	closing   context.Context
	close     context.CancelFunc

	answeredFor time.Duration // constant except in tests

	mu        sync.Mutex
	pools     map[poolKey]*pool
	instances map[string]*instance
	crowded   []*pool // pools that found no capacity and retry soon
}

type function struct {
	Function
	arn     string
	log     *logFile
	running int    // running invocations; guarded by Host.mu
	starts  tokens // of new instances, see unkind.Scaling; guarded by Host.mu
}

type poolKey struct{ function, tenant string }

// New starts the Runtime API and returns the host. It starts no process before the first invocation.
func New(cfg Config) (*Host, error) {
	cfg.Max = cmp.Or(cfg.Max, defaultMax)
	cfg.IdleFor = cmp.Or(cfg.IdleFor, defaultIdle)
	cfg.Stats = cmp.Or(cfg.Stats, stats.New())

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}

	h := &Host{
		cfg: cfg, functions: map[string]*function{}, listener: listener,
		starts: make(chan struct{}, 2*runtime.NumCPU()+4),
		pools:  map[poolKey]*pool{}, instances: map[string]*instance{}, answeredFor: answeredFor,
	}
	h.closing, h.close = context.WithCancel(context.Background())
	for _, f := range cfg.Functions {
		log, err := openLog(cfg, f)
		if err != nil {
			// No server exists yet that would close the listener.
			listener.Close()
			return nil, err
		}

		h.functions[f.Name] = &function{
			Function: f, log: log,
			arn: "arn:aws:lambda:" + cfg.Region + ":" + template.Account + ":function:" + f.Name,
		}
	}

	h.server = server.New(http.HandlerFunc(h.runtimeAPI), server.Limits{Idle: connectionIdle})
	go h.server.Serve(listener)
	go h.sweep()

	return h, nil
}

// Close kills every process and waits until all have ended.
func (h *Host) Close() {
	h.close()
	h.mu.Lock()
	all := slices.Collect(maps.Values(h.instances))
	h.mu.Unlock()
	for _, i := range all {
		// An instance whose process is just being started has none yet; without this wait it would survive.
		if <-i.born; i.process != nil {
			i.process.Kill()
		}
	}

	for _, i := range all {
		if i.process != nil {
			<-i.process.Done()
		}
	}

	h.server.Close()
	for _, f := range h.functions {
		f.log.Close()
	}
}

// Request is one invocation.
type Request struct {
	Function string // function name
	Alias    string // the alias by which it is invoked; "" means the latest code
	Tenant   string // tenant ID; "" for none
	Payload  []byte // JSON
	Trace    string // trace header of the chain of requests; "" begins a chain
}

// Result is the result of an invocation.
type Result struct {
	Payload []byte
	// FunctionError is "Unhandled" if the program failed; the payload then contains {"errorType","errorMessage"}.
	FunctionError string
}

// Error is an error response of Lambda itself.
type Error struct {
	Status  int
	Type    string // such as "TooManyRequestsException"
	Message string
	Reason  string
}

func (e *Error) Error() string { return e.Type + ": " + e.Message }

// Invoker invokes functions and waits for their results; *Host implements it.
type Invoker interface {
	Invoke(ctx context.Context, req Request) (Result, error)
}

// Invoke runs the function and waits for its result. It returns an *Error if Lambda refuses the invocation, or the
// error of ctx; the invocation then continues.
func (h *Host) Invoke(ctx context.Context, req Request) (Result, error) {
	f, err := h.admit(req, MaxPayload)
	if err != nil {
		return Result{}, err
	}
	if err := h.follow(f, req.Trace); err != nil {
		return Result{}, err
	}
	if err := h.enter(f); err != nil {
		h.report(f, "Throttles", 1)
		return Result{}, err
	}

	h.cfg.Stats.Add("invoke", f.Name)
	type end struct {
		result Result
		err    error
	}
	finished := make(chan end, 1)
	go func() {
		r, err := h.run(f, req)
		h.observe(f, req.Alias, r, err)
		h.leave(f) // before the caller gets the result and invokes again
		finished <- end{r, err}
	}()
	select {
	case e := <-finished:
		return e.result, e.err
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
}

// run acquires an instance for an accepted invocation and waits for the result. It ignores the caller's context: an
// accepted invocation runs even if the caller hung up while its instance was starting.
func (h *Host) run(f *function, req Request) (Result, error) {
	i, err := h.acquire(h.closing, f, req.Tenant)
	if failed, ok := err.(initError); ok {
		return unhandled(failed), nil
	}
	if err != nil {
		return Result{}, err
	}
	inv := newInvocation(req.Payload, nextTrace(req.Trace, f.Name, f.Traced))
	begun := time.Now()
	i.begin(inv)
	result := i.wait(inv)
	h.cfg.Stats.AddN("billed", f.Name, int64((time.Since(begun)+time.Millisecond-1)/time.Millisecond))
	return result, nil
}

// report records a metric of Lambda, for the function and for all functions.
func (h *Host) report(f *function, metric string, value float64) {
	h.cfg.Metrics.Put("AWS/Lambda", metric, value, "FunctionName", f.Name)
	h.cfg.Metrics.Put("AWS/Lambda", metric, value)
}

// firstVersion is the version that all aliases name: the local cloud publishes nothing.
const firstVersion = "1"

// observe records the metrics of an invocation that has ended. Those of a version behind an alias are for alarms that
// stop a canary.
func (h *Host) observe(f *function, alias string, r Result, err error) {
	if refusal, ok := err.(*Error); ok && refusal.Status == http.StatusTooManyRequests {
		h.report(f, "Throttles", 1)
		return
	}
	failed := 0.0
	if err != nil || r.FunctionError != "" {
		failed = 1
	}
	h.report(f, "Invocations", 1)
	h.report(f, "Errors", failed)
	if alias != "" {
		h.cfg.Metrics.Put("AWS/Lambda", "Errors", failed,
			"FunctionName", f.Name, "Resource", f.Name+":"+alias, "ExecutedVersion", firstVersion)
	}
}

// Busy reports whether an invocation is running.
func (h *Host) Busy() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range h.functions {
		if f.running > 0 {
			return true
		}
	}
	return false
}

// admit validates a request, independently of the host's state.
func (h *Host) admit(req Request, limit int) (*function, error) {
	f := h.functions[req.Function]
	if f == nil {
		return nil, &Error{Status: http.StatusNotFound, Type: "ResourceNotFoundException",
			Message: "Function not found: arn:aws:lambda:" + h.cfg.Region + ":" + template.Account + ":function:" + req.Function}
	}

	invalid := ""
	switch {
	case f.PerTenant && req.Tenant == "":
		invalid = "The invoked function is enabled with tenancy configuration. " +
			"Add a valid tenant ID in your request and try again."
	case !f.PerTenant && req.Tenant != "":
		invalid = "The invoked function is not enabled with tenancy configuration. " +
			"Remove the tenant ID from your request and try again."
	// The empty tenant ID of a function without tenants matches too.
	case !tenantID.MatchString(req.Tenant):
		invalid = "The tenant ID must have 1 to 256 letters, digits, spaces and _.:/=+-@ characters."
	case len(req.Payload) > limit:
		return nil, &Error{Status: http.StatusRequestEntityTooLarge, Type: "RequestTooLargeException",
			Message: fmt.Sprintf("Request must be smaller than %d bytes for the InvokeFunction operation", limit)}
	}
	if invalid != "" {
		return nil, &Error{Status: http.StatusBadRequest, Type: "InvalidParameterValueException", Message: invalid}
	}

	return f, nil
}

// tenantID matches the tenant IDs that AWS allows, and the empty ID of functions without tenants.
var tenantID = regexp.MustCompile(`^[A-Za-z0-9 _.:/=+@-]{0,256}$`)

// enter counts an invocation against the reserved concurrency. It returns an *Error if the limit is reached.
func (h *Host) enter(f *function) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f.Reserved >= 0 && f.running >= f.Reserved {
		return tooMany("ReservedFunctionConcurrentInvocationLimitExceeded")
	}
	f.running++
	h.cfg.Metrics.Put("AWS/Lambda", "ClaimedAccountConcurrency", float64(h.claimedLocked()))
	return nil
}

// claimedLocked returns the concurrency that other functions cannot use: what is reserved, and what runs without.
func (h *Host) claimedLocked() (n int) {
	for _, f := range h.functions {
		if f.Reserved >= 0 {
			n += f.Reserved
		} else {
			n += f.running
		}
	}
	return n
}

func (h *Host) leave(f *function) {
	h.mu.Lock()
	f.running--
	h.mu.Unlock()
}

func tooMany(reason string) *Error {
	return &Error{
		Status: http.StatusTooManyRequests, Type: "TooManyRequestsException", Message: "Rate Exceeded.", Reason: reason,
	}
}

// InvokeLater accepts an Event invocation and passes it to Config.Later, which stores and runs it.
func (h *Host) InvokeLater(req Request) error {
	if _, err := h.admit(req, MaxAsyncPayload); err != nil {
		return err
	}
	if h.cfg.Later == nil {
		return &Error{
			Status: http.StatusNotImplemented, Type: "ServiceException", Message: "this host does not run Event invocations",
		}
	}
	return h.cfg.Later(req)
}
