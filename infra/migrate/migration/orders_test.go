package migration_test

import (
	"context"
	"testing"

	"minicloud/infra/migrate/migration"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/order"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

const ordersTable = "OrdersTable"

// TestOrdersOfUsers: users find the orders of a release that had no index of them, also after runs that crash. The user of
// an order who was erased stays so.
func TestOrdersOfUsers(t *testing.T) {
	client := load(t, ordersTable, "testdata/orders.json")
	orders := &orderdb.Store{Client: client, Table: ordersTable}
	step := migration.OrdersOfUsers(orders)
	found := func(scope tenant.Scope, user int64) int {
		t.Helper()
		got, err := orders.List(t.Context(), scope, order.Filter{Buyer: user}, page.Request{Limit: 20})
		if err != nil || got.Total != len(got.Objects) {
			t.Errorf("%d of %d orders, %v", len(got.Objects), got.Total, err)
		}
		return got.Total
	}

	if p, said := migrate(t, client, ordersTable, "orders-of-users", step, false); p.Migrated != 8 || found(shop, 501) != 0 {
		t.Errorf("a dry run: %+v, user 501 has %d orders\n%s", p, found(shop, 501), said)
	}

	// Each life dies after one item more. The second one meets the erasure of a user.
	var end migration.Progress
	for life := 1; !end.Ended; life++ {
		calls := 0
		end, _ = migrate(t, client, ordersTable, "orders-of-users", func(ctx context.Context, it dynamo.Item, write bool) (migration.Outcome, error) {
			if calls++; calls > life {
				return migration.Current, errCrashed
			}
			if _, _, user, ok, _ := orderdb.Buyer(it); ok && user == 502 {
				erase(t, orders, it)
			}
			return step(ctx, it, write)
		}, true)
	}
	for _, c := range []struct {
		scope tenant.Scope
		user  int64
		want  int
	}{{shop, 501, 6}, {shop, 502, 0}, {shop, 503, 0}, {shopTest, 501, 1}} {
		if got := found(c.scope, c.user); got != c.want {
			t.Errorf("user %d in %s has %d orders, want %d", c.user, c.scope, got, c.want)
		}
	}
	if again, said := migrate(t, client, ordersTable, "orders-of-users", step, true); again.Migrated != 0 || again.Refused != 0 {
		t.Errorf("once more: %+v\n%s", again, said)
	}
}

// erase removes the user of an order after the migration has read it.
func erase(t *testing.T, orders *orderdb.Store, it dynamo.Item) {
	t.Helper()
	scope, n, _, _, err := orderdb.Buyer(it)
	if err != nil {
		t.Fatal(err)
	}
	all, err := orders.Find(t.Context(), scope, order.Numbers{ID: n})
	if err != nil || len(all) != 1 {
		t.Fatalf("%d orders, %v", len(all), err)
	}
	if all[0].CreatedBy == 0 {
		return // a life before did it
	}
	next := all[0]
	next.CreatedBy = 0
	if err := orders.Change(t.Context(), scope, all[0], next); err != nil {
		t.Fatal(err)
	}
}
