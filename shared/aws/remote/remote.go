// Package remote calls the sandbox through the Lambda Invoke API. Each tenant has its own execution environments
// (TenantId), and each plan has its own function with the memory of that plan.
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
	"minicloud/shared/language/value"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// maxPayload is the largest request that Lambda accepts, in bytes.
const maxPayload = 6 << 20

// Invoker is the part of the Lambda client that this package uses.
type Invoker interface {
	Invoke(ctx context.Context, in *lambda.InvokeInput, options ...func(*lambda.Options)) (*lambda.InvokeOutput, error)
}

// Runner implements sandbox.Runner with Lambda.
type Runner struct {
	Lambda Invoker
	// Functions holds the name of the sandbox function for each plan.
	Functions map[sandbox.Plan]string
}

// CrashError means that the sandbox process ended during the run. The run began, but its outcome is unknown, so it
// must not be retried.
type CrashError struct {
	Type    string // Lambda's error type: "Runtime.ExitError", "Sandbox.Timedout" …
	Message string
}

// Error includes the message of Lambda.
func (e *CrashError) Error() string {
	return fmt.Sprintf("the sandbox ended during the run: %s: %s", e.Type, e.Message)
}

// New returns a Runner for the sandbox functions of the two plans. It never retries: an invocation that may have
// begun must not begin twice, and the caller decides how long to wait for capacity (D20). options change the client.
func New(cfg aws.Config, free, personal string, options ...func(*lambda.Options)) *Runner {
	once := func(o *lambda.Options) { o.Retryer = aws.NopRetryer{} }
	client := lambda.NewFromConfig(cfg, append([]func(*lambda.Options){once}, options...)...)
	return &Runner{Lambda: client, Functions: map[sandbox.Plan]string{
		sandbox.PlanFree: free, sandbox.PlanPersonal: personal,
	}}
}

// Run implements sandbox.Runner. Errors: sandbox.ErrNotStarted if Lambda has no capacity or the sandbox could not
// begin, TooLarge if code and event together exceed Lambda's limit, *CrashError if the sandbox ended during the
// run, any other error if the response was lost.
func (r *Runner) Run(
	ctx context.Context, scope tenant.Scope, plan sandbox.Plan, req sandbox.Request,
) (sandbox.Result, error) {
	function, ok := r.Functions[plan]
	if !ok {
		return sandbox.Result{}, errs.Invalid("plan %q is not known", plan)
	}

	payload, err := value.Encode(req)
	if err != nil {
		return sandbox.Result{}, fmt.Errorf("encode sandbox request: %w", err)
	}
	// Lambda would refuse a larger request too, but its error does not name the reason.
	if len(payload) > maxPayload {
		return sandbox.Result{}, errs.TooLarge("code and data together are over %d bytes", maxPayload)
	}

	out, err := r.Lambda.Invoke(ctx, &lambda.InvokeInput{
		FunctionName: aws.String(function), TenantId: aws.String(scope.String()), Payload: payload,
	})
	if err != nil {
		return sandbox.Result{}, refusal(err)
	}
	// Invoke returns status 200 even if the function failed; only FunctionError shows the failure.
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

// notStarted returns the error for a run that the sandbox reports as not started.
func notStarted(why *sandbox.Error) error {
	if why == nil {
		why = &sandbox.Error{Message: "the sandbox did not begin"}
	}
	return sandbox.NotStarted(why.Message)
}

// refusal maps Lambda's "no capacity" errors to ErrNotStarted, because no code ran. ServiceException is not one of
// them: it reports an internal error but not whether the function had begun.
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

// failure returns the CrashError for the payload of a function error.
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
