package queue

import (
	"context"
	"strconv"
	"time"

	"minicloud/shared/bulk"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// Bulk implements bulk.Queue on SQS.
type Bulk struct{ Queue }

// Submit implements bulk.Queue.
func (q *Bulk) Submit(ctx context.Context, scope tenant.Scope, operation id.ID, delay time.Duration) error {
	return q.send(
		ctx, bulk.Message{Scope: scope.String(), Operation: operation}, strconv.FormatInt(int64(scope.App), 10), delay,
	)
}
