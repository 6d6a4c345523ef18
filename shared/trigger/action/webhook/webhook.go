// Package webhook executes webhook actions (contract, Actions: Webhook; D37).
//
//	Doer      one attempt, and how its run continues after the answer   webhook.go verdict.go
//	request   the request with its signed token                         request.go
//	circuit   a circuit breaker for hosts that do not answer            circuit.go
//	slow      the slow queue for slow receivers                         slow.go
//
// Package delivery makes and signs the requests. Rates and Endpoints are ports to the state of receivers, which all
// instances share.
package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/delivery"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
	"minicloud/shared/trace/logging"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
)

// Rates limits the attempts of an action per second, over all instances.
type Rates interface {
	// Take takes a token of the current second and returns 0. If none is left, it returns how long to wait before the
	// next call.
	Take(
		ctx context.Context, scope tenant.Scope, t trigger.ID, a trigger.ActionID, perSecond int, now time.Time,
	) (wait time.Duration, err error)
}

// Endpoints stores the state of receivers for all instances, as Trigger.Failing and Trigger.Slow. It ignores deleted
// triggers.
type Endpoints interface {
	// Failed records a failed attempt. missed means that there was no answer; an answer resets the count of misses.
	Failed(ctx context.Context, scope tenant.Scope, t trigger.ID, a trigger.ActionID, at time.Time, missed bool) error
	// Probe reports whether the caller is the first to take the half-open probe of a receiver.
	Probe(
		ctx context.Context, scope tenant.Scope, t trigger.ID, a trigger.ActionID, seen trigger.Failing, at time.Time,
	) (bool, error)
	// Slow marks a receiver as slow until a time.
	Slow(ctx context.Context, scope tenant.Scope, t trigger.ID, a trigger.ActionID, until time.Time) error
	// Recovered clears the recorded failures.
	Recovered(ctx context.Context, scope tenant.Scope, t trigger.ID, a trigger.ActionID) error
}

// Doer is the action.Doer of webhooks. An attempt makes no DynamoDB call of its own while its receiver answers well, and
// one for an action with a rate limit.
type Doer struct {
	Sealer    sealed.Sealer
	Depths    delivery.Depths
	Sender    delivery.Sender
	Rates     Rates
	Endpoints Endpoints
	Clock     clock.Clock
	Log       *slog.Logger
}

// attempt is one attempt at a run.
type attempt struct {
	action.Work
	name string // host name, for messages to the owner
	at   time.Time
}

// Do sends one request, at least once: after a crash it is sent again with the same id.
func (d *Doer) Do(ctx context.Context, w action.Work) (action.Result, error) {
	settings, ok := w.Action.Settings.(*trigger.WebhookSettings)
	if !ok {
		return action.Result{}, fmt.Errorf("action %d has settings of another type", w.Action.ID)
	}
	target, err := url.Parse(settings.URL)
	if err != nil {
		return action.Result{}, action.Permanent(delivery.TypeTarget, "the url of the webhook is none")
	}
	one := attempt{Work: w, name: target.Hostname(), at: d.Clock.Now()}

	// Check the circuit breaker before the rate limiter, and the limiter before the half-open probe: each consumes a token.
	if err := d.held(one); err != nil {
		return action.Result{Slow: true}, err
	}
	if slow(one) && !w.Slow {
		return action.Result{Unfinished: true, Slow: true}, nil
	}
	if settings.RatePerSecond > 0 {
		wait, err := d.Rates.Take(ctx, w.Run.Scope, w.Trigger.ID, w.Action.ID, settings.RatePerSecond, one.at)
		if err != nil || wait > 0 {
			return action.Result{Unfinished: true, After: wait, Slow: w.Slow}, err
		}
	}
	request, err := d.request(ctx, one, settings.URL)
	if err != nil {
		return action.Result{}, err
	}
	if err := d.probe(ctx, one); err != nil {
		return action.Result{Slow: true}, err
	}

	answer, err := d.send(ctx, one, request)
	return d.verdict(ctx, one, answer, delivery.Judge(request, answer, err))
}

func (d *Doer) log() *slog.Logger { return logging.OrNone(d.Log) }
