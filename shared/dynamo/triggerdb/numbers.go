package triggerdb

import (
	"context"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/action"
)

// Each number has the times of its last messages, for rate limits:
//
//	pk = <scope>#number#<number>   sk = sent   times of the last claimed messages
func numberPK(scope tenant.Scope, number string) string { return scope.String() + "#number#" + number }

const numberSK = "sent"

// keptTimes and keepNumbers limit how many times are kept, and for how long. Both exceed what any rate limit needs.
const (
	keptTimes   = 20
	keepNumbers = 48 * time.Hour
)

type numberItem struct {
	Times    []int64 `dynamodbav:"times"` // Unix milliseconds, oldest first
	Revision int64   `dynamodbav:"revision"`
	Expires  int64   `dynamodbav:"expires_at"` // Unix seconds
}

// ClaimNumber makes one GetItem and one transaction of the claim and the number, or two GetItems if the message must
// wait.
func (s *Claims) ClaimNumber(
	ctx context.Context, scope tenant.Scope, c action.Claim, limit func([]time.Time) time.Duration,
) (state action.ClaimState, wait time.Duration, err error) {
	err = retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		state, wait, err = s.claimNumber(ctx, scope, c, limit)
		return err
	})
	return state, wait, err
}

func (s *Claims) claimNumber(
	ctx context.Context, scope tenant.Scope, c action.Claim, limit func([]time.Time) time.Duration,
) (action.ClaimState, time.Duration, error) {
	old, err := dynamo.Get[numberItem](ctx, s.Client, s.Table, numberPK(scope, c.To), numberSK, nil)
	if err != nil {
		return 0, 0, err
	}
	var times []time.Time
	for _, ms := range old.Times {
		times = append(times, time.UnixMilli(ms))
	}
	if wait := limit(times); wait > 0 {
		return s.waiting(ctx, scope, c, wait)
	}

	now := s.Clock.Now()
	next := numberItem{
		Times: append(old.Times, now.UnixMilli()), Revision: old.Revision + 1, Expires: now.Add(keepNumbers).Unix(),
	}
	next.Times = next.Times[max(0, len(next.Times)-keptTimes):]
	number := dynamo.PutRevision(s.Table, dynamo.Encode(numberPK(scope, c.To), numberSK, next), old.Revision)

	err = dynamo.Transact(ctx, s.Client, s.claimPart(scope, c), number)
	switch {
	case dynamo.ConditionFailedAt(err, 0):
		return claimState(dynamo.ItemAt(err, 0)), 0, nil
	case dynamo.ConditionFailedAt(err, 1):
		return 0, 0, errs.Conflict("another message is going to the same number")
	}
	return action.Claimed, 0, dynamo.Wrap("claim a message", err)
}

// waiting returns the state of a claim whose message must wait, or the wait if it is not claimed.
func (s *Claims) waiting(
	ctx context.Context, scope tenant.Scope, c action.Claim, wait time.Duration,
) (action.ClaimState, time.Duration, error) {
	it, err := dynamo.GetItem(ctx, s.Client, s.Table, claimPK(scope, c), claimSK(c))
	switch {
	case err != nil:
		return 0, 0, err
	case len(it) == 0:
		return 0, wait, nil
	case dynamo.TextOf(it["claimed_by"]) == c.Owner: // the answer to the transaction was lost
		return action.Claimed, 0, nil
	case claimState(it) == action.Unknown && dynamo.IntegerOf(it["claim_round"]) < c.Round:
		return 0, wait, nil
	}
	return claimState(it), 0, nil
}
