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

// Claim is the right to send one message of a run (D38). Whoever has it sends; it is kept as long as the run can be
// replayed, so that nobody sends again.
type Claim struct {
	Run   string
	To    string // whom, where the run sends to several; "" = it sends one message
	Owner string // who claims
	Round int64  // see Work.round
}

// ClaimState is what is known of a message.
type ClaimState int

// The states.
const (
	Claimed ClaimState = iota // it is ours to send
	WasSent                   // it was sent
	Unknown                   // a worker claimed it and did not report the result
)

// Claims remembers claims.
type Claims interface {
	// Claim takes a message without a claim, or one that was Unknown in an earlier round. The same claim of a Claimed
	// message is Claimed again.
	Claim(ctx context.Context, scope tenant.Scope, c Claim) (ClaimState, error)
	// Sent notes that it was sent.
	Sent(ctx context.Context, scope tenant.Scope, c Claim) error
	// Release gives a message back that was not sent.
	Release(ctx context.Context, scope tenant.Scope, c Claim) error
}

// Interrupted is the type of error of a run whose worker died while it sent, so that the result is unknown.
const Interrupted = "interrupted"

// round says which try of the owner a run is in. A message whose fate is unknown is not sent again, and its run fails
// as interrupted; when its owner replays that run, knowing so, a new round begins: the time of that attempt.
func (w Work) round() int64 {
	for i := len(w.Run.Attempts) - 1; i >= 0; i-- {
		if strings.HasPrefix(w.Run.Attempts[i].Error, Interrupted+":") {
			return w.Run.Attempts[i].At
		}
	}
	return 0
}

// NewClaim is a claim of a message of the work's run.
func (w Work) NewClaim(to string) Claim {
	return Claim{Run: w.Run.ID, To: to, Owner: id.Hex(8), Round: w.round()}
}

// releaseTime is how long giving a claim back may take when the attempt's own time is over.
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

// Deliver sends a message that is claimed, and gives the claim back when nothing was sent: then send returns an
// errs.Error. After any other error it is unknown whether the message was sent, so it is not sent again.
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

// Unsent makes an errs.Error of an error before a message was given to its service: nothing was sent.
func Unsent(err error) error {
	if errs.Is(err, errs.KindInternal) {
		return fmt.Errorf("%w: %w", errs.Unavailable(0, "the platform failed before it was sent"), err)
	}
	return err
}
