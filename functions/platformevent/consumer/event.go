package consumer

import (
	"context"
	"encoding/json"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// file fires the triggers of an operation on a file: {operation, result, file} (D48).
func (g *Group) file(ctx context.Context, event events.EventBridgeEvent) error {
	scope, detail, err := g.detail(ctx, event)
	if err != nil {
		return err
	}
	e, err := trigger.FileEvent(scope, event.ID, event.Time, detail)
	if err != nil {
		return err
	}
	_, err = g.Engine.Fire(ctx, []trigger.Event{e})
	return err
}

// message fires the triggers of a chat message, with the message's members and _AppId in one flat object (G23).
func (g *Group) message(ctx context.Context, event events.EventBridgeEvent) error {
	scope, detail, err := g.detail(ctx, event)
	if err != nil {
		return err
	}
	if id, ok := detail[trigger.AppIDField].(string); !ok || id == "" {
		return errs.Invalid("%s must say for which mini program the message is", trigger.AppIDField)
	}
	_, err = g.Engine.Fire(ctx, []trigger.Event{trigger.MessageEvent(scope, event.ID, event.Time, detail)})
	return err
}

// detail decodes an event's detail and returns its scope: miniapp, and env unless it is production.
func (g *Group) detail(
	ctx context.Context, event events.EventBridgeEvent,
) (scope tenant.Scope, detail map[string]any, err error) {
	decoded, err := value.Decode("the detail", event.Detail)
	if err != nil {
		return scope, nil, err
	}
	detail, ok := decoded.(map[string]any)
	if !ok {
		return scope, nil, errs.Invalid("the detail must be an object")
	}
	if err := value.CheckNumbers("the detail", detail); err != nil {
		return scope, nil, err
	}

	number, _ := detail["miniapp"].(json.Number)
	app, err := number.Int64()
	if err != nil || app <= 0 {
		return scope, nil, errs.Invalid("miniapp must be the id of an application")
	}
	// A missing env means production; an env of another type is an error.
	env, isText := detail["env"].(string)
	if detail["env"] != nil && !isText {
		return scope, nil, errs.Invalid("env must be a string")
	}
	scope = tenant.Scope{App: tenant.AppID(app), Env: tenant.EnvID(env)}
	if env == "" {
		scope.Env = tenant.Production
	}
	return scope, detail, g.known(ctx, scope)
}
