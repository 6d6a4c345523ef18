package webhook

import (
	"context"
	"time"

	"minicloud/shared/delivery"
)

// A worker acknowledges a batch of messages when the slowest one is done, so a few slow receivers could occupy all
// workers. Attempts that may take long therefore go to the slow queue (Result.Slow): those to receivers that did not
// answer the last attempt, or recently took longer than slowAfter.
//
// A request in progress is never aborted: a receiver has 5 s, and a second request would repeat the effect at a
// receiver that ignores the webhook-id. A request that exceeds slowAfter marks its receiver at once, so that later
// attempts go to the slow queue.
const (
	slowAfter = time.Second // without an answer
	slowFor   = time.Minute // until the receiver is tried in the fast queue again
)

// slow reports whether a delivery may take long.
func slow(one attempt) bool {
	return one.Trigger.Failing[one.Action.ID].Misses > 0 || one.at.Before(one.Trigger.Slow[one.Action.ID])
}

// send sends a request. It marks the receiver as slow if there is no answer within slowAfter.
func (d *Doer) send(ctx context.Context, one attempt, r delivery.Request) (delivery.Answer, error) {
	noted := make(chan struct{})
	long := time.AfterFunc(slowAfter, func() {
		defer close(noted)
		d.takesLong(ctx, one)
	})

	answer, err := d.Sender.Send(ctx, r)
	// Store the mark before the attempt ends: Lambda freezes a program after its response.
	if !long.Stop() {
		<-noted
	}
	return answer, err
}

// takesLong marks the receiver as slow, unless it is marked already.
func (d *Doer) takesLong(ctx context.Context, one attempt) {
	until := d.Clock.Now().Add(slowFor)

	known := one.Trigger.Failing[one.Action.ID].Misses > 0 ||
		one.Trigger.Slow[one.Action.ID].Sub(one.at) > slowFor/2
	if !known {
		d.complain(ctx, one, d.Endpoints.Slow(ctx, one.Run.Scope, one.Trigger.ID, one.Action.ID, until))
	}
}
