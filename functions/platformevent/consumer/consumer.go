// Package consumer is fed by the event bus through a queue (D41, G15). An event that comes again has no second effect,
// and one that can never be worked on goes to the dead-letter queue with the reason.
package consumer

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/app"
	"minicloud/shared/console/deadletter"
	"minicloud/shared/errs"
	"minicloud/shared/order"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// Applications finds applications; app.Store is one.
type Applications interface {
	Application(ctx context.Context, id tenant.AppID) (app.Application, error)
}

// Engine fires events; *trigger.Engine is one.
type Engine interface {
	Fire(ctx context.Context, events []trigger.Event) (done int, err error)
}

// Group is the bus's face of the domains.
type Group struct {
	Applications Applications
	Orders       *order.Service
	Engine       Engine
	Dead         deadletter.Refuser
	Log          *slog.Logger
}

// Consume works on a message of the queue, which is an event as the bus delivers it. An error brings it again.
func (g *Group) Consume(ctx context.Context, message []byte) error {
	var event events.EventBridgeEvent
	if err := json.Unmarshal(message, &event); err != nil {
		return g.refuse(ctx, event, message, errs.Invalid("it is no event: %v", err))
	}

	err := g.work(ctx, event)
	if err == nil || !final(err) {
		return err
	}
	return g.refuse(ctx, event, message, err)
}

// refuse puts what can never be worked on into the dead-letter queue.
func (g *Group) refuse(ctx context.Context, event events.EventBridgeEvent, text []byte, why error) error {
	reason := errs.Message(why)
	g.Log.WarnContext(ctx, "event refused", "event", event.ID, "detail_type", event.DetailType, "reason", reason)
	return g.Dead.Refuse(ctx, group(event), reason, text)
}

// work does what an event of its type asks.
func (g *Group) work(ctx context.Context, event events.EventBridgeEvent) error {
	switch event.DetailType {
	case "payment":
		return g.payment(ctx, event)
	case "file":
		return g.file(ctx, event)
	case "chat-message":
		return g.message(ctx, event)
	}
	return errs.Invalid("nobody works on events of type %q", event.DetailType)
}

// payment creates the order it names, or completes it; the order's change is what triggers see (G16).
func (g *Group) payment(ctx context.Context, event events.EventBridgeEvent) error {
	d, err := order.ParseDetail(event.Detail)
	if err != nil {
		return err
	}
	if err := g.known(ctx, d.Scope); err != nil {
		return err
	}
	o, changed, err := g.Orders.Paid(ctx, d.Scope, d.Payment)
	if err == nil {
		g.Log.InfoContext(ctx, "payment", "event", event.ID, "scope", d.Scope.String(), "order", int64(o.ID),
			"status", string(o.Status), "changed", changed)
	}
	return err
}

// known refuses what names an application or environment that does not exist (D48).
func (g *Group) known(ctx context.Context, scope tenant.Scope) error {
	application, err := g.Applications.Application(ctx, scope.App)
	switch {
	case errs.Is(err, errs.KindNotFound):
		return errs.NotFound("miniapp %d is not an application", scope.App)
	case err != nil:
		return err
	}
	if _, known := application.Environment(scope.Env); !known {
		return errs.NotFound("env is not an environment of application %d", scope.App)
	}
	return nil
}

// final reports whether the same event would fail again for ever.
func final(err error) bool {
	switch errs.KindOf(err) {
	case errs.KindInvalid, errs.KindNotFound, errs.KindMismatch, errs.KindForbidden, errs.KindTooLarge:
		return true
	}
	return false
}

// group is that of the dead letter: its application, where it names one.
func group(event events.EventBridgeEvent) string {
	var d struct {
		App json.Number `json:"miniapp"`
	}
	if json.Unmarshal(event.Detail, &d) != nil || d.App == "" {
		return "unknown"
	}
	return d.App.String()
}
