// Package wire assembles program sandbox.
package wire

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/program"
	"minicloud/shared/runtime/host"
	"minicloud/shared/runtime/process"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// Supervisor returns the supervisor that the environment variables configure; Warm starts its child.
func Supervisor(p *program.Program) *process.Supervisor {
	name := p.Default("AWS_LAMBDA_FUNCTION_NAME", "sandbox")
	return &process.Supervisor{
		// Half of the function's memory is guest heap; the rest is reserve (sandbox plans).
		MemoryMB: min(p.Int("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", 512)/2, sandbox.PlanPersonal.MemoryMB()),
		Caller:   host.New(p.AllowPrivate()),
		Log:      p.Log,
		Observe:  func(o process.Observation) { process.WriteMetrics(os.Stdout, name, time.Now(), o) },
	}
}

// Handler returns the program's handler.
func Handler(s *process.Supervisor) func(context.Context, sandbox.Request) (json.RawMessage, error) {
	return func(ctx context.Context, req sandbox.Request) (json.RawMessage, error) {
		result, err := s.Run(ctx, tenant.Scope{}, "", req)
		if errors.Is(err, sandbox.ErrNotStarted) {
			result = sandbox.Result{Outcome: sandbox.OutcomeNotStarted, Error: &sandbox.Error{Message: errs.Message(err)}}
		} else if err != nil {
			return nil, err
		}
		return value.Encode(result)
	}
}
