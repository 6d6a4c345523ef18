// Package sandbox holds what the platform and the sandbox program say to each
// other. The words cross the Lambda Invoke API as JSON:
//
//	job.Service ── Request ──► Invoke(TenantId = scope) ──► functions/sandbox
//	            ◄── Result ───
//
// Package remote speaks it from the platform's side, package process runs the
// killable child on the sandbox's side, package engine is the JavaScript
// engine inside that child.
package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

// Op is the operation of the sandbox on the code.
type Op string

// The operations.
const (
	OpRun   Op = "run"   // run main with the event
	OpCheck Op = "check" // only compile, and say what is wrong (issue: syntax errors at upload)
)

// Request asks for one run, or one check, of a function.
type Request struct {
	Op    Op     `json:"op"`
	JobID string `json:"job_id,omitempty"`
	// Function is the name of the function; its file is "<name>.js" in stacks.
	Function string `json:"function"`
	// Code is the gzip-compressed UTF-8 source (base64 in JSON).
	Code []byte `json:"code"`
	// Digest is the lower-case hex SHA-256 of the uncompressed source, the key
	// of the bytecode cache.
	Digest string `json:"digest"`
	// Event is passed to main, as in decision D17.
	Event     json.RawMessage `json:"event,omitempty"`
	TimeoutMS int             `json:"timeout_ms,omitempty"` // wall time of the run: 5000 or 300000
	MemoryMB  int             `json:"memory_mb,omitempty"`  // guest heap: 128 or 256
	// Variables become process.env; the values of those named in Secrets are
	// masked in logs and errors (D46, D53), those of 4 bytes or more.
	Variables map[string]string `json:"variables,omitempty"`
	Secrets   []string          `json:"secrets,omitempty"`
	// Host is how BaaS.* reaches the platform; nil = BaaS calls are refused.
	Host *Host `json:"host,omitempty"`
}

// Host is the platform as the supervisor sees it during one run. User code
// never sees any of it.
type Host struct {
	BaseURL string `json:"base_url"`
	Token   string `json:"token"` // run token: scope, job, depth and expiry under an HMAC
	// Depth is the depth.Header of what the run requests of others.
	Depth string `json:"depth,omitempty"`
}

// Outcome is how a run ended, the terminal job states a sandbox can decide (D19).
type Outcome string

// The outcomes.
const (
	OutcomeFulfilled        Outcome = "fulfilled"
	OutcomeExecutionFailed  Outcome = "execution_failed"
	OutcomeDeadlineExceeded Outcome = "deadline_exceeded"
	// OutcomeNotStarted only travels from the sandbox to package remote, which makes
	// it ErrNotStarted: nothing ran, Error.Message says why.
	OutcomeNotStarted Outcome = "not_started"
)

// ErrNotStarted says that a run did not begin, so that it may be tried again.
// After any other error of a Runner the run may have begun.
var ErrNotStarted = errors.New("the run did not begin")

// NotStarted returns an ErrNotStarted with its reason, which is errs.Unavailable to
// the caller.
func NotStarted(reason string) error {
	return fmt.Errorf("%w: %w", ErrNotStarted, errs.Unavailable(1, "%s", reason))
}

// Result is the result of a Request.
type Result struct {
	Outcome Outcome         `json:"outcome"`
	Data    json.RawMessage `json:"data,omitempty"` // what main gave; absent = null
	Error   *Error          `json:"error,omitempty"`
	// Log is the whole log text of the run (D23), at most 1 MB.
	Log string `json:"log,omitempty"`
	// LogGzip holds the log instead, compressed, when it is over 64 KB: JSON
	// escapes could otherwise push the answer over Lambda's 6 MB.
	LogGzip     []byte       `json:"log_gzip,omitempty"`
	ExecutionMS float64      `json:"execution_ms"` // time of user code
	MemUsage    int64        `json:"mem_usage"`    // peak bytes of the run's heap
	Diagnostics []Diagnostic `json:"diagnostics,omitempty"`
}

// Error is the reason why a run failed. Type is the JavaScript class, or one of
// TimeoutError, MemoryError, ResultTooLarge (D18, D49).
type Error struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	Stack   string `json:"stack,omitempty"` // user's frames only: "at main (<function>.js:3:9)"
}

// Diagnostic is an error in the checked code.
type Diagnostic struct {
	Line    int    `json:"line" minimum:"0"`   // Counted from 1.
	Column  int    `json:"column" minimum:"0"` // Counted from 1.
	Message string `json:"message"`
	Excerpt string `json:"excerpt"` // The source line with a caret below the column.
}

// Encode writes v as JSON the way this wire wants it: without the HTML escapes of
// encoding/json, which would make six bytes of one in results and events.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Plan is the size a function runs in, "plan_circle" on the wire.
type Plan string

// The plans of the contract.
const (
	PlanFree     Plan = "P_FREE"     // 128 MB
	PlanPersonal Plan = "P_PERSONAL" // 256 MB
)

// MemoryMB returns the guest heap of the plan in megabytes, 0 for no plan.
func (p Plan) MemoryMB() int {
	switch p {
	case PlanFree:
		return 128
	case PlanPersonal:
		return 256
	}
	return 0
}

// Runner runs requests of one tenant in its own environment. It returns
// ErrNotStarted when nothing ran, such as for want of capacity, another error when
// the sandbox itself failed; everything user code does is in the Result.
type Runner interface {
	Run(ctx context.Context, scope tenant.Scope, plan Plan, req Request) (Result, error)
}
