package lambdahost

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"minicloud/infra/local/child"
	"minicloud/infra/local/iam"
	"minicloud/infra/local/queue"
)

// instance is one execution environment: a process.
type instance struct {
	id        string // unguessable: part of the URL of its Runtime API
	pool      *pool
	born      chan struct{}  // closed when process is set
	process   *child.Process // nil if it could not be started
	work      chan *invocation
	first     chan struct{} // closed at the first "next"
	started   time.Time     // of the process, set before born is closed
	asked     sync.Once
	idleSince time.Time   // guarded by Host.mu
	starting  bool        // before the first "next"; guarded by Host.mu
	coming    bool        // counted in pool.coming; guarded by Host.mu
	overdue   *time.Timer // timer that resets coming; guarded by Host.mu

	mu        sync.Mutex
	current   *invocation // the invocation sent since the last "next"
	expiry    *time.Timer
	initFault []byte // body of the program's request to init/error
}

// invocation is one invocation of an instance.
type invocation struct {
	id       string
	payload  []byte
	trace    string // header
	deadline time.Time
	done     chan Result // the first result counts
}

func newInvocation(payload []byte, trace string) *invocation {
	return &invocation{id: queue.NewID(), payload: payload, trace: trace, done: make(chan Result, 1)}
}

// finish delivers the result; later results are dropped.
func (inv *invocation) finish(r Result) {
	select {
	case inv.done <- r:
	default:
	}
}

// initError is the payload for invocations that waited for an instance that failed to start.
type initError []byte

func (e initError) Error() string { return string(e) }

// fault returns the payload of a failure in Lambda's format.
func fault(kind, message string) []byte {
	b, _ := json.Marshal(struct {
		Type    string `json:"errorType"`
		Message string `json:"errorMessage"`
	}{kind, message}) // two strings always encode
	return b
}

func unhandled(payload []byte) Result {
	return Result{Payload: payload, FunctionError: "Unhandled"}
}

func newInstance(p *pool) *instance {
	return &instance{
		id: rand.Text(), pool: p, born: make(chan struct{}), work: make(chan *invocation, 1), first: make(chan struct{}),
	}
}

// start starts the instance's process.
func (h *Host) start(i *instance) error {
	f := i.pool.function
	cmd := exec.Command(f.Bootstrap)
	cmd.Dir = filepath.Dir(f.Bootstrap)
	cmd.Env = h.environment(f, i.id)
	output := &lineWriter{log: f.log}
	cmd.Stdout, cmd.Stderr = output, output
	cmd.WaitDelay = drainOutput
	var err error
	i.started = time.Now()
	i.process, err = child.Start(cmd)
	// Close the channel on failure too: Close waits for it.
	close(i.born)
	if err != nil {
		h.forget(i)
		return initError(fault(
			"Runtime.InvalidEntrypoint", fmt.Sprintf("Couldn't start the program of %s: %v", f.Name, err),
		))
	}

	h.cfg.Stats.Add("starts", f.Name)
	go func() {
		<-i.process.Done()
		h.forget(i)
	}()

	return nil
}

func (h *Host) forget(i *instance) {
	h.mu.Lock()
	h.dropLocked(i)
	h.mu.Unlock()
}

// environment returns the variables that Lambda sets for a program. It does not include the variables of this process.
func (h *Host) environment(f *function, id string) []string {
	env := map[string]string{
		"AWS_LAMBDA_RUNTIME_API":          h.listener.Addr().String() + "/" + id,
		"AWS_LAMBDA_FUNCTION_NAME":        f.Name,
		"AWS_LAMBDA_FUNCTION_VERSION":     latest,
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": strconv.Itoa(f.MemoryMB),
		"AWS_LAMBDA_INITIALIZATION_TYPE":  "on-demand",
		"AWS_LAMBDA_LOG_GROUP_NAME":       "/aws/lambda/" + f.Name,
		"AWS_LAMBDA_LOG_STREAM_NAME":      time.Now().UTC().Format("2006/01/02") + "/[" + latest + "]" + id,
		"AWS_REGION":                      h.cfg.Region,
		"AWS_DEFAULT_REGION":              h.cfg.Region,
		"AWS_ACCESS_KEY_ID":               f.Name, // package iam identifies the caller by it
		"AWS_SECRET_ACCESS_KEY":           iam.Secret,
		"AWS_SESSION_TOKEN":               "local",
		"LAMBDA_TASK_ROOT":                filepath.Dir(f.Bootstrap),
		"LAMBDA_RUNTIME_DIR":              filepath.Dir(f.Bootstrap),
		"_HANDLER":                        "bootstrap",
		"LANG":                            "en_US.UTF-8",
		"TZ":                              ":UTC",
		"PATH":                            "/usr/local/bin:/usr/bin:/bin",
	}
	maps.Copy(env, f.Environment)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		out = append(out, name+"="+env[name])
	}
	return out
}

// awaitFirstNext waits until the instance is ready and returns an initError if it fails to start. The instance may
// have ended since.
func (i *instance) awaitFirstNext() error {
	select {
	case <-i.first:
		return nil
	case <-i.process.Done():
		i.mu.Lock()
		defer i.mu.Unlock()
		// A fault that the program reported itself is more specific than its exit status.
		if i.initFault != nil {
			return initError(i.initFault)
		}
		return initError(fault("Runtime.ExitError", "Error: Runtime exited with error: "+i.process.ExitText()))
	case <-time.After(initTimeout):
		i.process.Kill()
		return initError(fault(
			"Sandbox.Timedout", fmt.Sprintf("Error: Task timed out after %.2f seconds during init", initTimeout.Seconds()),
		))
	}
}

// begin sends an invocation to a waiting instance and starts its timeout.
func (i *instance) begin(inv *invocation) {
	f := i.pool.function
	inv.deadline = time.Now().Add(f.Timeout)
	i.mu.Lock()
	i.current = inv
	i.expiry = time.AfterFunc(f.Timeout, func() {
		inv.finish(unhandled(fault("Sandbox.Timedout",
			fmt.Sprintf("RequestId: %s Error: Task timed out after %.2f seconds", inv.id, f.Timeout.Seconds()))))
		i.process.Kill()
	})
	i.mu.Unlock()
	i.work <- inv
}

// wait returns the result of an invocation, a failure if the process ends without one.
func (i *instance) wait(inv *invocation) Result {
	select {
	case r := <-inv.done:
		return r
	case <-i.process.Done():
	}
	select {
	case r := <-inv.done:
		return r
	default:
	}
	return unhandled(fault("Runtime.ExitError",
		fmt.Sprintf("RequestId: %s Error: Runtime exited with error: %s", inv.id, i.process.ExitText())))
}

// settle is called when the instance asks for "next": it stops the timeout of the last invocation. If the program did
// not respond to that invocation, it fails.
func (i *instance) settle() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.current == nil {
		return
	}
	i.expiry.Stop()
	i.current.finish(unhandled(fault("Runtime.NoResponse",
		"RequestId: "+i.current.id+" Error: the program asked for the next event without answering this one")))
	i.current = nil
}

// running returns the invocation with this ID, or nil if the instance is not running it.
func (i *instance) running(id string) *invocation {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.current != nil && i.current.id == id {
		return i.current
	}
	return nil
}
