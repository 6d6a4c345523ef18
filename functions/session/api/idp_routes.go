package api

import (
	"net/http"
	"slices"

	"minicloud/shared/httpapi"
	"minicloud/shared/message/messaging"
)

// vendorRoutes returns the endpoints of mini-programs' vendors (client API, 2.2). The versions of a path are alike.
func (g *Group) vendorRoutes() []httpapi.Route {
	silent, authenticate, byPhone := httpapi.Call(g.silentLogin), httpapi.Call(g.authenticate), httpapi.Call(g.phoneLogin)
	chat, tpay := httpapi.Call(g.associate(messaging.Chat)), httpapi.Call(g.associate(messaging.Tpay))
	phone := httpapi.Call(g.verifyVendorPhone)
	return slices.Concat(entrances([]httpapi.Route{
		{Path: "/hserve/v2.5/idp/{vendor}/silent-login", Call: silent},
		{Path: "/hserve/v2.0/idp/{vendor}/silent-login", Call: silent},
		{Path: "/hserve/v2.5/idp/{vendor}/authenticate", Call: authenticate},
		{Path: "/hserve/v2.0/idp/{vendor}/authenticate", Call: authenticate},
		{Path: "/hserve/v2.7/idp/chat/phone-login", Call: byPhone},
		{Path: "/hserve/v2.5/idp/chat/phone-login", Call: byPhone},
	}), httpapi.Alike(httpapi.Route{Access: httpapi.Client, Needs: httpapi.Registered}, []httpapi.Route{
		{Method: http.MethodPost, Path: "/hserve/v2.4/idp/chat/user-associate", Call: chat},
		{Method: http.MethodPost, Path: "/hserve/v2.0/idp/chat/user-associate", Call: chat},
		{Method: http.MethodPut, Path: "/hserve/v2.0/idp/alt/user-associate", Call: httpapi.Call(g.associateAlt)},
		{Method: http.MethodPost, Path: "/hserve/v2.0/idp/tpay/user-association", Call: tpay},
		{Method: http.MethodPost, Path: "/hserve/v2.0/idp/qq/user-association", Call: tpay},
		{Method: http.MethodPut, Path: "/hserve/v2.7/idp/chat/phone-verification", Call: phone},
		{Method: http.MethodPut, Path: "/hserve/v2.5/idp/chat/phone-verification", Call: phone},
	}), httpapi.Alike(httpapi.Route{Access: httpapi.Client, Needs: httpapi.LoggedIn}, []httpapi.Route{
		{Method: http.MethodPut, Path: "/hserve/v2.6/idp/chat/user/info", Call: httpapi.Call(g.updateVendorProfile)},
		{Method: http.MethodPut, Path: "/hserve/v2.5/idp/chat/user/info", Call: httpapi.Call(g.updateToldProfile)},
	}))
}
