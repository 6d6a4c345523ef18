package api

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/order"
	"minicloud/shared/page"
)

// OrderFilter holds the filters of endpoint 20. Orders have more statuses than these.
type OrderFilter struct {
	Page              page.Request
	MerchandiseRecord string        `query:"merchandise_record_id"`
	MerchandiseSchema int64         `query:"merchandise_schema_id" minimum:"1"`
	Status            order.Status  `query:"status" enum:"pending,success"`
	Refund            *order.Refund `query:"refund_status" enum:"complete,partial,failed"` // The refund status. Empty selects orders without a refund.
	TradeNo           string        `query:"trade_no"`
	TransactionNo     string        `query:"transaction_no"`
	Gateway           order.Gateway `query:"gateway_type" enum:"chatpay,chatpay_wap,chatpay_native,chatpay_app,chatpay_js,altpay,altpay_wap,altpay_page,altpay_app,tpay,tpay_native"`
	Order             sorting       `query:"order_by"` // created_at or -created_at, the default.
	Where             noCondition   `query:"where"`    // Must be empty, or {}: the other parameters are the conditions.
}

// sorting is the order of a list.
type sorting struct{ oldest bool }

// ReadText implements the reading of query parameters.
func (s *sorting) ReadText(text string) error {
	switch text {
	case "created_at", "id":
		s.oldest = true
	case "", "-created_at", "-id":
	default:
		return errs.Invalid("order_by must be created_at or -created_at")
	}
	return nil
}

// noCondition is a where that clients send with every list (D43). Others are refused: a condition that is ignored would
// answer too many orders.
type noCondition struct{}

// ReadText implements the reading of query parameters.
func (*noCondition) ReadText(text string) error {
	var where map[string]any
	if strings.TrimSpace(text) != "" && (json.Unmarshal([]byte(text), &where) != nil || len(where) > 0) {
		return errs.Invalid("where must be {}: orders are filtered by the other parameters")
	}
	return nil
}

func (f OrderFilter) filter() order.Filter {
	return order.Filter{
		TradeNo: f.TradeNo, TransactionNo: f.TransactionNo, MerchandiseRecord: f.MerchandiseRecord,
		MerchandiseSchema: f.MerchandiseSchema, Status: f.Status, Gateway: f.Gateway, Refund: f.Refund,
		Oldest: f.Order.oldest,
	}
}

// clientList is the input of endpoint 20.
type clientList struct {
	OrderFilter
	Buyer httpapi.ID `query:"created_by"` // The end user who created the orders. Ignored for end users, who see their own ones.
}

// own returns the filter for what the caller may see: end users see their own orders only.
func (f clientList) own(ctx context.Context) order.Filter {
	filter := f.filter()
	filter.Buyer = int64(f.Buyer)
	if user := httpapi.From(ctx).User; user != nil {
		filter.Buyer = user.User
	}
	return filter
}

// list serves endpoint 20, and the orders of an end user.
func (g *Group) list(ctx context.Context, in clientList) (httpapi.Envelope[ClientOrder], error) {
	return listed(ctx, g, in.Page, in.own(ctx), showClient)
}

// listOlder serves GET /hserve/v2.0/idp/pay/order/.
func (g *Group) listOlder(ctx context.Context, in clientList) (httpapi.Envelope[OlderOrder], error) {
	return listed(ctx, g, in.Page, in.own(ctx), showOlder)
}

// find is the input of GET /dserve/v1/pay/order/ (BaaS.Order): endpoint 20 with more filters.
type find struct {
	OrderFilter
	ID        httpapi.ID `query:"id"`
	CreatedBy httpapi.ID `query:"created_by_id"`
	CreatedAt int64      `query:"created_at" minimum:"1"` // The time of creation, in Unix seconds.
	PaidFrom  int64      `query:"paid_at__gte" minimum:"1"`
	PaidTo    int64      `query:"paid_at__lte" minimum:"1"`
}

func (g *Group) find(ctx context.Context, in find) (httpapi.Envelope[Order], error) {
	f := in.filter()
	f.ID, f.CreatedBy = id.ID(in.ID), int64(in.CreatedBy)
	f.CreatedAt, f.PaidFrom, f.PaidTo = second(in.CreatedAt), second(in.PaidFrom), second(in.PaidTo)
	return listed(ctx, g, in.Page, f, show)
}

// second converts Unix seconds of the query into a time; 0 is the zero time.
func second(unix int64) (t time.Time) {
	if unix > 0 {
		t = time.Unix(unix, 0).UTC()
	}
	return t
}

func listed[V any](
	ctx context.Context, g *Group, at page.Request, f order.Filter, view func(order.Order) V,
) (answer httpapi.Envelope[V], err error) {
	found, err := g.Orders.List(ctx, httpapi.Scope(ctx), f, at)
	return httpapi.ListOf(ctx, at, found, view), err
}
