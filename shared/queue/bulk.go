package queue

import (
	"context"
	"strconv"
	"time"

	"minicloud/shared/id"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// Bulk is the user.Queue.
type Bulk struct{ Queue }

var _ user.Queue = (*Bulk)(nil)

// Submit implements user.Queue.
func (q *Bulk) Submit(ctx context.Context, scope tenant.Scope, operation id.ID, delay time.Duration) error {
	return q.SendJSON(ctx, user.Message{Scope: scope.String(), Operation: operation}, strconv.FormatInt(int64(scope.App), 10), delay)
}
