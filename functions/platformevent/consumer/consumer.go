// Package consumer handles the events of the event bus, which arrive through a queue (D41, G15). A repeated event has
// no second effect. An event that can never be processed goes to the dead-letter queue with the reason.
package consumer

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/app"
	"minicloud/shared/console/deadletter"
	"minicloud/shared/errs"
	"minicloud/shared/file/imagecheck"
	"minicloud/shared/message/allowance"
	"minicloud/shared/order"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// Engine fires events; *engine.Engine implements it.
type Engine interface {
	Fire(ctx context.Context, events []trigger.Event) (done int, err error)
}

// Group handles the events of the bus.
type Group struct {
	Applications app.Reader
	Orders       *order.Service
	Engine       Engine
	Allowance    *allowance.Allowance
	Files        Files
	Images       Images
	Dead         deadletter.Refuser
	Log          *slog.Logger
}

// Consume handles a message of the queue: an event in the form of the bus. A returned error makes the queue redeliver
// it.
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

// refuse sends an event that can never be processed to the dead-letter queue.
func (g *Group) refuse(ctx context.Context, event events.EventBridgeEvent, text []byte, why error) error {
	reason := errs.Message(why)
	g.Log.WarnContext(ctx, "event refused", "event", event.ID, "detail_type", event.DetailType, "reason", reason)
	return g.Dead.Refuse(ctx, group(event), reason, text)
}

// work handles an event by its type.
func (g *Group) work(ctx context.Context, event events.EventBridgeEvent) error {
	// PutEvents refuses sources that begin with aws., so only the service itself can have sent such an event.
	switch event.Source {
	case sesSource:
		return g.feedback(ctx, event)
	case s3Source:
		return g.object(ctx, event)
	}
	switch event.DetailType {
	case "payment":
		return g.payment(ctx, event)
	case "file":
		return g.file(ctx, event)
	case "chat-message":
		return g.message(ctx, event)
	case imagecheck.EventType:
		return g.imageCheck(ctx, event)
	}
	return errs.Invalid("nobody works on events of type %q", event.DetailType)
}

// payment creates or completes the order of a payment; the change of the order is the event of triggers (G16).
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

// known returns errs.NotFound if the application or its environment does not exist (D48).
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

// final reports whether the same event would fail in every attempt.
func final(err error) bool {
	switch errs.KindOf(err) {
	case errs.KindInvalid, errs.KindNotFound, errs.KindMismatch, errs.KindForbidden, errs.KindTooLarge:
		return true
	}
	return false
}

// group returns the message group of a dead letter: the id of its application, or "unknown".
func group(event events.EventBridgeEvent) string {
	var d struct {
		App json.Number `json:"miniapp"`
	}
	if json.Unmarshal(event.Detail, &d) != nil || d.App == "" {
		return "unknown"
	}
	return d.App.String()
}
