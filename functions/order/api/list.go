package api

import (
	"context"
	"time"

	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/order"
	"minicloud/shared/page"
)

// OrderFilter holds the filters of endpoint 20. Orders have more statuses and gateways than these.
type OrderFilter struct {
	Page              page.Request
	MerchandiseRecord string        `query:"merchandise_record_id"`
	MerchandiseSchema int64         `query:"merchandise_schema_id" minimum:"1"`
	Status            order.Status  `query:"status" enum:"pending,success"`
	Refund            *order.Refund `query:"refund_status" enum:"complete,partial,failed"` // The refund status. Empty selects orders without a refund.
	TradeNo           string        `query:"trade_no"`
	TransactionNo     string        `query:"transaction_no"`
	Gateway           order.Gateway `query:"gateway_type" enum:"chatpay,altpay"` // The payment provider, including all its gateways.
}

func (f OrderFilter) filter() order.Filter {
	return order.Filter{
		TradeNo: f.TradeNo, TransactionNo: f.TransactionNo, MerchandiseRecord: f.MerchandiseRecord,
		MerchandiseSchema: f.MerchandiseSchema, Status: f.Status, Gateway: f.Gateway, Refund: f.Refund,
	}
}

// list serves endpoint 20.
func (g *Group) list(ctx context.Context, in OrderFilter) (httpapi.Envelope[Order], error) {
	return g.page(ctx, in.Page, in.filter())
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
	return g.page(ctx, in.Page, f)
}

// second converts Unix seconds of the query into a time; 0 is the zero time.
func second(unix int64) (t time.Time) {
	if unix > 0 {
		t = time.Unix(unix, 0).UTC()
	}
	return t
}

func (g *Group) page(ctx context.Context, at page.Request, f order.Filter) (answer httpapi.Envelope[Order], err error) {
	found, err := g.Orders.List(ctx, httpapi.Scope(ctx), f, at)
	return httpapi.ListOf(ctx, at, found, show), err
}
