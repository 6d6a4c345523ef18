package migration

import (
	"context"

	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/retry"
)

// OrdersOfUsers adds the index items by which end users find their orders (decision 172). Orders have them since a0284117;
// users saw none of their earlier ones.
func OrdersOfUsers(orders *orderdb.Store) Step {
	return func(ctx context.Context, it dynamo.Item, write bool) (Outcome, error) {
		scope, order, buyer, ok, err := orderdb.Buyer(it)
		if !ok || err != nil {
			return Current, err
		}
		outcome := Current
		err = retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
			missing, err := orders.IndexBuyer(ctx, scope, order, buyer, write)
			if missing && err == nil {
				outcome = Migrated
			}
			return err
		})
		return outcome, err
	}
}
