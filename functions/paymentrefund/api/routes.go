// Package api serves refunds to functions, applications and administrators.
package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/order/payment"
)

// Group adapts payment.Refunder to HTTP.
type Group struct {
	Refunds *payment.Refunder
}

// Routes returns the endpoints of this program.
func (g *Group) Routes() []httpapi.Route {
	const refunds = "/oserve/v3/order/{transaction_no}/refund"
	return []httpapi.Route{
		{Method: http.MethodPost, Path: "/dserve/v1/payment/refund", Access: httpapi.RunToken, Call: httpapi.Call(g.refund)},

		{Method: http.MethodGet, Path: refunds, Access: httpapi.Bearer, Call: httpapi.Call(g.listRefunds)},
		{Method: http.MethodPost, Path: refunds, Access: httpapi.Bearer, Call: httpapi.Call(g.refundOrder)},
	}
}
