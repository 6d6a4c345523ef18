package rundb

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// The rates of webhooks:
//
//	pk = <scope>#rate#<trigger>   sk = <action>#<second>   calls let through in that second
//	                              sk = <action>#line       time of the next waiting call
func rateKey(scope tenant.Scope, t trigger.ID) string { return fmt.Sprintf("%s#rate#%d", scope, t) }

// keepRate is how long such an item is kept after its second.
const keepRate = time.Hour

// Take makes one UpdateItem, which increments the count of the second if it is below the rate. If it is not, one more
// UpdateItem assigns a time, so that waiting calls come back at the rate instead of all at once.
func (s *Runs) Take(
	ctx context.Context, scope tenant.Scope, t trigger.ID, a trigger.ActionID, perSecond int, now time.Time,
) (time.Duration, error) {
	second := now.Truncate(time.Second)
	err := dynamo.Write(ctx, s.Client, dynamo.Increment(
		s.Table, rateKey(scope, t), fmt.Sprintf("%d#%d", a, second.Unix()), "n", perSecond, second.Add(keepRate),
	))
	if !dynamo.ConditionFailed(err) {
		return 0, dynamo.Wrap("count a delivery", err)
	}
	return s.line(ctx, rateKey(scope, t), fmt.Sprintf("%d#line", a), perSecond, now)
}

// line returns how long to wait: until the next second, or until the first time after all waiting calls.
func (s *Runs) line(ctx context.Context, pk, sk string, perSecond int, now time.Time) (wait time.Duration, err error) {
	// Round up: a second must not get more calls than the rate.
	step := (time.Second/time.Duration(perSecond) + time.Microsecond - 1).Truncate(time.Microsecond)
	next := now.Truncate(time.Second).Add(time.Second)
	err = retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		values := dynamo.Item{
			":next": dynamo.Number(next.UnixMicro()), ":step": dynamo.Number(step.Microseconds()),
			":expires": dynamo.Instant(next.Add(keepRate)),
		}
		it, err := dynamo.UpdateItem(ctx, s.Client, dynamo.Update(s.Table, pk, sk,
			"SET free_at = free_at + :step, expires_at = :expires", "free_at >= :next", values))
		if err == nil {
			wait = time.UnixMicro(dynamo.IntegerOf(it["free_at"])).Add(-step).Sub(now)
			return nil
		}
		if !dynamo.ConditionFailed(err) {
			return dynamo.Wrap("line up", err)
		}

		wait = next.Sub(now)
		return dynamo.Do(ctx, s.Client, "line up", errs.Conflict("others line up at the same time"),
			dynamo.Update(s.Table, pk, sk, "SET free_at = :next + :step, expires_at = :expires",
				"attribute_not_exists(free_at) OR free_at < :next", values))
	})
	return max(wait, time.Millisecond), err
}
