package action

import (
	"time"

	"minicloud/shared/retry"
	"minicloud/shared/trigger"
)

// The delays before each further attempt. A run that fails when they are used up has failed.
var (
	// webhookDelays are the ones of D37: the receiver may be away for three days.
	webhookDelays = []time.Duration{
		5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
		5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
	// otherDelays are ours: what fails there is the platform or a vendor, and after an hour the news is old.
	otherDelays = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour}
)

func delaysOf(t trigger.ActionType) []time.Duration {
	if t == trigger.Webhook {
		return webhookDelays
	}
	return otherDelays
}

// MaxTries is how many attempts a run of an action has.
func MaxTries(t trigger.ActionType) int { return len(delaysOf(t)) + 1 }

// delayAfter is how long to wait after the attempt of that number, at least atLeast. It varies by 20 % both ways, so
// that those who failed together do not come back together.
func delayAfter(t trigger.ActionType, attempt int, atLeast time.Duration) time.Duration {
	delays := delaysOf(t)
	d := delays[min(max(attempt, 1), len(delays))-1]
	d += time.Duration(retry.Jitter(int64(d/5*2)+1)) - d/5
	return max(d, min(atLeast, MaxAfter))
}
