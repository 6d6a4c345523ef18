package webhook

import (
	"context"
	"time"

	"minicloud/shared/delivery"
)

// A queue gets a batch of messages back when the slowest of them is done. A delivery that waits long keeps a worker,
// and when there are enough of them no worker is left for the others. So what may take long is done apart
// (Result.Slow): deliveries to receivers that did not answer the last time, or have taken long of late.
//
// No request is broken off for that: a receiver has 5 s for its answer, and one that is sent twice is done twice by
// those who do not look at its id. While it waits, it says so: no more are sent after it.
const (
	slowAfter = time.Second // without an answer
	slowFor   = time.Minute // then one is sent with the fast ones again
)

// slow reports whether a delivery may take long.
func (d *Doer) slow(one attempt) bool {
	if one.Trigger.Failing[one.Action.ID].Misses > 0 || one.at.Before(one.Trigger.Slow[one.Action.ID]) {
		return true
	}
	until, _ := d.hosts.slow.Get(one.host)
	return one.at.Before(until)
}

// send sends a request. One that has waited for slowAfter makes its receiver a slow one.
func (d *Doer) send(ctx context.Context, one attempt, r delivery.Request) (delivery.Answer, error) {
	noted := make(chan struct{})
	long := time.AfterFunc(slowAfter, func() {
		defer close(noted)
		d.takesLong(ctx, one)
	})

	answer, err := d.Sender.Send(ctx, r)
	if !long.Stop() {
		<-noted
	}
	return answer, err
}

// takesLong tells the others, unless they know.
func (d *Doer) takesLong(ctx context.Context, one attempt) {
	until := d.Clock.Now().Add(slowFor)
	d.hosts.slow.Put(one.host, until)

	known := one.Trigger.Failing[one.Action.ID].Misses > 0 ||
		one.Trigger.Slow[one.Action.ID].Sub(one.at) > slowFor/2
	if !known {
		d.complain(ctx, one, d.Endpoints.Slow(ctx, one.Run.Scope, one.Trigger.ID, one.Action.ID, until))
	}
}
