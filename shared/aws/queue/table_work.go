package queue

import (
	"context"
	"strings"
	"time"

	"minicloud/shared/table"
)

// TableWork implements manage.Worker on SQS.
type TableWork struct{ Queue }

// Submit implements manage.Worker.
func (q *TableWork) Submit(ctx context.Context, task table.Task, delay int) error {
	application, _, _ := strings.Cut(task.Scope, ".")
	return q.send(ctx, task, application, time.Duration(delay)*time.Second)
}
