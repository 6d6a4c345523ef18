package jobdb

import (
	"context"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

func descendantsKey(scope tenant.Scope, root id.ID) string {
	return scope.String() + "#descendants#" + root.Key()
}

// Descend makes one conditional UpdateItem of a small item: one write unit, even if it is refused.
func (s *Store) Descend(ctx context.Context, scope tenant.Scope, root id.ID, most int, until time.Time) error {
	refused := errs.TooMany(0, "job %d has started %d functions", root, most)
	return dynamo.Do(ctx, s.Client, "count descendants", refused, dynamo.Increment(
		s.Table, descendantsKey(scope, root), "count", "started", most, until,
	))
}
