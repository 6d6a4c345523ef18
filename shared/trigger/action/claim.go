package action

import (
	"context"
	"fmt"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// Claim is the exclusive right to send one message of a run (D38). It is stored as long as the run can be replayed, so
// that the message is not sent twice.
type Claim struct {
	Run   string
	To    string // the recipient, for a run that sends to several; "" = the run sends one message
	Owner string // random id of the claiming attempt
	Round int64  // see Work.round
}

// ClaimState is the state of a message.
type ClaimState int

// The states of a message.
const (
	Claimed ClaimState = iota // the caller must send it
	WasSent                   // it was sent
	Unknown                   // a worker claimed it and did not report the result
)

// Claims stores claims.
type Claims interface {
	// Claim claims a message that has no claim, or that was Unknown in an earlier round. Repeating the same claim of a
	// Claimed message returns Claimed again.
	Claim(ctx context.Context, scope tenant.Scope, c Claim) (ClaimState, error)
	// Sent records that the message was sent.
	Sent(ctx context.Context, scope tenant.Scope, c Claim) error
	// Release deletes the claim of a message that was not sent.
	Release(ctx context.Context, scope tenant.Scope, c Claim) error
}

// Quotas counts what the functions of one root call have sent.
type Quotas interface {
	// Spend counts one item under a root call. It returns errs.TooMany if the call has reached most.
	Spend(ctx context.Context, scope tenant.Scope, root id.ID, what string, most int) error
}

// Interrupted is the error type of a run whose worker died while sending, so that the result is unknown.
const Interrupted = "interrupted"

// round identifies the replay that a run is in. A message with an unknown result is not sent again, and its run fails
// as interrupted. A replay by the owner, who knows the risk, begins a new round: the time of the interrupted attempt.
func (w Work) round() int64 {
	for i := len(w.Run.Attempts) - 1; i >= 0; i-- {
		if strings.HasPrefix(w.Run.Attempts[i].Error, Interrupted+":") {
			return w.Run.Attempts[i].At
		}
	}
	return 0
}

// NewClaim returns a new claim of a message of the run.
func (w Work) NewClaim(to string) Claim {
	return Claim{Run: w.Run.ID, To: to, Owner: id.Hex(8), Round: w.round()}
}

// releaseTime is the time limit to release a claim after the attempt's own time is over.
const releaseTime = 3 * time.Second

// Once claims a message and delivers it.
func Once(
	ctx context.Context, claims Claims, scope tenant.Scope, c Claim, send func(ctx context.Context) error,
) (ClaimState, error) {
	state, err := claims.Claim(ctx, scope, c)
	if err != nil || state != Claimed {
		return state, err
	}
	return Deliver(ctx, claims, scope, c, send)
}

// Deliver sends a claimed message. It releases the claim if send returns an errs.Error: nothing was sent. After any
// other error it is unknown whether the message was sent, so it is not sent again.
func Deliver(
	ctx context.Context, claims Claims, scope tenant.Scope, c Claim, send func(ctx context.Context) error,
) (ClaimState, error) {
	err := send(ctx)
	if err == nil {
		return Claimed, nil
	}
	if errs.Is(err, errs.KindInternal) {
		return Unknown, nil
	}

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	if failed := claims.Release(ctx, scope, c); failed != nil {
		return Unknown, fmt.Errorf("%w; and the message could not be given back: %w", err, failed)
	}
	return Claimed, err
}

// Unsent wraps an error from before the message was passed to its service in an errs.Error: nothing was sent.
func Unsent(err error) error {
	if errs.Is(err, errs.KindInternal) {
		return fmt.Errorf("%w: %w", errs.Unavailable(0, "the platform failed before it was sent"), err)
	}
	return err
}
