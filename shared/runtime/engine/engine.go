// Package engine runs one JavaScript function at a time in a fresh heap.
//
// The engine is QuickJS-ng, translated to Go by way of wasm (package quickjs).
// Fresh does not mean rebuilt: all memory of the JavaScript world, runtime,
// realm and prelude included, is one stretch. After the world is built once, it
// is copied aside as the template; before every run it is put back byte for byte
// and everything above it is zeroed, so that nothing of a run, not even a freed
// byte, reaches the next.
//
//	build:  runtime ─► realm ─► prelude ─► boot.js ─► template (copy of the heap)
//	run:    template ─► bytecode ─► exports.main(event, callback) ─► event loop ─► Report
//	after:  Reset puts the template back, while the answer travels
//
// User code reaches only what the prelude and boot.js hand it; a Host receives
// its logs and calls. Limits: the deadline is an interrupt, and a loop that
// does not check for it is stopped soon after; memory is counted by the allocator
// itself, exactly. The engine runs in a process of its own all the same (package
// process), which the kernel confines.
package engine

import (
	"encoding/json"
	"time"

	"minicloud/shared/sandbox"
)

// Engine runs and checks functions. It is not safe for concurrent use.
type Engine interface {
	// Run runs one job to its end; it always returns a report.
	Run(job Job, host Host) Report
	// Check compiles without running; no diagnostics means it compiles.
	Check(function string, source []byte) []sandbox.Diagnostic
	// Reset restores the fresh heap. Run does it itself when it was not called.
	Reset()
}

// Job is one run of a function.
type Job struct {
	Function string // the file is "<function>.js" in stacks
	Digest   string // key of the bytecode cache
	// Source returns the code; it is asked only when the bytecode is not cached.
	Source    func() ([]byte, error)
	Event     json.RawMessage
	Timeout   time.Duration // wall time from the call of Run
	Memory    int64         // bytes of guest heap
	Variables map[string]string
}

// Host is the outside of the engine, as a running job reaches it.
type Host interface {
	// Log receives one console call; level is LOG, INFO, WARN or ERROR.
	Log(level, text string)
	// Settled receives the outcome as soon as it is decided, which can be long
	// before the run ends, so that it survives whatever user code does next.
	Settled(o Settlement)
	// Call starts a host call (D24); its reply comes through Replies.
	Call(id int32, op, payload string)
	// Replies returns where replies of calls arrive.
	Replies() <-chan Reply
}

// Reply is the answer to a host call.
type Reply struct {
	ID   int32
	OK   bool
	Text string // the JSON answer, or the message of the error
}

// Settlement is the result of main: data or an error.
type Settlement struct {
	Outcome sandbox.Outcome `json:"outcome"`
	Data    json.RawMessage `json:"data,omitempty"`
	Error   *sandbox.Error  `json:"error,omitempty"`
}

// Report is the result of a job.
type Report struct {
	Settlement
	Elapsed time.Duration // time of user code
	Peak    int64         // most bytes of guest heap in use at once
	// Spoiled says that the engine itself failed, or left an operation running:
	// the supervisor replaces the process.
	Spoiled bool
}

// MaxResult is the largest result, in bytes of JSON (D49).
const MaxResult = 4 << 20
