// Package orderdb keeps payment orders in DynamoDB: it is the order.Store.
package orderdb

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/order"
	"minicloud/shared/tenant"
)

// Store is the order.Store and the order.CheckStore:
//
//	pk = <scope>#orders              sk = order#<id>     an order; its stream counts it, and tells of payments
//	pk = <scope>#trade#<no>          sk = trade          whose trade_no that is
//	pk = <scope>#transaction#<no>    sk = transaction    whose transaction_no
//	pk = <scope>#merchandise#<id>    sk = <id>           an order of that row
//	pk = due                         sk = <seconds>#<scope>#<id>   when the vendor is asked about a pending order
//
// The items that lead to an order are written in its transaction, and never change.
type Store struct {
	Client *dynamodb.Client
	Table  string
	// Counts are the counters of orders, for lists; without them a total is counted.
	Counts count.Reader
}

var (
	_ order.Store      = (*Store)(nil)
	_ order.CheckStore = (*Store)(nil)
)

const (
	orderPrefix   = "order#"
	tradeSK       = "trade"
	transactionSK = "transaction"
	duePK         = "due"
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

// orderItem is an order. What it does not have is left out; NoRefund is "" and there, so that filters find it.
type orderItem struct {
	ID          int64  `dynamodbav:"id"`
	Gateway     string `dynamodbav:"gateway"`
	Status      string `dynamodbav:"status"`
	Refund      string `dynamodbav:"refund"`
	TradeNo     string `dynamodbav:"trade_no,omitempty"`
	Transaction string `dynamodbav:"transaction_no"`
	Cents       int64  `dynamodbav:"cents"`
	Schema      int64  `dynamodbav:"merchandise_schema,omitempty"`
	Record      string `dynamodbav:"merchandise_record,omitempty"`
	Description string `dynamodbav:"description,omitempty"`
	Snapshot    string `dynamodbav:"snapshot,omitempty"` // JSON
	IP          string `dynamodbav:"ip,omitempty"`
	CreatedBy   int64  `dynamodbav:"created_by,omitempty"`
	PaidAt      int64  `dynamodbav:"paid_at,omitempty"` // Unix seconds, as the others
	CreatedAt   int64  `dynamodbav:"created_at"`
	UpdatedAt   int64  `dynamodbav:"updated_at"`
	Extra       string `dynamodbav:"extra,omitempty"` // JSON

	Refunds map[string]order.Amount `dynamodbav:"refunds,omitempty"` // in cents

	Requests map[string]requestItem `dynamodbav:"refund_requests,omitempty"`
	Revision int64                  `dynamodbav:"revision,omitempty"`
}

// requestItem is a refund that we asked for, by our number.
type requestItem struct {
	ID       int64  `dynamodbav:"id"`
	Cents    int64  `dynamodbav:"cents"`
	Memo     string `dynamodbav:"memo,omitempty"`
	State    string `dynamodbav:"state"`
	VendorNo string `dynamodbav:"vendor_no,omitempty"`
	Reason   string `dynamodbav:"reason,omitempty"`
}

func encodeRequests(all map[string]order.RefundRequest) map[string]requestItem {
	if len(all) == 0 {
		return nil
	}
	items := make(map[string]requestItem, len(all))
	for no, r := range all {
		items[no] = requestItem{int64(r.ID), int64(r.Amount), r.Memo, string(r.State), r.VendorNo, r.Reason}
	}
	return items
}

func decodeRequests(items map[string]requestItem) map[string]order.RefundRequest {
	if len(items) == 0 {
		return nil
	}
	all := make(map[string]order.RefundRequest, len(items))
	for no, it := range items {
		all[no] = order.RefundRequest{
			ID: id.ID(it.ID), No: no, Amount: order.Amount(it.Cents), Memo: it.Memo,
			State: order.RequestState(it.State), VendorNo: it.VendorNo, Reason: it.Reason,
		}
	}
	return all
}

func encodeOrder(scope tenant.Scope, o order.Order) (dynamo.Item, error) {
	snapshot, err := objectText(o.Snapshot)
	if err != nil {
		return nil, err
	}
	extra, err := objectText(o.Extra)
	if err != nil {
		return nil, err
	}
	return dynamo.Encode(ordersPK(scope), orderSK(o.ID), orderItem{
		ID: int64(o.ID), Gateway: string(o.Gateway), Status: string(o.Status),
		Refund: string(o.Refund), TradeNo: o.TradeNo, Transaction: o.TransactionNo, Cents: int64(o.Total),
		Schema: o.MerchandiseSchema, Record: o.MerchandiseRecord, Description: o.Description, Snapshot: snapshot,
		IP: o.IP, CreatedBy: o.CreatedBy, PaidAt: seconds(o.PaidAt), CreatedAt: seconds(o.CreatedAt),
		UpdatedAt: seconds(o.UpdatedAt), Extra: extra, Refunds: o.Refunds,
		Requests: encodeRequests(o.RefundRequests), Revision: o.Revision,
	}), nil
}

func decodeOrder(item dynamo.Item) (order.Order, error) {
	it, err := dynamo.Decode[orderItem](item)
	if err != nil {
		return order.Order{}, err
	}

	o := order.Order{
		ID: id.ID(it.ID), Gateway: order.Gateway(it.Gateway), Status: order.Status(it.Status),
		Refund:  order.Refund(it.Refund),
		TradeNo: it.TradeNo, TransactionNo: it.Transaction, Total: order.Amount(it.Cents),
		MerchandiseSchema: it.Schema, MerchandiseRecord: it.Record, Description: it.Description, IP: it.IP,
		CreatedBy: it.CreatedBy, PaidAt: instant(it.PaidAt), CreatedAt: instant(it.CreatedAt),
		UpdatedAt: instant(it.UpdatedAt), Refunds: it.Refunds,
		RefundRequests: decodeRequests(it.Requests), Revision: it.Revision,
	}
	if o.Snapshot, err = objectOf("merchandise_snapshot", it.Snapshot); err == nil {
		o.Extra, err = objectOf("gateway_extra_info", it.Extra)
	}

	return o, err
}

func objectText(o map[string]any) (string, error) {
	if len(o) == 0 {
		return "", nil
	}
	text, err := json.Marshal(o)
	return string(text), err
}

func objectOf(what, text string) (map[string]any, error) {
	if text == "" {
		return nil, nil
	}
	v, err := value.Decode(what, []byte(text))
	o, ok := v.(map[string]any)
	if err == nil && !ok {
		err = fmt.Errorf("%s of an order is no object", what)
	}
	return o, err
}

func seconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

func instant(s int64) time.Time {
	if s == 0 {
		return time.Time{}
	}
	return time.Unix(s, 0).UTC()
}

// Insert is one transaction of two to five items.
func (s *Store) Insert(ctx context.Context, scope tenant.Scope, o order.Order, check time.Time) error {
	it, err := encodeOrder(scope, o)
	if err != nil {
		return fmt.Errorf("encode order: %w", err)
	}

	parts := []types.TransactWriteItem{
		dynamo.Put(s.Table, it, dynamo.NotExists, nil),
		s.leads(transactionPK(scope, o.TransactionNo), transactionSK, o.ID),
	}
	if o.TradeNo != "" {
		parts = append(parts, s.leads(tradePK(scope, o.TradeNo), tradeSK, o.ID))
	}
	if o.MerchandiseRecord != "" {
		key := dynamo.Key(merchandisePK(scope, o.MerchandiseRecord), o.ID.Key())
		parts = append(parts, dynamo.Put(s.Table, key, "", nil))
	}
	if !check.IsZero() {
		parts = append(parts, s.putCheck(order.Check{Scope: scope, Order: o.ID, At: check}))
	}

	err = dynamo.Transact(ctx, s.Client, parts...)
	if dynamo.ConditionFailed(err) {
		return errs.Duplicate("the order's id, trade_no or transaction_no is taken")
	}
	return dynamo.Wrap("insert order", err)
}

// leads is the item by which a number leads to its order.
func (s *Store) leads(pk, sk string, orderID id.ID) types.TransactWriteItem {
	it := dynamo.Key(pk, sk)
	it["id"] = dynamo.Number(int64(orderID))
	return dynamo.Put(s.Table, it, dynamo.NotExists, nil)
}

// Find is one read of what leads to the orders, unless the id does, and one of the orders.
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
	slices.SortFunc(orders, func(a, b order.Order) int { return int(b.ID - a.ID) })
	return orders, nil
}

// Change is one write, or a transaction where the order gets its trade number.
func (s *Store) Change(ctx context.Context, scope tenant.Scope, old, next order.Order) error {
	next.Revision = old.Revision + 1
	it, err := encodeOrder(scope, next)
	if err != nil {
		return fmt.Errorf("encode order: %w", err)
	}
	// Orders from before they had revisions are told apart by these. Two refunds of one second leave all but themselves
	// as it was.
	condition, values := "#status = :status AND updated_at = :updated AND refund = :refund", dynamo.Item{
		":status": dynamo.Text(string(old.Status)), ":updated": dynamo.Number(seconds(old.UpdatedAt)),
		":refund": dynamo.Text(string(old.Refund)),
	}
	if len(old.Refunds) == 0 {
		condition += " AND attribute_not_exists(refunds)"
	} else {
		condition, values[":refunds"] = condition+" AND size(refunds) = :refunds", dynamo.Number(int64(len(old.Refunds)))
	}
	if old.Revision == 0 {
		condition += " AND attribute_not_exists(revision)"
	} else {
		condition, values[":revision"] = condition+" AND revision = :revision", dynamo.Number(old.Revision)
	}
	put := dynamo.Put(s.Table, it, condition, values)
	put.Put.ExpressionAttributeNames = map[string]string{"#status": "status"}

	if old.TradeNo == "" && next.TradeNo != "" {
		err = dynamo.Transact(ctx, s.Client, put, s.leads(tradePK(scope, next.TradeNo), tradeSK, next.ID))
	} else {
		_, err = s.Client.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: &s.Table, Item: it, ConditionExpression: put.Put.ConditionExpression,
			ExpressionAttributeNames:  put.Put.ExpressionAttributeNames,
			ExpressionAttributeValues: put.Put.ExpressionAttributeValues,
		})
	}
	if dynamo.ConditionFailed(err) {
		return errs.Conflict("order %d is being changed by another request", old.ID)
	}
	return dynamo.Wrap("change order", err)
}
