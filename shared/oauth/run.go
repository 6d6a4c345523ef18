package oauth

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
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

// RunToken returns the token with which the sandbox's supervisor speaks for
// one run: "<handle>.<claims>.<signature>". User code never sees it, and
// nothing of it is stored.
func RunToken(a app.Application, run Run) (string, error) {
	claims, err := json.Marshal(runClaims{
		Scope: run.Scope.String(), JobID: run.JobID, Depth: run.Depth, Root: run.Root,
		Expires: run.Deadline.Add(RunGrace).Unix() + 1, Trace: run.Trace,
	})
	if err != nil {
		return "", err
	}
	body := base64.RawURLEncoding.EncodeToString(claims)
	return string(a.ClientID.Handle()) + "." + body + "." + a.Sign(purposeRun, body), nil
}

// ClientReader is the part of Store that verifying a run token needs.
type ClientReader interface {
	// ByHandle returns the application behind a handle, errs.NotFound when there
	// is none.
	ByHandle(ctx context.Context, h app.Handle) (app.Application, error)
}

// RunVerifier tells which run a run token speaks for, in one read.
type RunVerifier struct {
	Store ClientReader
	Clock clock.Clock
}

// VerifyRun returns the run and its application. It is errs.Unauthenticated
// when the token is malformed, changed, or expired, or when its environment is
// gone.
func (v *RunVerifier) VerifyRun(ctx context.Context, token string) (Run, app.Application, error) {
	head, rest, _ := strings.Cut(token, ".")
	body, signature, _ := strings.Cut(rest, ".")
	if len(head) != app.HandleLen || !app.ClientID(head+head).Valid() {
		return Run{}, app.Application{}, errBadRunToken()
	}

	a, err := v.Store.ByHandle(ctx, app.Handle(head))
	if errs.Is(err, errs.KindNotFound) || err == nil && !a.Signed(signature, purposeRun, body) {
		return Run{}, app.Application{}, errBadRunToken()
	}
	if err != nil {
		return Run{}, app.Application{}, err
	}

	run, err := parseClaims(body, v.Clock.Now())
	if err != nil || run.Scope.App != a.ID {
		return Run{}, app.Application{}, errBadRunToken()
	}
	if _, ok := a.Environment(run.Scope.Env); !ok {
		return Run{}, app.Application{}, errBadRunToken()
	}

	return run, a, nil
}

func parseClaims(body string, now time.Time) (Run, error) {
	var claims runClaims
	text, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		return Run{}, err
	}
	if err := json.Unmarshal(text, &claims); err != nil {
		return Run{}, err
	}

	scope, err := tenant.Parse(claims.Scope)
	if err != nil {
		return Run{}, err
	}
	if now.Unix() >= claims.Expires {
		return Run{}, errBadRunToken()
	}

	if claims.Root == 0 {
		// A token from before there were roots: the run is one itself.
		job, err := strconv.ParseInt(claims.JobID, 10, 64)
		if err != nil {
			return Run{}, err
		}
		claims.Root = id.ID(job)
	}

	return Run{
		Scope: scope, JobID: claims.JobID, Depth: claims.Depth, Root: claims.Root,
		Deadline: time.Unix(claims.Expires, 0).Add(-RunGrace), Trace: claims.Trace,
	}, nil
}

func errBadRunToken() error {
	return errs.Unauthenticated("the run token is changed or expired")
}
