// Package sandbox defines the messages between the platform and the sandbox program. They cross the Lambda Invoke
// API as JSON:
//
//	job.Service ── Request ──► Invoke(TenantId = scope) ──► functions/sandbox
//	            ◄── Result ───
//
// Package remote is the platform's side of this protocol, package process is the sandbox's side and supervises a
// child process that it can kill, and package engine is the JavaScript engine inside that child.
package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

// Op is the operation that the sandbox performs on the code.
type Op string

// The operations.
const (
	OpRun   Op = "run"   // call main with the event
	OpCheck Op = "check" // only compile, and report syntax errors (the check of an upload)
)

// Request is a request to run or check a function.
type Request struct {
	Op    Op     `json:"op"`
	JobID string `json:"job_id,omitempty"`
	// Function is the name of the function; stack traces show its file as "<name>.js".
	Function string `json:"function"`
	// Code is the gzip-compressed UTF-8 source (base64 in JSON).
	Code []byte `json:"code"`
	// Digest is the lower-case hex SHA-256 of the uncompressed source. It is the key of the bytecode cache.
	Digest string `json:"digest"`
	// Event is the argument of main (D17).
	Event     json.RawMessage `json:"event,omitempty"`
	TimeoutMS int             `json:"timeout_ms,omitempty"` // wall-clock limit of the run: 5000 or 300000
	MemoryMB  int             `json:"memory_mb,omitempty"`  // guest heap: 128 or 256
	// Variables become process.env. The values of the variables named in Secrets are masked in logs and errors if
	// they have at least 4 bytes (D46, D53).
	Variables map[string]string `json:"variables,omitempty"`
	Secrets   []string          `json:"secrets,omitempty"`
	// Host is the platform API for BaaS.* calls; nil = BaaS calls are refused.
	Host *Host `json:"host,omitempty"`
}

// Host tells the supervisor how to call the platform during one run. User code never sees any of it.
type Host struct {
	BaseURL string `json:"base_url"`
	Token   string `json:"token"` // run token: scope, job, depth and expiry under an HMAC
	// Depth is the value of depth.Header in the requests that the run makes.
	Depth string `json:"depth,omitempty"`
}

// Outcome is how a run ended: one of the terminal job states that a sandbox can determine (D19).
type Outcome string

// The outcomes.
const (
	OutcomeFulfilled        Outcome = "fulfilled"
	OutcomeExecutionFailed  Outcome = "execution_failed"
	OutcomeDeadlineExceeded Outcome = "deadline_exceeded"
	// OutcomeNotStarted is only sent from the sandbox to package remote, which turns it into ErrNotStarted. No code
	// ran; Error.Message has the reason.
	OutcomeNotStarted Outcome = "not_started"
)

// ErrNotStarted means that the run did not begin, so it can be retried. After any other error of a Runner the run
// may have begun.
var ErrNotStarted = errors.New("the run did not begin")

// NotStarted returns an ErrNotStarted with a reason; callers see it as errs.Unavailable.
func NotStarted(reason string) error {
	return fmt.Errorf("%w: %w", ErrNotStarted, errs.Unavailable(1, "%s", reason))
}

// Result is the response to a Request.
type Result struct {
	Outcome Outcome         `json:"outcome"`
	Data    json.RawMessage `json:"data,omitempty"` // return value of main; absent = null
	Error   *Error          `json:"error,omitempty"`
	// Log is the complete log text of the run (D23), at most 1 MB.
	Log string `json:"log,omitempty"`
	// LogGzip is the compressed log; it replaces Log if that is over 64 KB, because JSON escapes could make the
	// response larger than Lambda's 6 MB.
	LogGzip     []byte       `json:"log_gzip,omitempty"`
	ExecutionMS float64      `json:"execution_ms"` // time of user code
	MemUsage    int64        `json:"mem_usage"`    // peak bytes of the run's heap
	Diagnostics []Diagnostic `json:"diagnostics,omitempty"`
}

// Error is the reason why a run failed. Type is the JavaScript class, or TimeoutError, MemoryError or
// ResultTooLarge (D18, D49).
type Error struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	Stack   string `json:"stack,omitempty"` // only frames of user code: "at main (<function>.js:3:9)"
}

// Diagnostic is a compile error in the checked code.
type Diagnostic struct {
	Line    int    `json:"line" minimum:"0"`   // Counted from 1.
	Column  int    `json:"column" minimum:"0"` // Counted from 1.
	Message string `json:"message"`
	Excerpt string `json:"excerpt"` // The source line with a caret below the column.
}

// Plan is the size of a function's sandbox, "plan_circle" on the wire.
type Plan string

// The plans of the API contract.
const (
	PlanFree     Plan = "P_FREE"     // 128 MB
	PlanPersonal Plan = "P_PERSONAL" // 256 MB
)

// MemoryMB returns the guest heap of the plan in megabytes, 0 for an unknown plan.
func (p Plan) MemoryMB() int {
	switch p {
	case PlanFree:
		return 128
	case PlanPersonal:
		return 256
	}
	return 0
}

// Runner runs requests of a tenant in an execution environment of that tenant only. It returns ErrNotStarted if no
// code ran, for example because there is no capacity, and another error if the sandbox itself failed. Errors of
// user code are in the Result.
type Runner interface {
	Run(ctx context.Context, scope tenant.Scope, plan Plan, req Request) (Result, error)
}
