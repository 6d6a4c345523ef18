package consumer

import (
	"context"
	"encoding/json"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/errs"
	"minicloud/shared/file/imagecheck"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// Images checks images; *imagecheck.Service implements it.
type Images interface {
	Run(ctx context.Context, scope tenant.Scope, t imagecheck.Task) (imagecheck.Check, error)
}

// imageCheck checks an image and fires the event of its result. While the vendor is down, the queue redelivers the task.
// An image that was deleted or replaced meanwhile needs no check.
func (g *Group) imageCheck(ctx context.Context, event events.EventBridgeEvent) error {
	scope, detail, err := g.detail(ctx, event)
	if err != nil {
		return err
	}
	task := imagecheck.Task{ID: event.ID, At: event.Time}
	if err := json.Unmarshal(event.Detail, &task); err != nil {
		return errs.Invalid("it is no task of an image: %v", err)
	}

	check, err := g.Images.Run(ctx, scope, task)
	if errs.Is(err, errs.KindNotFound) {
		return nil
	}
	if err != nil || task.Record == nil {
		return err
	}
	result := trigger.ResultSuccess
	if !check.Passed() {
		result = trigger.ResultFail
	}
	e, err := trigger.FileEvent(scope, event.ID, event.Time, map[string]any{
		"operation": string(trigger.FileImageCheck), "result": result, "file": detail["record"],
	})
	if err != nil {
		return err
	}
	_, err = g.Engine.Fire(ctx, []trigger.Event{e})
	return err
}
