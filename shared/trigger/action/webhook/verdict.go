package webhook

import (
	"context"
	"errors"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/trigger/action"
)

// Types of the errors in the log.
const (
	typeStatus      = "status"      // the answer was not 2xx
	typeTimeout     = "timeout"     // no answer came in time
	typeUnreachable = "unreachable" // no answer came
	typeTarget      = "target"      // an address that webhooks must not call
	typeGone        = "gone"        // 410: disabled at once
	typeFailing     = "failing"     // for giveUpAfter: disabled
	typeHeld        = "held"        // not sent: the host does not answer
)

// statusGone is the status of a receiver that wants no more.
const statusGone = 410

const (
	// giveUpAfter is how long a receiver may fail, without a success between, before its action is disabled (D37).
	giveUpAfter = 5 * 24 * time.Hour
	// maxRetryAfter is the longest that a receiver can put the next attempt off: the longest delay of the schedule.
	maxRetryAfter = 24 * time.Hour
)

// verdict says what an answer means, and remembers it.
func (d *Doer) verdict(ctx context.Context, one delivery, answer Answer, err error) (action.Result, error) {
	result := action.Result{StatusCode: answer.Status, Response: answer.Body}
	failure := one.failure(answer, err)
	switch {
	case err != nil && failure == nil:
		return result, err // nothing is known of the receiver
	case failure == nil:
		d.succeeded(ctx, one)
		return result, nil
	case failure.Permanent:
		return result, failure
	}

	d.failed(ctx, one, err != nil)
	result.Slow = err != nil || d.slow(one)
	if since := one.Trigger.Failing[one.Action.ID].Since; !since.IsZero() && one.at.Sub(since) >= giveUpAfter {
		return result, action.Disable(typeFailing, "%s has failed for 5 days, since %s: %s",
			one.name, since.UTC().Format(time.RFC3339), failure.Message)
	}
	return result, failure
}

// failure is what an answer that is no success means; nil, with an error, where it says nothing about the receiver.
func (one delivery) failure(answer Answer, err error) *action.Failure {
	switch {
	case errs.Is(err, errs.KindInvalid):
		return &action.Failure{Type: typeTarget, Message: errs.Message(err), Permanent: true}
	case errs.Is(err, errs.KindTimeout):
		return &action.Failure{Type: typeTimeout, Message: errs.Message(err)}
	case errs.Is(err, errs.KindUnavailable):
		return &action.Failure{Type: typeUnreachable, Message: errs.Message(err)}
	case err != nil, answer.Status >= 200 && answer.Status <= 299:
		return nil
	case answer.Status == statusGone:
		return as(action.Disable(typeGone, "%s answered 410: it wants no more of this", one.name))
	case answer.Status >= 300 && answer.Status <= 399:
		return as(action.Again(min(answer.RetryAfter, maxRetryAfter), typeStatus,
			"%s answered %d, and redirects are not followed", one.name, answer.Status))
	}
	return as(action.Again(min(answer.RetryAfter, maxRetryAfter), typeStatus,
		"%s answered %d", one.name, answer.Status))
}

func as(err error) *action.Failure {
	f, _ := errors.AsType[*action.Failure](err)
	return f
}
