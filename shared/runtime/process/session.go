package process

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/runtime/engine"
	"minicloud/shared/sandbox"
)

// errCancelled means that the caller cancelled during the run. It is not sandbox.ErrNotStarted, because the run had
// begun.
var errCancelled = errors.New("process: the run was cancelled")

// session is the processing of one request by one child.
type session struct {
	supervisor *Supervisor
	worker     *worker
	req        sandbox.Request
	log        *transcript
	began      time.Time
	limit      time.Duration

	settlement *engine.Settlement
	end        *end
	killed     bool
	spoiled    bool
	pending    atomic.Int32 // host calls in progress
	answering  sync.Mutex   // held while a reply is sent
	calls      sync.WaitGroup
}

func newSession(s *Supervisor, w *worker, req sandbox.Request) *session {
	limit := time.Duration(req.TimeoutMS) * time.Millisecond
	if req.Op == sandbox.OpCheck {
		limit = checkFor
	}
	return &session{supervisor: s, worker: w, req: req, log: newTranscript(req), began: time.Now(), limit: limit}
}

func (r *session) serve(ctx context.Context) (sandbox.Result, error) {
	if r.req.Op == sandbox.OpCheck {
		return r.check(ctx)
	}
	r.log.begin(r.began, r.req.Event)
	calls, cancel := context.WithCancel(ctx)
	err := r.send(frameRun)
	if err == nil {
		err = r.listen(ctx, calls)
	}
	// Wait for the host calls before returning the result: their replies must not reach the next run.
	cancel()
	r.calls.Wait()
	if err != nil {
		return sandbox.Result{}, err
	}
	return r.result()
}

func (r *session) send(kind frameKind) error {
	header, err := value.Encode(runHeader{
		Function: r.req.Function, Digest: r.req.Digest, TimeoutMS: r.req.TimeoutMS, MemoryMB: r.req.MemoryMB,
		Variables: r.req.Variables, CodeSize: len(r.req.Code),
	})
	if err != nil {
		return err
	}
	if err := r.worker.out.write(kind, joined(header, r.req.Code, r.req.Event)...); err != nil {
		r.killed = true // listen finds the reason
	}
	return nil
}

// listen handles the child's frames until the run ends or the child dies or is killed.
func (r *session) listen(ctx, calls context.Context) error {
	alarm := time.NewTimer(r.limit + grace)
	defer alarm.Stop()
	for r.end == nil {
		select {
		case f, ok := <-r.worker.frames:
			if !ok {
				r.crashed()
				return nil
			}
			if err := r.receive(calls, f); err != nil {
				r.kill(failed("InternalError", "the sandbox broke while running the function"))
				return nil
			}
		// The engine did not stop by itself, for example in a native loop, so kill the child.
		case <-alarm.C:
			r.kill(engine.TimedOut(r.limit))
			return nil
		case <-ctx.Done():
			r.kill(engine.TimedOut(r.limit))
			return errCancelled
		}
	}

	return nil
}

// kill kills the child; s becomes the settlement unless the run was already settled.
func (r *session) kill(s engine.Settlement) {
	r.killed = true
	r.worker.kill()
	if r.settlement == nil {
		r.settlement = &s
	}

	// Read the log lines that were written before the kill; they are still in the pipe.
	for until := time.After(grace / 2); ; {
		select {
		case f, ok := <-r.worker.frames:
			if !ok {
				return
			}
			if f.kind == frameLog {
				r.line(f.body)
			}
		case <-until:
			return
		}
	}
}

// crashed settles a run whose child died.
func (r *session) crashed() {
	r.killed = true
	// Keep a result that was sent before the crash.
	if r.settlement != nil {
		return
	}
	s := failed("InternalError", "the sandbox crashed while running the function")
	if r.worker.stderr.outOfMemory() {
		s = engine.Settlement{
			Outcome: sandbox.OutcomeExecutionFailed, Error: engine.MemoryExceeded(int64(r.req.MemoryMB) << 20),
		}
	}
	if line := r.log.masked(r.worker.stderr.firstLine()); r.supervisor.Log != nil {
		r.supervisor.Log.Warn("sandbox: engine child died", "reason", line)
	}
	r.settlement = &s
}

// receive handles one frame; an error means that the child violated the protocol.
func (r *session) receive(calls context.Context, f frame) error {
	switch f.kind {
	case frameLog:
		return r.line(f.body)
	case frameCall:
		return r.call(calls, f.body)
	case frameSettled:
		var s engine.Settlement
		// The child runs user code, so its frames are validated like any input.
		if r.settlement != nil || json.Unmarshal(f.body, &s) != nil || !validSettlement(s) {
			return errFrame
		}
		r.settlement = &s
		return nil
	case frameEnd:
		var e end
		if r.settlement == nil || json.Unmarshal(f.body, &e) != nil || e.Peak < 0 || e.ElapsedMS < 0 {
			return errFrame
		}
		r.end, r.spoiled = &e, e.Spoiled
		return nil
	}
	return errFrame
}

func (r *session) line(body []byte) error {
	at, level, text, err := decodeLine(body)
	if err != nil {
		return err
	}
	// The child uses the same clock; replace times that a hostile child invented.
	if at.Before(r.began) || at.After(time.Now()) {
		at = time.Now()
	}
	r.log.add(at, level, text)
	return nil
}

// call executes a host call and sends the reply.
func (r *session) call(ctx context.Context, body []byte) error {
	var c call
	if json.Unmarshal(body, &c) != nil || r.pending.Load() >= maxCalls {
		return errFrame
	}

	// The engine enforces the same limit; user code has broken out of a child that exceeds it.
	r.pending.Add(1)
	r.calls.Go(func() {
		answer := reply{ID: c.ID}
		text, err := r.ask(ctx, c)
		if err != nil {
			answer.Text = err.Error()
		} else {
			answer.OK, answer.Text = true, string(text)
		}

		r.answer(ctx, answer)
	})
	return nil
}

// answer sends the reply to a host call. It ends the call before it writes, because the child may make the next
// call as soon as it has read the reply. Replies are sent one at a time, so a child that does not read blocks at
// most maxCalls + 1 of them.
func (r *session) answer(ctx context.Context, a reply) {
	r.answering.Lock()
	defer r.answering.Unlock()
	r.pending.Add(-1)
	encoded, err := value.Encode(a)
	if err != nil || ctx.Err() != nil {
		return
	}
	if len(encoded) > maxFrame {
		if encoded, err = value.Encode(reply{ID: a.ID, Text: "the answer is too large"}); err != nil {
			return
		}
	}
	r.worker.out.write(frameReply, encoded)
}

func (r *session) ask(ctx context.Context, c call) (json.RawMessage, error) {
	if r.req.Host == nil || r.supervisor.Caller == nil {
		return nil, errors.New("BaaS calls are not available here")
	}
	return r.supervisor.Caller.Call(ctx, *r.req.Host, c.Op, c.Payload)
}

func (r *session) check(ctx context.Context) (sandbox.Result, error) {
	if err := r.send(frameCheck); err != nil {
		return sandbox.Result{}, err
	}

	found := []sandbox.Diagnostic{{Line: 1, Column: 1, Message: "the code cannot be compiled"}}
	select {
	case f, ok := <-r.worker.frames:
		var said []sandbox.Diagnostic
		if ok && f.kind == frameFound && json.Unmarshal(f.body, &said) == nil {
			found = said
			break
		}
		r.killed = true
		// The death of a child says nothing about the code, except if the code made it run out of memory.
		if !ok && !r.worker.stderr.outOfMemory() {
			return sandbox.Result{}, errs.Unavailable(1, "the sandbox was lost during the check")
		}
	case <-time.After(r.limit):
		r.killed = true
		found[0].Message = "the code takes too long to compile"
	case <-ctx.Done():
		r.killed = true
		return sandbox.Result{}, errs.Unavailable(1, "the check was cancelled")
	}

	result := sandbox.Result{
		Outcome: sandbox.OutcomeFulfilled, Diagnostics: found, ExecutionMS: milliseconds(time.Since(r.began)),
	}
	if len(found) > 0 {
		result.Outcome = sandbox.OutcomeExecutionFailed
		result.Error = &sandbox.Error{Type: "SyntaxError", Message: found[0].Message}
	}

	return result, nil
}

func (r *session) result() (sandbox.Result, error) {
	s := r.settlement
	result := sandbox.Result{Outcome: s.Outcome, Error: s.Error, ExecutionMS: milliseconds(time.Since(r.began))}
	if string(s.Data) != "null" {
		result.Data = s.Data
	}
	if r.end != nil {
		result.ExecutionMS = min(r.end.ElapsedMS, result.ExecutionMS)
		result.MemUsage = min(r.end.Peak, int64(r.req.MemoryMB)<<20)
	}

	if s.Error != nil {
		// The error is returned, stored and listed, so mask secrets as in the log (D53).
		s.Error.Message = r.log.shown(s.Error.Message, maxText)
		s.Error.Stack = r.log.shown(s.Error.Stack, maxText)
		s.Error.Type = r.log.shown(s.Error.Type, maxType)
	}

	r.log.finish(time.Now(), *s)
	return result, r.log.put(&result)
}

// Maximum sizes of an error's message and stack, and of its type, in bytes.
const (
	maxText = 16 << 10
	maxType = 256
)

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
