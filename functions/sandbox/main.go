// Program sandbox runs the code of one tenant's functions. Lambda starts it as
// the supervisor; it starts itself again as the engine child, which holds the
// JavaScript and nothing else (package process).
//
// It takes a sandbox.Request and answers a sandbox.Result, which also says that
// nothing ran; an error means that the sandbox itself failed. Its role has no permissions.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"minicloud/shared/errs"
	"minicloud/shared/program"
	"minicloud/shared/sandbox"
	"minicloud/shared/sandbox/host"
	"minicloud/shared/sandbox/process"
	"minicloud/shared/tenant"
)

func main() {
	if process.IsChild() {
		process.ChildMain()
	}
	p := program.New()
	allowPrivate := p.Default("ALLOW_PRIVATE_TARGETS", "") == "1" // the local cloud's tests only
	name := p.Default("AWS_LAMBDA_FUNCTION_NAME", "sandbox")
	if err := process.Harden(); err != nil {
		p.Log.Warn("sandbox: supervisor is not hardened", "error", err)
	}
	// Half of the function's memory is guest heap, the rest head-room (sandbox plans).
	memory := min(p.Int("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", 512)/2, sandbox.PlanPersonal.MemoryMB())
	p.Ready()

	s := &process.Supervisor{
		MemoryMB: memory,
		Caller:   host.New(allowPrivate),
		Log:      p.Log,
		Observe:  func(o process.Observation) { process.WriteMetrics(os.Stdout, name, time.Now(), o) },
	}
	s.Warm()
	lambda.Start(func(ctx context.Context, req sandbox.Request) (json.RawMessage, error) {
		result, err := s.Run(ctx, tenant.Scope{}, "", req)
		if errors.Is(err, sandbox.ErrNotStarted) {
			result = sandbox.Result{Outcome: sandbox.OutcomeNotStarted, Error: &sandbox.Error{Message: errs.Message(err)}}
		} else if err != nil {
			return nil, err
		}
		return sandbox.Encode(result)
	})
}
