package cloudfunction

import (
	"context"
	"fmt"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// compile returns the syntax errors of the code, none if it compiles. An error means that the check itself failed.
func (s *Service) compile(ctx context.Context, scope tenant.Scope, name Name, code Code) ([]sandbox.Diagnostic, error) {
	result, err := s.Runner.Run(ctx, scope, sandbox.PlanFree, sandbox.Request{
		Op: sandbox.OpCheck, Function: string(name), Code: code.Gzip, Digest: code.Digest,
		TimeoutMS: int(checkTime.Milliseconds()), MemoryMB: sandbox.PlanFree.MemoryMB(),
	})
	return result.Diagnostics, err
}

// checkTime is the time limit for checking an upload.
const checkTime = 3 * time.Second

// check returns errs.Invalid for code that does not compile, with the position and an excerpt. If the sandbox is
// down or slow, check accepts any code: a run reports the same error.
func (s *Service) check(ctx context.Context, scope tenant.Scope, name Name, code Code) error {
	if s.Runner == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	found, err := s.compile(ctx, scope, name, code)
	if err != nil || len(found) == 0 {
		return nil
	}
	d := found[0]
	return errs.Invalid("function_code: SyntaxError: %s (line %d, column %d)\n%s",
		strings.TrimPrefix(d.Message, "SyntaxError: "), d.Line, d.Column, d.Excerpt)
}

// CheckOnly compiles source and returns its syntax errors; it stores nothing. It returns errs.Unavailable without a
// Runner or if the check fails.
func (s *Service) CheckOnly(ctx context.Context, scope tenant.Scope, source string) ([]sandbox.Diagnostic, error) {
	code, err := Pack(source)
	if err != nil {
		return nil, err
	}
	if s.Runner == nil {
		return nil, errs.Unavailable(60, "code cannot be checked here")
	}
	found, err := s.compile(ctx, scope, "main", code)
	if err != nil {
		return nil, fmt.Errorf("check code: %w: %w", errs.Unavailable(1, "code cannot be checked now, try again"), err)
	}
	return found, nil
}
