package webhook

import (
	"context"
	"time"

	"minicloud/shared/cache"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
)

// A circuit breaker stops requests to a host that does not answer: a worker that waits for an answer delays the runs
// behind it. Answers of any status keep the circuit closed, since they come fast.
//
//	closed ──missesToOpen in a row──► open ──pause──► half-open: one probe ──► closed, or open for twice as long
//
// All instances share the state of an action, which is part of its trigger, so reading it costs nothing more. Each instance
// also keeps a state of the host, which covers other actions with the same receiver.
const (
	missesToOpen = 3
	firstPause   = 30 * time.Second
	longestPause = 5 * time.Minute
)

// pause is how long a circuit stays open after a number of attempts without an answer.
func pause(misses int) time.Duration {
	if misses < missesToOpen {
		return 0
	}
	return min(firstPause<<min(misses-missesToOpen, 10), longestPause)
}

// host is a receiver's host for one application, so that an application cannot open the circuit of another.
type host struct {
	scope tenant.Scope
	name  string // with the port
}

// circuits are the hosts that did not answer this instance.
type circuits struct {
	misses cache.Map[host, trigger.Failing]
	slow   cache.Map[host, time.Time] // until when a host counts as slow
}

// missed counts an attempt without an answer.
func (c *circuits) missed(h host, at time.Time) {
	c.misses.Update(h, func(f trigger.Failing) trigger.Failing {
		f.Misses, f.MissedAt = f.Misses+1, at
		// The half-open probe may take long, too.
		c.slow.Put(h, at.Add(pause(f.Misses)+slowFor))
		return f
	})
}

// probe reports whether this attempt may be sent. Of a host whose circuit is open it lets one attempt through when the
// pause is over.
func (c *circuits) probe(h host, at time.Time) (mine bool) {
	if _, missed := c.misses.Get(h); !missed {
		return true
	}
	c.misses.Update(h, func(f trigger.Failing) trigger.Failing {
		switch {
		case f.Misses < missesToOpen:
			mine = true
		case !at.Before(f.MissedAt.Add(pause(f.Misses))):
			mine, f.MissedAt = true, at
		}
		return f
	})
	return mine
}

// held returns an error while the circuit is open. The attempt counts as a failed one: the retry schedule goes on, so the
// run ends when it would have ended anyway.
func (d *Doer) held(one attempt) error {
	shared := one.Trigger.Failing[one.Action.ID]
	own, _ := d.hosts.misses.Get(one.host)
	until := shared.MissedAt.Add(pause(shared.Misses))
	if u := own.MissedAt.Add(pause(own.Misses)); u.After(until) {
		until = u
	}
	if wait := until.Sub(one.at); wait > 0 {
		return notSent(one, wait)
	}
	return nil
}

func notSent(one attempt, wait time.Duration) error {
	return action.Again(wait, typeHeld, "not sent: %s did not answer at least %d times in a row", one.name, missesToOpen)
}

// probe lets one attempt of all instances through when the circuit is half-open.
func (d *Doer) probe(ctx context.Context, one attempt) error {
	if !d.hosts.probe(one.host, one.at) {
		return notSent(one, firstPause)
	}
	shared := one.Trigger.Failing[one.Action.ID]
	if shared.Misses < missesToOpen {
		return nil
	}
	mine, err := d.Endpoints.Probe(ctx, one.Run.Scope, one.Trigger.ID, one.Action.ID, shared, one.at)
	if err == nil && !mine {
		err = notSent(one, firstPause)
	}
	return err
}

// failed records a failure. The shared state is written only when it changes.
func (d *Doer) failed(ctx context.Context, one attempt, missed bool) {
	if missed {
		d.hosts.missed(one.host, d.Clock.Now())
	} else {
		d.hosts.misses.Delete(one.host)
	}

	// Another answer with an error changes nothing for a receiver that is known to answer with errors.
	known := one.Trigger.Failing[one.Action.ID]
	if !missed && !known.Since.IsZero() && known.Misses == 0 {
		return
	}
	err := d.Endpoints.Failed(ctx, one.Run.Scope, one.Trigger.ID, one.Action.ID, d.Clock.Now(), missed)
	d.complain(ctx, one, err)
}

// succeeded clears the recorded failures.
func (d *Doer) succeeded(ctx context.Context, one attempt) {
	d.hosts.misses.Delete(one.host)
	if _, failing := one.Trigger.Failing[one.Action.ID]; failing {
		d.complain(ctx, one, d.Endpoints.Recovered(ctx, one.Run.Scope, one.Trigger.ID, one.Action.ID))
	}
}

// complain logs that the state of a receiver was not stored. The outcome of the attempt does not depend on it.
func (d *Doer) complain(ctx context.Context, one attempt, err error) {
	if err != nil {
		d.log().WarnContext(ctx, "a receiver's state was not kept", "trigger", one.Trigger.ID, "action", one.Action.ID,
			"error", err.Error())
	}
}
