package engine

import (
	"fmt"
	"strings"

	"minicloud/shared/runtime/engine/realm"
	"minicloud/shared/sandbox"
)

// describe converts a thrown value into the error of the run; it returns nil if the time was up first. Out of
// memory reaches JavaScript as an InternalError, or as null if there was no memory for an error.
func (r *run) describe(thrown realm.Value) *sandbox.Error {
	w := r.world
	limit := w.Heap.Limit
	refused := w.Heap.Refused != 0
	w.Heap.Limit += describeRoom
	defer func() {
		w.Heap.Limit = limit
		if refused {
			w.Heap.Refused = 1
		}
	}()

	if refused && realm.IsEmpty(thrown) {
		return MemoryExceeded(r.job.Memory)
	}
	failure := &sandbox.Error{Type: "Error", Message: "unknown error"}
	described := w.Call(w.hooks.describe, realm.Undefined, thrown)
	if realm.IsException(described) {
		w.Drop(w.Caught())
	} else {
		failure.Type, failure.Message, failure.Stack = w.TextOf(
			described, "type",
		), w.TextOf(described, "message"), w.TextOf(described, "stack")
		w.Drop(described)
	}
	if r.Interrupted {
		return nil
	}
	// QuickJS reports a regular expression that does not fit into memory as a SyntaxError.
	ofMemory := failure.Type == "InternalError" || failure.Type == "SyntaxError"
	if refused && ofMemory && strings.Contains(failure.Message, "out of memory") {
		return MemoryExceeded(r.job.Memory)
	}
	return tidy(failure)
}

// tidy makes the texts valid UTF-8 and shortens the stack.
func tidy(e *sandbox.Error) *sandbox.Error {
	e.Type, e.Message, e.Stack = realm.WellFormed(e.Type), realm.WellFormed(e.Message), realm.WellFormed(e.Stack)
	e.Stack = shallow(e.Stack)
	return e
}

// maxFrames is the number of stack frames that are shown; endless recursion has thousands of equal ones.
const maxFrames = 20

func shallow(stack string) string {
	frames := strings.Split(stack, "\n")
	if len(frames) <= maxFrames {
		return stack
	}
	return strings.Join(frames[:maxFrames], "\n") + fmt.Sprintf("\n… %d more", len(frames)-maxFrames)
}

// uncaughtPending handles an exception that reached the event loop.
func (r *run) uncaughtPending() {
	thrown := r.world.Caught()
	defer r.world.Drop(thrown)
	if !r.Interrupted {
		r.uncaught(thrown)
	}
}

// uncaught logs an uncaught error; it fails the run unless main has settled.
func (r *run) uncaught(thrown realm.Value) {
	if failure := r.describe(thrown); failure != nil {
		r.host.Log("ERROR", "Uncaught "+Trace(failure))
		r.settle(Settlement{Outcome: sandbox.OutcomeExecutionFailed, Error: failure})
	}
}

// Trace formats an error for logs: class, message, stack.
func Trace(e *sandbox.Error) string {
	text := e.Type
	if e.Message != "" {
		text += ": " + e.Message
	}
	for line := range strings.SplitSeq(e.Stack, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			text += "\n    " + line
		}
	}
	return text
}
