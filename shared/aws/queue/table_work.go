package queue

import (
	"context"
	"time"

	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// TableWork implements manage.Worker on SQS.
type TableWork struct{ Queue }

// Submit implements manage.Worker.
func (q *TableWork) Submit(ctx context.Context, task table.Task, delay int) error {
	return q.send(ctx, task, tenant.FairnessKey(task.Scope), time.Duration(delay)*time.Second)
}
