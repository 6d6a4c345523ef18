package action

import (
	"time"

	"minicloud/shared/delivery"
	"minicloud/shared/retry"
	"minicloud/shared/trigger"
)

// otherDelays are the delays for actions that are not deliveries: they fail because of the platform or a vendor, and
// are outdated after an hour.
var otherDelays = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour}

// delaysOf returns the delays before each retry. A run that fails after the last retry has failed.
func delaysOf(t trigger.ActionType) []time.Duration {
	if t.Definition().Delivers {
		return delivery.Delays
	}
	return otherDelays
}

// MaxTries is the number of attempts of a run.
func MaxTries(t trigger.ActionType) int { return len(delaysOf(t)) + 1 }

// delayAfter returns the delay after the attempt with that number, at least atLeast. It varies by ±20 %, so that runs
// that failed together are not retried together.
func delayAfter(t trigger.ActionType, attempt int, atLeast time.Duration) time.Duration {
	delays := delaysOf(t)
	return max(retry.Spread(delays[min(max(attempt, 1), len(delays))-1]), min(atLeast, MaxAfter))
}
