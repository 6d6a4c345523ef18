// Package remote reaches the sandbox through the Lambda Invoke API: each tenant
// runs in execution environments of its own (TenantId), each plan is a function
// of its own size.
package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"minicloud/shared/errs"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// maxPayload is the largest request Lambda takes, bytes.
const maxPayload = 6 << 20

// Invoker is the part of the Lambda client this package uses.
type Invoker interface {
	Invoke(ctx context.Context, in *lambda.InvokeInput, options ...func(*lambda.Options)) (*lambda.InvokeOutput, error)
}

// Runner implements sandbox.Runner over Lambda.
type Runner struct {
	Lambda Invoker
	// Functions names the sandbox function of each plan.
	Functions map[sandbox.Plan]string
}

var _ sandbox.Runner = (*Runner)(nil)

// CrashError says that the sandbox itself ended during the run: the run began
// and nothing is known of its end. It must not be run again.
type CrashError struct {
	Type    string // Lambda's error type: "Runtime.ExitError", "Sandbox.Timedout" …
	Message string
}

// Error returns the message of Lambda.
func (e *CrashError) Error() string {
	return fmt.Sprintf("the sandbox ended during the run: %s: %s", e.Type, e.Message)
}

// New returns a client for Runner. It never retries: an invocation that may
// have begun must not begin twice, and waiting for capacity is the caller's
// policy (D20).
func New(cfg aws.Config, free, personal string) *Runner {
	client := lambda.NewFromConfig(cfg, func(o *lambda.Options) { o.Retryer = aws.NopRetryer{} })
	return &Runner{Lambda: client, Functions: map[sandbox.Plan]string{
		sandbox.PlanFree: free, sandbox.PlanPersonal: personal,
	}}
}

// Run implements sandbox.Runner. Errors: sandbox.ErrNotStarted when Lambda has no
// capacity or the sandbox could not begin, TooLarge when code and event do not fit, *CrashError when the
// sandbox ended under the run, anything else when the answer was lost.
func (r *Runner) Run(
	ctx context.Context, scope tenant.Scope, plan sandbox.Plan, req sandbox.Request,
) (sandbox.Result, error) {
	function, ok := r.Functions[plan]
	if !ok {
		return sandbox.Result{}, errs.Invalid("plan %q is not known", plan)
	}

	payload, err := sandbox.Encode(req)
	if err != nil {
		return sandbox.Result{}, fmt.Errorf("encode sandbox request: %w", err)
	}
	// Lambda would refuse it too, but its error would not say what is too large.
	if len(payload) > maxPayload {
		return sandbox.Result{}, errs.TooLarge("code and data together are over %d bytes", maxPayload)
	}

	out, err := r.Lambda.Invoke(ctx, &lambda.InvokeInput{
		FunctionName: aws.String(function), TenantId: aws.String(scope.String()), Payload: payload,
	})
	if err != nil {
		return sandbox.Result{}, refusal(err)
	}
	// Invoke succeeds with status 200 although the function failed; only this field tells.
	if out.FunctionError != nil {
		return sandbox.Result{}, failure(out.Payload)
	}

	var result sandbox.Result
	if err := json.Unmarshal(out.Payload, &result); err != nil {
		return sandbox.Result{}, fmt.Errorf("decode sandbox answer: %w", err)
	}
	if result.Outcome == sandbox.OutcomeNotStarted {
		return sandbox.Result{}, notStarted(result.Error)
	}

	return result, nil
}

// notStarted is a run that the sandbox says it did not begin.
func notStarted(why *sandbox.Error) error {
	if why == nil {
		why = &sandbox.Error{Message: "the sandbox did not begin"}
	}
	return sandbox.NotStarted(why.Message)
}

// refusal turns "no capacity, nothing ran" into ErrNotStarted. Lambda's
// ServiceException is not among it: it says that something broke inside, not when.
func refusal(err error) error {
	_, throttled := errors.AsType[*types.TooManyRequestsException](err)
	_, cold := errors.AsType[*types.ResourceNotReadyException](err)
	_, busy := errors.AsType[*types.EC2ThrottledException](err)
	if throttled || cold || busy {
		return fmt.Errorf("invoke sandbox: %w: %w", sandbox.NotStarted("the sandbox has no capacity"), err)
	}
	if large, ok := errors.AsType[*types.RequestTooLargeException](err); ok {
		return errs.TooLarge("code and data are too large: %s", large.ErrorMessage())
	}
	return fmt.Errorf("invoke sandbox: %w", err)
}

// failure reads the payload of an invocation that ended in a function error.
func failure(payload []byte) error {
	var said struct {
		Type    string `json:"errorType"`
		Message string `json:"errorMessage"`
	}
	if err := json.Unmarshal(payload, &said); err != nil {
		said.Type, said.Message = "Unknown", "no error was given"
	}
	return &CrashError{Type: said.Type, Message: said.Message}
}
