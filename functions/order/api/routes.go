// Package api is endpoint 20 and what goes with it.
package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/order"
)

// Group is the HTTP face of order.Service.
type Group struct {
	Orders *order.Service
}

// Routes returns the endpoints of this program.
func (g *Group) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: http.MethodGet, Path: "/hserve/v2.2/idp/pay/order", Access: httpapi.ServiceR1, Handle: g.list},
		{Method: http.MethodGet, Path: "/hserve/v2.2/idp/pay/order/{transaction_no}", Access: httpapi.ServiceR1, Handle: g.read},
		{Method: http.MethodGet, Path: "/hserve/v2.0/idp/pay/order/{transaction_no}", Access: httpapi.ServiceR1, Handle: g.read},
	}
}
