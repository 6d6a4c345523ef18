// Package api serves what changes orders: refunds, to functions, applications and administrators, and erasures.
package api

import (
	"net/http"

	"minicloud/shared/console"
	"minicloud/shared/httpapi"
	"minicloud/shared/order"
	"minicloud/shared/order/payment"
)

// Group adapts payment.Refunder and order.Service to HTTP.
type Group struct {
	Refunds *payment.Refunder
	Orders  *order.Service
}

// Routes returns the endpoints of this program.
func (g *Group) Routes() []httpapi.Route {
	const refunds = "/oserve/v3/order/{transaction_no}/refund"
	return []httpapi.Route{
		{Method: http.MethodPost, Path: "/dserve/v1/payment/refund", Access: httpapi.RunToken, Call: httpapi.Call(g.refund)},

		{Method: http.MethodGet, Path: refunds, Access: httpapi.Bearer, Call: httpapi.Call(g.listRefunds)},
		{Method: http.MethodPost, Path: refunds, Access: httpapi.Bearer, Call: httpapi.Call(g.refundOrder)},

		{Method: http.MethodPost, Path: "/oserve/v3/order/erase", Access: httpapi.Bearer, Call: httpapi.Call(g.erase), Role: console.Owner},
	}
}
