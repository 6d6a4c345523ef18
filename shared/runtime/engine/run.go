package engine

import (
	"encoding/json"
	"fmt"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"minicloud/shared/runtime/engine/bridge"
	"minicloud/shared/runtime/engine/compile"
	"minicloud/shared/runtime/engine/realm"
	"minicloud/shared/runtime/quickjs"
	"minicloud/shared/sandbox"
)

// maxCalls is the maximum number of concurrent host calls of one run (D24).
const maxCalls = 50

// describeRoom is the heap space above the limit for describing an error after the run has used up its memory.
const describeRoom = 1 << 20

// run is the state of one run outside the JavaScript heap.
type run struct {
	bridge.Bridge // calls of operations in Go, and the deadline
	world         *world
	job           Job
	host          Host
	file          string
	started       time.Time

	timers     timers
	calls      int
	loading    realm.Value // promise of the ES module while it is evaluated
	namespace  realm.Value
	event      realm.Value
	rejections rejections
	imports    map[uint32]imported // by module definition
	wrapped    bool                // columns of line 1 include the wrapper
	stopped    bool                // stopped in the middle of an operation: the world must not be used any more
	broken     string              // why the engine failed
	places     *regexp.Regexp      // matches positions of the user's file in texts
	lines      []string            // lines of the source, read when positions first needs them

	settled     bool
	settledAt   time.Time
	settlement  Settlement
	lastFailure *sandbox.Error // first unhandled rejection, the error of the run if main never settles
}

// Run runs one job to its end in a fresh heap; it always returns a report.
func (e *Engine) Run(job Job, host Host) Report {
	started := time.Now()
	e.Reset()
	e.fresh = false
	e.Heap.SetLimit(job.Memory)
	r := &run{
		world: &e.world, job: job, host: host, file: fileName(job.Function), loading: realm.Undefined,
		started: started, Bridge: bridge.Bridge{Realm: &e.Realm, Deadline: started.Add(job.Timeout)},
	}
	e.world.run = r
	defer func() { e.world.run = nil }()
	// Seed random numbers for each run, because the template would repeat them.
	r.guarded(func() {
		e.reseed()
		r.start(e)
		r.loop()
	})
	return r.report()
}

// grace is the time after the deadline until the engine is stopped. Before that it ends at its next interrupt
// check, but loops inside the engine have none.
const grace = 20 * time.Millisecond

// guarded runs the engine until it ends or is stopped. A stop leaves the world in the middle of an operation, so it
// must not be used again before its memory is restored.
func (r *run) guarded(f func()) {
	// The alarm stops loops without an interrupt check; SetPanicOnFault turns a fault in mapped memory into a
	// panic.
	cancel := alarm(time.Until(r.Deadline)+grace, r.world.VM.Stop)
	defer r.world.VM.Go()
	defer cancel()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch p := recover(); p.(type) {
		case nil:
		case quickjs.Stopped:
			r.Interrupted, r.stopped = true, true
		default:
			r.broken, r.stopped = fmt.Sprint(p), true
		}
	}()
	f()
}

// alarm calls stop after d. cancel waits for a stop that has begun, because a late stop would hit the next run.
func alarm(d time.Duration, stop func()) (cancel func()) {
	done := make(chan struct{})
	timer := time.AfterFunc(d, func() {
		defer close(done)
		stop()
	})
	return func() {
		if !timer.Stop() {
			<-done
		}
	}
}

// start loads the code and calls main, or starts loading an ES module.
func (r *run) start(e *Engine) {
	w := r.world
	program, failure := e.program(r.job)
	r.wrapped = !program.Module
	if failure != nil {
		r.failToLoad(failure)
		return
	}
	if r.begin(); r.settled {
		return
	}

	code := compile.Read(&w.Realm, program.Bytecode)
	if realm.IsException(code) {
		r.reject(w.Caught())
		return
	}
	if program.Module {
		r.loadModule(code)
		return
	}

	// CommonJS: the compiled code is a function of exports, require and module.
	body := realm.Value(w.VM.Evaluate(uint64(code)))
	exports := w.Call(w.boot.wrap, realm.Undefined, body, w.NewString(r.file))
	if realm.IsException(exports) {
		r.reject(w.Caught())
		return
	}

	r.callMain(exports)
}

// failToLoad settles the run with a compile error; its position becomes the stack.
func (r *run) failToLoad(p *compile.Problem) {
	switch {
	case r.Interrupted:
	case r.world.Heap.Refused != 0:
		r.settle(Settlement{Outcome: sandbox.OutcomeExecutionFailed, Error: MemoryExceeded(r.job.Memory)})
	case p.Line == 0:
		r.fail(p.Kind, p.Message)
	default:
		r.settle(Settlement{Outcome: sandbox.OutcomeExecutionFailed, Error: &sandbox.Error{
			Type: p.Kind, Message: p.Message, Stack: fmt.Sprintf("at %s:%d:%d", r.file, p.Line, p.Column),
		}})
	}
}

func (r *run) fail(kind, message string) {
	r.settle(Settlement{Outcome: sandbox.OutcomeExecutionFailed, Error: &sandbox.Error{Type: kind, Message: message}})
}

// begin passes the event and the variables to the prelude.
func (r *run) begin() {
	w := r.world
	variables := []byte("{}")
	if len(r.job.Variables) > 0 {
		var err error
		if variables, err = json.Marshal(r.job.Variables); err != nil {
			panic(err) // maps of strings can be marshalled
		}
	}

	event := r.job.Event
	if len(event) == 0 {
		event = json.RawMessage("{}")
	}
	if r.event = w.parse(event); realm.IsException(r.event) {
		r.reject(w.Caught())
		return
	}

	v := w.Call(w.hooks.begin, realm.Undefined, w.NewString(r.file), w.NewString(string(variables)), r.event)
	if realm.IsException(v) {
		r.reject(w.Caught())
	}
}

func (w *world) parse(text []byte) realm.Value {
	at, giveBack := w.Lend(string(text))
	defer giveBack()
	if at == 0 {
		return w.NoMemory()
	}
	return realm.Value(w.VM.Parse(at, uint32(len(text))))
}

func (r *run) callMain(exports realm.Value) {
	if v := r.world.Call(r.world.boot.start, realm.Undefined, exports, r.event); realm.IsException(v) {
		r.reject(r.world.Caught())
	}
}

// loop is the event loop: it runs microtasks, then timers and replies, until no work is left or the time is up.
func (r *run) loop() {
	for {
		if !r.drain() || r.loaded() || r.Late() {
			if r.Late() {
				return
			}
			continue
		}
		// Run one timer at a time: microtasks run between two timers, as in Node.
		if id, ok := r.timers.pop(time.Now()); ok {
			r.fire(r.world.hooks.fire, realm.NewInt(id))
			continue
		}
		if !r.wait() {
			return
		}
	}
}

// drain runs microtasks until none is left, then reports unhandled rejections. It returns false if the run was
// interrupted.
func (r *run) drain() bool {
	w := r.world
	// Drop a context set by enterWith: it ends with the code that set it.
	w.Drop(realm.Value(w.VM.ChangeContext(uint64(realm.Undefined))))
	for n := 0; ; n++ {
		if n&63 == 63 && r.Late() {
			return false
		}

		ran := int32(w.VM.RunJob())
		if r.Interrupted {
			return false
		}
		if ran < 0 {
			r.uncaughtPending()
		}
		if ran == 0 {
			break
		}
	}

	r.reportRejections()
	return !r.Interrupted
}

// fire calls a function of the prelude and reports an exception as uncaught.
func (r *run) fire(f realm.Value, args ...realm.Value) {
	v := r.world.Call(f, realm.Undefined, args...)
	if realm.IsException(v) {
		r.uncaughtPending()
	}
	r.world.Drop(v)
}

// wait waits for the next timer or reply; it returns false if there can be none.
func (r *run) wait() bool {
	due, timed := r.timers.next()
	if r.timers.held == 0 && r.calls == 0 {
		// A timer after unref() keeps the run alive only while main waits for it.
		if r.settled || !timed || !realm.IsTrue(r.world.Get(r.world.boot.state, "pending")) {
			return false
		}
	}

	if !timed || due.After(r.Deadline) {
		due = r.Deadline
	}

	alarm := time.NewTimer(time.Until(due))
	defer alarm.Stop()
	select {
	case <-alarm.C:
	case reply := <-r.host.Replies():
		r.receive(reply)
	}

	return true
}

func (r *run) receive(reply Reply) {
	w := r.world
	r.calls--
	text := w.NewString(reply.Text)
	r.fire(w.hooks.settle, realm.NewInt(reply.ID), realm.NewBool(reply.OK), text)
	w.Drop(text)
}

func (r *run) fulfil(text string) {
	if len(text) > MaxResult {
		r.fail("ResultTooLarge", fmt.Sprintf("the result is %d bytes, at most %d are allowed", len(text), MaxResult))
		return
	}
	r.settle(Settlement{Outcome: sandbox.OutcomeFulfilled, Data: json.RawMessage(realm.WellFormed(text))})
}

// reject settles the run with a thrown value, unless it is already settled or interrupted.
func (r *run) reject(thrown realm.Value) {
	if r.settled || r.Interrupted {
		return
	}
	if failure := r.describe(thrown); failure != nil {
		r.settle(Settlement{Outcome: sandbox.OutcomeExecutionFailed, Error: failure})
	}
}

func (r *run) settle(s Settlement) {
	if r.settled {
		return
	}
	r.settled, r.settledAt, r.settlement = true, time.Now(), s
	r.host.Settled(s)
}

// report returns the result of the run after the event loop has ended.
func (r *run) report() Report {
	h := r.world.Heap
	if !r.settled {
		r.settle(r.unsettled())
	} else {
		r.logOvertime()
	}
	return Report{
		Settlement: r.settlement,
		Elapsed:    time.Since(r.started),
		Peak:       int64(h.Peak),
		Spoiled:    r.broken != "" || r.Abandoned,
	}
}

// longOvertime is the time after the result from which the log mentions that the run continued; the owner pays for
// that time.
const longOvertime = time.Second

// logOvertime logs how long the run continued after its result, and what was still pending when its time was up.
func (r *run) logOvertime() {
	over := time.Since(r.settledAt)
	if over < longOvertime && !r.Interrupted {
		return
	}

	text := fmt.Sprintf("the run went on for %d ms after its result", over.Milliseconds())
	if r.Interrupted {
		text += ", until its time was up; left: " + r.left()
	}
	r.host.Log("WARN", text)
}

// left describes what keeps the run alive.
func (r *run) left() string {
	var parts []string
	for _, part := range []struct {
		n         int
		one, many string
	}{
		{r.timers.held, "timer or interval", "timers or intervals"},
		{r.calls, "BaaS call", "BaaS calls"},
	} {
		switch {
		case part.n == 1:
			parts = append(parts, "1 "+part.one)
		case part.n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.many))
		}
	}
	if len(parts) == 0 {
		return "code that was still running"
	}

	return strings.Join(parts, ", ")
}

// unsettled is the outcome of a run whose main gave no result.
func (r *run) unsettled() Settlement {
	failed := func(e *sandbox.Error) Settlement {
		return Settlement{Outcome: sandbox.OutcomeExecutionFailed, Error: e}
	}
	switch {
	case r.broken != "":
		return failed(&sandbox.Error{Type: "InternalError", Message: "the engine failed: " + r.broken})
	case r.Interrupted:
		late := TimedOut(r.job.Timeout)
		if !r.stopped && realm.IsTrue(r.world.Get(r.world.boot.state, "empty")) {
			late.Error.Message += "; main returned undefined"
		}
		return late
	// User code may have caught the out-of-memory error and then never settled.
	case r.world.Heap.Refused != 0:
		return failed(MemoryExceeded(r.job.Memory))
	case r.lastFailure != nil:
		return failed(r.lastFailure)
	case !realm.IsUndefined(r.loading):
		return failed(&sandbox.Error{
			Type: "Error", Message: "the module never finished loading: a top-level await waits for nothing",
		})
	}

	return failed(&sandbox.Error{
		Type: "NoResultError", Message: "main gave no result: return a value (null is one) or call callback(null, data)",
	})
}

// TimedOut returns the settlement of a run that reached its time limit (D18).
func TimedOut(limit time.Duration) Settlement {
	return Settlement{Outcome: sandbox.OutcomeDeadlineExceeded, Error: &sandbox.Error{
		Type: "TimeoutError", Message: "function timed out after " + strconv.FormatInt(limit.Milliseconds(), 10) + " ms",
	}}
}

// MemoryExceeded returns the error of a run that used up its heap (D18).
func MemoryExceeded(limit int64) *sandbox.Error {
	return &sandbox.Error{Type: "MemoryError", Message: "function exceeded " + strconv.FormatInt(limit>>20, 10) + " MB"}
}
