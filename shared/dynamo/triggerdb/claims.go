package triggerdb

import (
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/clock"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/bulkdb"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/action/message"
)

// Claims implements action.Claims, action.Messages, message.Claims and sms.Claims, in the table of the log:
//
//	pk = <scope>#message#<run>   sk = to#<whom>   owner and round of the claim, and when the message was sent
type Claims struct {
	Client *dynamo.Client
	Table  string
	Clock  clock.Clock
}

func claimPK(scope tenant.Scope, c action.Claim) string { return scope.String() + "#message#" + c.Run }
func claimSK(c action.Claim) string                     { return "to#" + c.To }

// freeClaim is the condition that a claim may be taken: it has no owner, or its owner is of an earlier round. The same
// owner may take it again, in case the answer to its first write was lost.
const freeClaim = "attribute_not_exists(sent_at) AND (" + dynamo.NotExists +
	" OR claim_round < :round OR claimed_by = :by)"

// claimPart returns the write that takes a claim.
func (s *Claims) claimPart(scope tenant.Scope, c action.Claim) dynamo.Part {
	return dynamo.Update(s.Table, claimPK(scope, c), claimSK(c),
		"SET claimed_by = :by, claim_round = :round, expires_at = :expires", freeClaim, dynamo.Item{
			":by": dynamo.Text(c.Owner), ":round": dynamo.Number(c.Round),
			":expires": dynamo.Instant(s.Clock.Now().Add(bulkdb.KeepMarks)),
		})
}

// claimState returns the state of a claim that could not be taken.
func claimState(it dynamo.Item) action.ClaimState {
	if _, sent := it["sent_at"]; sent {
		return action.WasSent
	}
	return action.Unknown
}

// Claim makes one conditional UpdateItem.
func (s *Claims) Claim(ctx context.Context, scope tenant.Scope, c action.Claim) (action.ClaimState, error) {
	err := dynamo.Write(ctx, s.Client, s.claimPart(scope, c))
	if dynamo.ConditionFailed(err) {
		return claimState(dynamo.ItemAt(err, 0)), nil
	}
	return action.Claimed, dynamo.Wrap("claim a message", err)
}

// Sent makes one conditional UpdateItem.
func (s *Claims) Sent(ctx context.Context, scope tenant.Scope, c action.Claim) error {
	err := dynamo.Write(ctx, s.Client, dynamo.Update(
		s.Table, claimPK(scope, c), claimSK(c), "SET sent_at = :at", dynamo.Exists,
		dynamo.Item{":at": dynamo.Instant(s.Clock.Now())},
	))
	return dynamo.Wrap("note that a message was sent", err)
}

// Release makes one conditional DeleteItem. A missing claim was released by an attempt whose answer was lost.
func (s *Claims) Release(ctx context.Context, scope tenant.Scope, c action.Claim) error {
	return dynamo.Do(ctx, s.Client, "give a message back", nil, dynamo.Delete(
		s.Table, claimPK(scope, c), claimSK(c), "claimed_by = :by", dynamo.Item{":by": dynamo.Text(c.Owner)},
	))
}

// Messages makes two counting Queries of one MB each: about eight thousand messages.
func (s *Claims) Messages(ctx context.Context, scope tenant.Scope, run string) (sent, unknown int, err error) {
	for condition, n := range map[string]*int{
		"attribute_exists(sent_at)": &sent, "attribute_not_exists(sent_at)": &unknown,
	} {
		query := dynamo.Query(s.Table, claimPK(scope, action.Claim{Run: run}), "", "", true, 0)
		query.Select, query.FilterExpression, query.Limit = types.SelectCount, &condition, nil
		out, err := s.Client.Query(ctx, query)
		if err != nil {
			return 0, 0, dynamo.Wrap("count messages", err)
		}
		*n = int(out.Count)
	}
	return sent, unknown, nil
}

// Held makes one Query.
func (s *Claims) Held(
	ctx context.Context, scope tenant.Scope, run, first, last string,
) (map[string]message.Held, error) {
	held := map[string]message.Held{}
	from, to := claimSK(action.Claim{To: first}), claimSK(action.Claim{To: last})
	query := dynamo.Query(s.Table, claimPK(scope, action.Claim{Run: run}), from, to, false, 0)
	for it, err := range dynamo.Items(ctx, s.Client, query) {
		if err != nil {
			return nil, err
		}
		one := message.Held{State: claimState(it), Round: dynamo.IntegerOf(it["claim_round"])}
		if one.State == action.WasSent {
			one.SentAt = time.Unix(dynamo.IntegerOf(it["sent_at"]), 0)
		}
		held[strings.TrimPrefix(dynamo.TextOf(it["sk"]), claimSK(action.Claim{}))] = one
	}
	return held, nil
}
