package orderdb

import (
	"context"
	"strings"

	"minicloud/shared/dynamo"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// Buyer returns the order and the user of a stored item; ok is false for other items and for orders without a user.
func Buyer(it dynamo.Item) (scope tenant.Scope, n id.ID, user int64, ok bool, err error) {
	user = dynamo.IntegerOf(it["created_by"])
	if !strings.HasPrefix(dynamo.TextOf(it["sk"]), orderPrefix) || user == 0 {
		return scope, 0, 0, false, nil
	}
	scope, err = dynamo.ScopeOf(dynamo.TextOf(it["pk"]))
	return scope, id.ID(dynamo.IntegerOf(it["id"])), user, true, err
}

// IndexBuyer adds an order to the index of its user and reports whether it was missing there. Without write it only
// looks. It makes one read, and a transaction for a missing item: the user may be removed from the order meanwhile.
func (s *Store) IndexBuyer(ctx context.Context, scope tenant.Scope, n id.ID, user int64, write bool) (missing bool, err error) {
	it, err := dynamo.GetItem(ctx, s.Client, s.Table, buyerPK(scope, user), n.Key())
	if err != nil || len(it) > 0 || !write {
		return len(it) == 0, err
	}

	err = dynamo.Transact(ctx, s.Client,
		dynamo.Put(s.Table, dynamo.Key(buyerPK(scope, user), n.Key()), "", nil),
		dynamo.Check(s.Table, ordersPK(scope), orderSK(n), "created_by = :user", dynamo.Item{":user": dynamo.Number(user)}),
	)
	if dynamo.ConditionFailed(err) {
		return false, nil
	}
	return err == nil, dynamo.Wrap("index order", err)
}
