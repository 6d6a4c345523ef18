// Package api serves endpoint 20 and the payment settings of applications (G18).
package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/order"
	"minicloud/shared/order/payment"
)

// Group adapts order.Service and payment.Settings to HTTP.
type Group struct {
	Orders   *order.Service
	Settings *payment.Settings
}

// Routes returns the endpoints of this program.
func (g *Group) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: http.MethodGet, Path: "/hserve/v2.2/idp/pay/order", Access: httpapi.ServiceR1, Call: httpapi.Call(g.list)},
		{Method: http.MethodGet, Path: "/hserve/v2.2/idp/pay/order/{transaction_no}", Access: httpapi.ServiceR1,
			Call: httpapi.Call(g.read)},
		{Method: http.MethodGet, Path: "/hserve/v2.0/idp/pay/order/{transaction_no}", Access: httpapi.ServiceR1,
			Call: httpapi.Call(g.read)},
		{Method: http.MethodGet, Path: "/dserve/v1/pay/order", Access: httpapi.RunToken, Call: httpapi.Call(g.find)},

		{Method: http.MethodGet, Path: "/oserve/v3/payment-setting/{vendor}", Access: httpapi.Bearer, Call: httpapi.Call(g.readSetting)},
		{Method: http.MethodPut, Path: "/oserve/v3/payment-setting/{vendor}", Access: httpapi.Bearer, Call: httpapi.Call(g.putSetting)},
	}
}
