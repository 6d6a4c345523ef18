// Package engine runs one JavaScript function at a time in a fresh heap.
//
// The engine is QuickJS-ng, compiled to wasm and translated to Go (package quickjs). A fresh heap is not rebuilt:
// all memory of the JavaScript world, with runtime, realm and prelude, is one range. After the world is built once,
// this range is copied as the template. Before every run the template is copied back and everything above it is
// zeroed, so that no byte of a run reaches the next.
//
//	build:  runtime ─► realm ─► prelude ─► boot.js ─► template (copy of the heap)
//	run:    template ─► bytecode ─► exports.main(event, callback) ─► event loop ─► Report
//	after:  Reset restores the template while the response is being sent
//
// User code reaches only what the prelude and boot.js provide; a Host receives its logs and calls. Limits: the
// deadline is an interrupt, and loops without an interrupt check are stopped soon after it; the allocator counts
// memory exactly. The engine also runs in a process of its own (package process), which the kernel restricts.
package engine

import (
	"encoding/json"
	"time"

	"minicloud/shared/sandbox"
)

// Job is one run of a function.
type Job struct {
	Function string // the file is "<function>.js" in stacks
	Digest   string // key of the bytecode cache
	// Source returns the code; it is called only if the bytecode is not cached.
	Source    func() ([]byte, error)
	Event     json.RawMessage
	Timeout   time.Duration // wall-clock time from the call of Run
	Memory    int64         // bytes of guest heap
	Variables map[string]string
}

// Host receives the output and the host calls of a running job.
type Host interface {
	// Log receives one console call; level is LOG, INFO, WARN or ERROR.
	Log(level, text string)
	// Settled receives the outcome as soon as it is determined, which may be long before the run ends, so that
	// nothing user code does later can lose it.
	Settled(o Settlement)
	// Call starts a host call (D24); its reply arrives through Replies.
	Call(id int32, op, payload string)
	// Replies returns the channel of the replies.
	Replies() <-chan Reply
}

// Reply is the answer to a host call.
type Reply struct {
	ID   int32
	OK   bool
	Text string // the JSON result, or the message of the error
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
	Peak    int64         // maximum bytes of guest heap in use
	// Spoiled reports that the engine itself failed or left an operation running; the supervisor then replaces the
	// process.
	Spoiled bool
}

// MaxResult is the largest result, in bytes of JSON (D49).
const MaxResult = 4 << 20
