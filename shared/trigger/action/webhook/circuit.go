package webhook

import (
	"context"
	"time"

	"minicloud/shared/trigger/action"
)

// A circuit breaker stops requests to a host that does not answer: a worker that waits for an answer delays the runs
// behind it. Answers of any status keep the circuit closed, since they come fast.
//
//	closed ──missesToOpen in a row──► open ──pause──► half-open: one probe ──► closed, or open for twice as long
//
// All instances share the state of an action, which is part of its trigger, so reading it costs nothing more.
const (
	missesToOpen = 3
	firstPause   = 30 * time.Second
	longestPause = 5 * time.Minute
)

// pause returns how long a circuit stays open after a number of misses in a row.
func pause(misses int) time.Duration {
	if misses < missesToOpen {
		return 0
	}
	return min(firstPause<<min(misses-missesToOpen, 10), longestPause)
}

// held returns an error while the circuit is open. This counts as a failed attempt: the retry schedule continues, so
// that the run ends no later than otherwise.
func (d *Doer) held(one attempt) error {
	known := one.Trigger.Failing[one.Action.ID]
	if wait := known.MissedAt.Add(pause(known.Misses)).Sub(one.at); wait > 0 {
		return notSent(one, wait)
	}
	return nil
}

func notSent(one attempt, wait time.Duration) error {
	return action.Again(wait, typeHeld, "not sent: %s did not answer at least %d times in a row", one.name, missesToOpen)
}

// probe lets one attempt of all instances through when the circuit is half-open.
func (d *Doer) probe(ctx context.Context, one attempt) error {
	known := one.Trigger.Failing[one.Action.ID]
	if known.Misses < missesToOpen {
		return nil
	}
	mine, err := d.Endpoints.Probe(ctx, one.Run.Scope, one.Trigger.ID, one.Action.ID, known, one.at)
	if err == nil && !mine {
		err = notSent(one, firstPause)
	}
	return err
}

// failed records a failure. The shared state is written only when it changes.
func (d *Doer) failed(ctx context.Context, one attempt, missed bool) {

	// A receiver that is known to answer with errors stays in that state after another error.
	known := one.Trigger.Failing[one.Action.ID]
	if !missed && !known.Since.IsZero() && known.Misses == 0 {
		return
	}
	err := d.Endpoints.Failed(ctx, one.Run.Scope, one.Trigger.ID, one.Action.ID, d.Clock.Now(), missed)
	d.complain(ctx, one, err)
}

// succeeded clears the recorded failures.
func (d *Doer) succeeded(ctx context.Context, one attempt) {
	if _, failing := one.Trigger.Failing[one.Action.ID]; failing {
		d.complain(ctx, one, d.Endpoints.Recovered(ctx, one.Run.Scope, one.Trigger.ID, one.Action.ID))
	}
}

// complain logs that the state of a receiver was not stored. The result of the attempt does not depend on it.
func (d *Doer) complain(ctx context.Context, one attempt, err error) {
	if err != nil {
		d.log().WarnContext(ctx, "a receiver's state was not kept", "trigger", one.Trigger.ID, "action", one.Action.ID,
			"error", err.Error())
	}
}
