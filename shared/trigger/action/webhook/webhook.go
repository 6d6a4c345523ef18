// Package webhook tells receivers what happened (contract, Actions: Webhook; D37).
//
//	Doer       one delivery, and what its answer means          webhook.go verdict.go
//	Request    what the receiver gets: a signed token           request.go
//	circuit    hosts that do not answer are left alone a while  circuit.go
//	slow       those that take long hold up only each other     slow.go
//
// What leaves the platform, and what it remembers of receivers, are ports: Sender, Rates, Endpoints.
package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/logging"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
)

// Sender sends requests.
type Sender interface {
	// Send posts a request and returns its answer, whatever its status. errs.Invalid where the target is one that must
	// not be called, errs.Timeout and errs.Unavailable where no answer came.
	Send(ctx context.Context, r Request) (Answer, error)
}

// Depths signs how deep in a chain of triggers a webhook is; *job.RunHosts does.
type Depths interface {
	// DepthHeader returns the depth.Header of a request that work of an application sends.
	DepthHeader(ctx context.Context, of tenant.AppID, depth int) (string, error)
}

// Answer is what a receiver said.
type Answer struct {
	Status     int
	Body       string        // its beginning
	RetryAfter time.Duration // 0 = not said
}

// Rates lets so many deliveries of an action a second through, counted over all instances.
type Rates interface {
	// Take takes one of the places of now's second, and returns 0. Where all are taken it returns how long to wait
	// before asking again.
	Take(
		ctx context.Context, scope tenant.Scope, t trigger.ID, a trigger.ActionID, perSecond int, now time.Time,
	) (wait time.Duration, err error)
}

// Endpoints remembers which receivers fail, for all instances: Trigger.Failing is what it remembers. Of a trigger that
// is gone it remembers nothing.
type Endpoints interface {
	// Failed notes that an attempt failed. missed says that no answer came at all; an answer ends a row of those.
	Failed(ctx context.Context, scope tenant.Scope, t trigger.ID, a trigger.ActionID, at time.Time, missed bool) error
	// Probe gives one caller of all the next attempt at a receiver that did not answer: false for those who come later.
	Probe(
		ctx context.Context, scope tenant.Scope, t trigger.ID, a trigger.ActionID, seen trigger.Failing, at time.Time,
	) (bool, error)
	// Slow notes that a receiver takes long to answer: until then it counts as slow.
	Slow(ctx context.Context, scope tenant.Scope, t trigger.ID, a trigger.ActionID, until time.Time) error
	// Recovered forgets that it failed.
	Recovered(ctx context.Context, scope tenant.Scope, t trigger.ID, a trigger.ActionID) error
}

// Doer is the action.Doer of webhooks. A delivery costs no call of its own while its receiver answers well, and one
// more for each second's rate that it has to keep.
type Doer struct {
	Sealer    sealed.Sealer
	Depths    Depths
	Sender    Sender
	Rates     Rates
	Endpoints Endpoints
	Clock     clock.Clock
	Log       *slog.Logger

	hosts circuits
}

var _ action.Doer = (*Doer)(nil)

// delivery is one attempt.
type delivery struct {
	action.Work
	host host
	name string // of the host, for the owner
	at   time.Time
}

// Do sends one request. At least once: a crash after it was sent sends it again, with the same id.
func (d *Doer) Do(ctx context.Context, w action.Work) (action.Result, error) {
	settings, ok := w.Action.Settings.(*trigger.WebhookSettings)
	if !ok {
		return action.Result{}, fmt.Errorf("action %d has settings of another type", w.Action.ID)
	}
	target, err := url.Parse(settings.URL)
	if err != nil {
		return action.Result{}, action.Permanent(typeTarget, "the url of the webhook is none")
	}
	one := delivery{
		Work: w, host: host{w.Run.Scope, target.Host}, name: target.Hostname(), at: d.Clock.Now(),
	}

	// What is held takes no place of the rate, and what waits for the rate uses no probe up.
	if err := d.held(one); err != nil {
		return action.Result{Slow: true}, err
	}
	if d.slow(one) && !w.Slow {
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
	return d.verdict(ctx, one, answer, err)
}

func (d *Doer) log() *slog.Logger { return logging.OrNone(d.Log) }
