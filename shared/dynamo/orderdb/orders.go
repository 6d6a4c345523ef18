// Package orderdb stores payment orders in DynamoDB.
package orderdb

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/order"
	"minicloud/shared/tenant"
)

// Store implements order.Store and order.CheckStore:
//
//	pk = <scope>#orders              sk = order#<id>     an order; its stream feeds counters and payment events
//	pk = <scope>#trade#<no>          sk = trade          id of the order with this trade_no
//	pk = <scope>#transaction#<no>    sk = transaction    id of the order with this transaction_no
//	pk = <scope>#merchandise#<id>    sk = <id>           an order of that row
//	pk = <scope>#buyer#<user>        sk = <id>           an order of that user
//	pk = due                         sk = <seconds>#<scope>#<id>   when to ask the vendor about a pending order
//
// The items that map a number, a row or a user to an order are written in the order's transaction and never change; that
// of the user is deleted when the user is removed from the order.
type Store struct {
	Client *dynamo.Client
	Table  string
	// Counts reads the counters of orders, for lists.
	Counts count.Reader

	long   sync.Map // set of count.Collection: environments whose lists were found to be long
	shards dynamo.Shards
}

const (
	orderPrefix   = "order#"
	tradeSK       = "trade"
	transactionSK = "transaction"
)

func ordersPK(scope tenant.Scope) string           { return scope.String() + "#orders" }
func orderSK(n id.ID) string                       { return orderPrefix + n.Key() }
func tradePK(scope tenant.Scope, no string) string { return scope.String() + "#trade#" + no }
func transactionPK(scope tenant.Scope, no string) string {
	return scope.String() + "#transaction#" + no
}
func merchandisePK(scope tenant.Scope, record string) string {
	return scope.String() + "#merchandise#" + record
}
func buyerPK(scope tenant.Scope, user int64) string {
	return scope.String() + "#buyer#" + strconv.FormatInt(user, 10)
}

// orderItem is the stored form of an order.Order. Empty fields have no attribute, except the refund status: NoRefund is
// stored as "", so that filters find it. Objects are stored as JSON text in attributes of their own.
type orderItem struct {
	ID                id.ID                          `dynamodbav:"id"`
	Gateway           order.Gateway                  `dynamodbav:"gateway"`
	Status            order.Status                   `dynamodbav:"status"`
	Refund            order.Refund                   `dynamodbav:"refund"`
	TradeNo           string                         `dynamodbav:"trade_no,omitempty"`
	TransactionNo     string                         `dynamodbav:"transaction_no"`
	Total             order.Amount                   `dynamodbav:"cents"`
	Currency          string                         `dynamodbav:"-"`
	Reason            string                         `dynamodbav:"reason,omitempty"`
	MerchandiseSchema int64                          `dynamodbav:"merchandise_schema,omitempty"`
	MerchandiseRecord string                         `dynamodbav:"merchandise_record,omitempty"`
	Description       string                         `dynamodbav:"description,omitempty"`
	Snapshot          map[string]any                 `dynamodbav:"-"`
	IP                string                         `dynamodbav:"ip,omitempty"`
	CreatedBy         int64                          `dynamodbav:"created_by,omitempty"`
	PaidAt            time.Time                      `dynamodbav:"paid_at,omitempty,unixtime"`
	CreatedAt         time.Time                      `dynamodbav:"created_at,omitempty,unixtime"`
	UpdatedAt         time.Time                      `dynamodbav:"updated_at,omitempty,unixtime"`
	ErasedAt          time.Time                      `dynamodbav:"erased_at,omitempty,unixtime"`
	Extra             map[string]any                 `dynamodbav:"-"`
	Refunds           map[string]order.Amount        `dynamodbav:"refunds,omitempty"` // in cents
	RefundRequests    map[string]order.RefundRequest `dynamodbav:"-"`
	RefundNo          string                         `dynamodbav:"-"`
	Revision          int64                          `dynamodbav:"revision,omitempty"`
}

// requestItem is the stored form of an order.RefundRequest; its number is the key.
type requestItem struct {
	ID       id.ID              `dynamodbav:"id"`
	No       string             `dynamodbav:"-"`
	Amount   order.Amount       `dynamodbav:"cents"`
	Memo     string             `dynamodbav:"memo,omitempty"`
	State    order.RequestState `dynamodbav:"state"`
	VendorNo string             `dynamodbav:"vendor_no,omitempty"`
	Reason   string             `dynamodbav:"reason,omitempty"`
}

// requests holds the refund requests of an order, by our refund numbers.
type requests struct {
	All map[string]requestItem `dynamodbav:"refund_requests,omitempty"`
}

// objects returns the attributes of an order that are stored as JSON.
func objects(o *order.Order) map[string]*map[string]any {
	return map[string]*map[string]any{"snapshot": &o.Snapshot, "extra": &o.Extra}
}

func encodeOrder(scope tenant.Scope, o order.Order) dynamo.Item {
	it := dynamo.Encode(ordersPK(scope), orderSK(o.ID), orderItem(o))
	for name, object := range objects(&o) {
		if len(*object) > 0 {
			it[name] = dynamo.Text(string(dynamo.JSON(*object)))
		}
	}

	if len(o.RefundRequests) == 0 {
		return it
	}
	asked := requests{map[string]requestItem{}}
	for no, r := range o.RefundRequests {
		asked.All[no] = requestItem(r)
	}
	maps.Copy(it, dynamo.Encode(ordersPK(scope), orderSK(o.ID), asked))
	return it
}

func decodeOrder(it dynamo.Item) (order.Order, error) {
	stored, err := dynamo.Decode[orderItem](it)
	if err != nil {
		return order.Order{}, err
	}
	o := order.Order(stored)
	// The decoder returns local times.
	o.PaidAt, o.CreatedAt, o.UpdatedAt = o.PaidAt.UTC(), o.CreatedAt.UTC(), o.UpdatedAt.UTC()
	o.ErasedAt = o.ErasedAt.UTC()
	for name, object := range objects(&o) {
		text := dynamo.TextOf(it[name])
		if text == "" {
			continue
		}
		decoded, err := value.Decode(name, []byte(text))
		if err != nil {
			return o, err
		}
		var ok bool
		if *object, ok = decoded.(map[string]any); !ok {
			return o, fmt.Errorf("%s of an order is no object", name)
		}
	}

	asked, err := dynamo.Decode[requests](it)
	if len(asked.All) > 0 {
		o.RefundRequests = make(map[string]order.RefundRequest, len(asked.All))
	}
	for no, r := range asked.All {
		r.No = no
		o.RefundRequests[no] = order.RefundRequest(r)
	}
	return o, err
}

// Insert runs one transaction of two to six items.
func (s *Store) Insert(ctx context.Context, scope tenant.Scope, o order.Order, check time.Time) error {
	// The items that map the numbers to the order also keep the numbers unique.
	parts := []dynamo.Part{
		dynamo.Put(s.Table, encodeOrder(scope, o), dynamo.NotExists, nil),
		s.leads(transactionPK(scope, o.TransactionNo), transactionSK, o.ID),
	}
	if o.TradeNo != "" {
		parts = append(parts, s.leads(tradePK(scope, o.TradeNo), tradeSK, o.ID))
	}
	if o.MerchandiseRecord != "" {
		key := dynamo.Key(merchandisePK(scope, o.MerchandiseRecord), o.ID.Key())
		parts = append(parts, dynamo.Put(s.Table, key, "", nil))
	}
	if o.CreatedBy != 0 {
		parts = append(parts, dynamo.Put(s.Table, dynamo.Key(buyerPK(scope, o.CreatedBy), o.ID.Key()), "", nil))
	}
	if !check.IsZero() {
		planned, err := s.putCheck(ctx, &order.Check{Scope: scope, Order: o.ID, At: check})
		if err != nil {
			return err
		}
		parts = append(parts, planned)
	}

	return dynamo.Do(ctx, s.Client, "insert order",
		errs.Duplicate("the order's id, trade_no or transaction_no is taken"), parts...)
}

// leads returns the write of the item that maps a number (pk, sk) to its order.
func (s *Store) leads(pk, sk string, orderID id.ID) dynamo.Part {
	it := dynamo.Key(pk, sk)
	it["id"] = dynamo.Number(int64(orderID))
	return dynamo.Put(s.Table, it, dynamo.NotExists, nil)
}

// Find reads the ids of the numbers first (one BatchGetItem, none if only the id is given), then the orders.
func (s *Store) Find(ctx context.Context, scope tenant.Scope, n order.Numbers) ([]order.Order, error) {
	var leads []dynamo.Item
	if n.TradeNo != "" {
		leads = append(leads, dynamo.Key(tradePK(scope, n.TradeNo), tradeSK))
	}
	if n.TransactionNo != "" {
		leads = append(leads, dynamo.Key(transactionPK(scope, n.TransactionNo), transactionSK))
	}

	var ids []id.ID
	if n.ID != 0 {
		ids = append(ids, n.ID)
	}
	if len(leads) > 0 {
		found, err := dynamo.BatchGetItems(ctx, s.Client, s.Table, leads...)
		if err != nil {
			return nil, dynamo.Wrap("find order", err)
		}
		for _, it := range found {
			ids = append(ids, id.ID(dynamo.IntegerOf(it["id"])))
		}
	}
	return s.read(ctx, scope, ids)
}

// read returns the orders that exist, each once, newest first.
func (s *Store) read(ctx context.Context, scope tenant.Scope, ids []id.ID) ([]order.Order, error) {
	var keys []dynamo.Item
	// BatchGetItem rejects duplicate keys.
	for _, n := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		keys = append(keys, dynamo.Key(ordersPK(scope), orderSK(n)))
	}
	items, err := dynamo.BatchGetItems(ctx, s.Client, s.Table, keys...)
	if err != nil {
		return nil, dynamo.Wrap("read orders", err)
	}
	orders := make([]order.Order, len(items))
	for i, it := range items {
		if orders[i], err = decodeOrder(it); err != nil {
			return nil, err
		}
	}
	// BatchGetItem returns items in any order.
	slices.SortFunc(orders, func(a, b order.Order) int { return int(b.ID - a.ID) })
	return orders, nil
}

// Change makes one write, or a transaction if the order gets its trade number or loses its user.
func (s *Store) Change(ctx context.Context, scope tenant.Scope, old, next order.Order) error {
	next.Revision = old.Revision + 1
	// An order gets its first revision with its first change.
	condition, values := dynamo.Exists+" AND attribute_not_exists(revision)", dynamo.Item(nil)
	if old.Revision > 0 {
		condition, values = dynamo.IsRevision, dynamo.RevisionOf(old.Revision)
	}

	// A single put costs half as much as a transaction.
	parts := []dynamo.Part{dynamo.Put(s.Table, encodeOrder(scope, next), condition, values)}
	if old.TradeNo == "" && next.TradeNo != "" {
		parts = append(parts, s.leads(tradePK(scope, next.TradeNo), tradeSK, next.ID))
	}
	if old.CreatedBy != 0 && next.CreatedBy == 0 {
		parts = append(parts, dynamo.Delete(s.Table, buyerPK(scope, old.CreatedBy), old.ID.Key(), "", nil))
	}
	return dynamo.Do(ctx, s.Client, "change order",
		errs.Conflict("order %d is being changed by another request", old.ID), parts...)
}
