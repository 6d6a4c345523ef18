// Package api serves the orders of end users (client API, 6), endpoint 20, and the payment settings of applications
// (G18).
package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/order"
	"minicloud/shared/order/checkout"
	"minicloud/shared/order/payment"
)

// Group adapts order.Service, checkout.Gateway and payment.Settings to HTTP.
type Group struct {
	Orders   *order.Service
	Gateway  *checkout.Gateway
	Settings *payment.Settings
}

// Routes returns the endpoints of this program.
func (g *Group) Routes() []httpapi.Route {
	create := httpapi.Call(g.create)
	// reads returns the route of a list or of one order. An access token of the open API sees all orders (C5).
	reads := func(path string, call httpapi.Endpoint) httpapi.Route {
		return httpapi.Route{
			Method: http.MethodGet, Path: path, Access: httpapi.Client, Needs: httpapi.LoggedIn, AccessTokens: true, Call: call,
			Acts: true,
		}
	}
	creates := func(path string) httpapi.Route {
		return httpapi.Route{
			Method: http.MethodPost, Path: path, Access: httpapi.Client, Needs: httpapi.LoggedIn, Call: create,
			Status: http.StatusCreated, Acts: true,
		}
	}
	const now, older = "/hserve/v2.2/idp/pay/order", "/hserve/v2.0/idp/pay/order"
	return []httpapi.Route{
		creates(now), creates(older),
		reads(now, httpapi.Call(g.list)), reads(older, httpapi.Call(g.listOlder)),
		reads(now+"/{transaction_no}", httpapi.Call(g.read)), reads(older+"/{transaction_no}", httpapi.Call(g.readOlder)),
		{Method: http.MethodGet, Path: "/dserve/v1/pay/order", Access: httpapi.RunToken, Call: httpapi.Call(g.find)},

		{Method: http.MethodGet, Path: "/oserve/v3/payment-setting/{vendor}", Access: httpapi.Bearer, Call: httpapi.Call(g.readSetting)},
		{Method: http.MethodPut, Path: "/oserve/v3/payment-setting/{vendor}", Access: httpapi.Bearer, Call: httpapi.Call(g.putSetting)},
	}
}
