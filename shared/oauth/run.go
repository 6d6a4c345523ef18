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

// RunGrace is how long a run token outlives the deadline of its run: host
// calls under way at the end may finish.
const RunGrace = 5 * time.Second

const purposeRun = "run token"

// Run is the cloud-function run a host call comes from (D24).
type Run struct {
	Scope tenant.Scope
	JobID string
	// Depth is that of what the run writes, starts or calls: one more than that of what started it, from 1 (G19).
	Depth int
	// Root is the job that the first of them is: what it starts, directly and
	// through others, is counted under it (D52).
	Root     id.ID
	Deadline time.Time // of the run, seconds
	// Trace is what the run's calls belong to: its cause is the run.
	Trace trace.Link
}

// runClaims is the middle part of a run token.
type runClaims struct {
	Scope   string `json:"scope"`
	JobID   string `json:"job"`
	Depth   int    `json:"depth"`
	Root    id.ID  `json:"root"`
	Expires int64  `json:"exp"` // Unix seconds

	Trace trace.Link `json:"trace,omitzero"`
}

// RunToken returns the token with which the sandbox's supervisor speaks for one run. User code never sees it.
func RunToken(a app.Application, run Run) (string, error) {
	return a.Token(purposeRun, runClaims{
		Scope: run.Scope.String(), JobID: run.JobID, Depth: run.Depth, Root: run.Root,
		Expires: run.Deadline.Add(RunGrace).Unix() + 1, Trace: run.Trace,
	})
}

// RunVerifier tells which run a run token speaks for, in one read.
type RunVerifier struct {
	Store app.HandleReader
	Clock clock.Clock
}

// VerifyRun returns the run and its application. It is errs.Unauthenticated
// when the token is malformed, changed, or expired, or when its environment is
// gone.
func (v *RunVerifier) VerifyRun(ctx context.Context, token string) (Run, app.Application, error) {
	var claims runClaims
	a, err := app.ReadToken(ctx, v.Store, purposeRun, token, &claims, errBadRunToken())
	if err != nil {
		return Run{}, app.Application{}, err
	}

	// An environment may be deleted while the run lasts.
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
