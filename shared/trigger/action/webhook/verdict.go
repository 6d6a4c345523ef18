package webhook

import (
	"context"
	"time"

	"minicloud/shared/delivery"
	"minicloud/shared/trigger/action"
)

// Types of errors in the log, in addition to those of package delivery.
const (
	typeFailing = "failing" // failed for giveUpAfter; the action is disabled
	typeHeld    = "held"    // not sent because the host does not answer
)

// giveUpAfter is how long a receiver may fail without a success before its action is disabled (D37).
const giveUpAfter = 5 * 24 * time.Hour

// verdict records the outcome of an attempt, as delivery.Judge returned it, and returns the result of the run.
func (d *Doer) verdict(ctx context.Context, one attempt, answer delivery.Answer, outcome error) (action.Result, error) {
	result := action.Result{StatusCode: answer.Status, Response: answer.Body}
	failure := delivery.AsFailure(outcome)
	switch {
	case outcome == nil:
		d.succeeded(ctx, one)
		return result, nil
	case failure == nil:
		return result, outcome
	case failure.Type == delivery.TypeGone:
		return result, action.Disable(failure.Type, "%s", failure.Message)
	case failure.Final:
		return result, action.Permanent(failure.Type, "%s", failure.Message)
	}

	// An attempt without an answer has no status. The next one may take as long, so it goes to the slow queue.
	missed := answer.Status == 0
	d.failed(ctx, one, missed)
	result.Slow = missed || slow(one)
	if since := one.Trigger.Failing[one.Action.ID].Since; !since.IsZero() && one.at.Sub(since) >= giveUpAfter {
		return result, action.Disable(typeFailing, "%s has failed for 5 days, since %s: %s",
			one.name, since.UTC().Format(time.RFC3339), failure.Message)
	}
	return result, action.Again(failure.After, failure.Type, "%s", failure.Message)
}
