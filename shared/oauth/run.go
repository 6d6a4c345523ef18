package oauth

import (
	"context"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
)

// RunGrace is how long a run token is valid after the deadline of its run, so that host calls in progress can finish.
const RunGrace = 5 * time.Second

const purposeRun = "run token"

// Run is the cloud-function run that makes a host call (D24).
type Run struct {
	Scope tenant.Scope
	JobID string
	// Depth is the trigger depth of the run's writes, starts and calls: one more than that of the run's own cause, from
	// 1 (G19).
	Depth int
	// Root is the first job of the call chain: all jobs started from it, directly or indirectly, are counted under it
	// (D52).
	Root     id.ID
	Deadline time.Time // of the run, seconds
	// Trace is the trace of the run's calls; its cause is the run.
	Trace trace.Link
}

// runClaims are the claims of a run token.
type runClaims struct {
	Scope   string `json:"scope"`
	JobID   string `json:"job"`
	Depth   int    `json:"depth"`
	Root    id.ID  `json:"root"`
	Expires int64  `json:"exp"` // Unix seconds

	Trace trace.Link `json:"trace,omitzero"`
}

// RunToken returns the token with which the sandbox's supervisor authenticates as a run. User code never sees it.
func RunToken(a app.Application, run Run) (string, error) {
	return a.Token(purposeRun, runClaims{
		Scope: run.Scope.String(), JobID: run.JobID, Depth: run.Depth, Root: run.Root,
		Expires: run.Deadline.Add(RunGrace).Unix() + 1, Trace: run.Trace,
	})
}

// RunVerifier verifies run tokens, with one read each.
type RunVerifier struct {
	Store app.HandleReader
	Clock clock.Clock
}

// VerifyRun returns the run of a token and its application. It returns errs.Unauthenticated if the token is malformed,
// changed or expired, or if its environment was deleted.
func (v *RunVerifier) VerifyRun(ctx context.Context, token string) (Run, app.Application, error) {
	var claims runClaims
	a, err := app.ReadToken(ctx, v.Store, v.Clock.Now(), purposeRun, token, &claims, errBadRunToken())
	if err != nil {
		return Run{}, app.Application{}, err
	}

	// The environment may have been deleted during the run.
	scope, err := tenant.Parse(claims.Scope)
	_, known := a.Environment(scope.Env)
	if err != nil || scope.App != a.ID || !known || v.Clock.Now().Unix() >= claims.Expires {
		return Run{}, app.Application{}, errBadRunToken()
	}
	return Run{
		Scope: scope, JobID: claims.JobID, Depth: claims.Depth, Root: claims.Root,
		Deadline: time.Unix(claims.Expires, 0).Add(-RunGrace), Trace: claims.Trace,
	}, a, nil
}

func errBadRunToken() error {
	return errs.Unauthenticated("the run token is changed or expired")
}
