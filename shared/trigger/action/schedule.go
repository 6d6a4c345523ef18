package action

import (
	"time"

	"minicloud/shared/delivery"
	"minicloud/shared/retry"
	"minicloud/shared/trigger"
)

// otherDelays are the delays of other actions: they fail because of the platform or a vendor, and are stale after an
// hour.
var otherDelays = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour}

// delaysOf are the delays before each further attempt. A run that fails when they are used up has failed.
func delaysOf(t trigger.ActionType) []time.Duration {
	if t.Definition().Delivers {
		return delivery.Delays
	}
	return otherDelays
}

// MaxTries is how many attempts a run of an action has.
func MaxTries(t trigger.ActionType) int { return len(delaysOf(t)) + 1 }

// delayAfter is the delay after the attempt of that number, at least atLeast. It varies by 20 % both ways, so that runs
// that failed together are not retried together.
func delayAfter(t trigger.ActionType, attempt int, atLeast time.Duration) time.Duration {
	delays := delaysOf(t)
	return max(retry.Spread(delays[min(max(attempt, 1), len(delays))-1]), min(atLeast, MaxAfter))
}
