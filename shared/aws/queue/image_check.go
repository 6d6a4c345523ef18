package queue

import (
	"context"
	"strconv"
	"time"

	"minicloud/shared/file/imagecheck"
	"minicloud/shared/tenant"
)

// ImageChecks implements imagecheck.Queue on the queue of platform events, whose retries outlast the outage of a vendor. A
// task has the form of an event, so that a dead letter is read and redriven as one.
type ImageChecks struct{ Queue }

// Submit implements imagecheck.Queue.
func (q *ImageChecks) Submit(ctx context.Context, scope tenant.Scope, t imagecheck.Task) error {
	event := map[string]any{
		"id": t.ID, "source": "minicloud", "detail-type": imagecheck.EventType, "time": t.At.UTC().Format(time.RFC3339),
		"detail": struct {
			App tenant.AppID `json:"miniapp"`
			Env tenant.EnvID `json:"env"`
			imagecheck.Task
		}{scope.App, scope.Env, t},
	}
	return q.send(ctx, event, strconv.FormatInt(int64(scope.App), 10), 0)
}
