package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/message/messaging"
)

// vendorRoutes returns the endpoints of mini-programs' vendors (client API, 2.2). The versions of a path are alike.
func (g *Group) vendorRoutes() (routes []httpapi.Route) {
	logIn := func(call httpapi.Endpoint, path string, versions ...string) {
		for _, version := range versions {
			routes = append(routes, httpapi.Route{
				Method: http.MethodPost, Path: "/hserve/" + version + "/idp/" + path, Access: httpapi.Client, Enters: true,
				Fresh: true, Call: call, Status: http.StatusCreated,
			})
		}
	}
	logIn(httpapi.Call(g.silentLogin), "{vendor}/silent-login", "v2.5", "v2.0")
	logIn(httpapi.Call(g.authenticate), "{vendor}/authenticate", "v2.5", "v2.0")
	logIn(httpapi.Call(g.phoneLogin), "chat/phone-login", "v2.7", "v2.5")

	change := func(method string, needs httpapi.Standing, call httpapi.Endpoint, path string, versions ...string) {
		for _, version := range versions {
			routes = append(routes, httpapi.Route{
				Method: method, Path: "/hserve/" + version + "/idp/" + path, Access: httpapi.Client, Needs: needs, Call: call,
			})
		}
	}
	const member = httpapi.Registered
	tpay := httpapi.Call(g.associate(messaging.Tpay))
	change(http.MethodPost, member, httpapi.Call(g.associate(messaging.Chat)), "chat/user-associate", "v2.4", "v2.0")
	change(http.MethodPut, member, httpapi.Call(g.associateAlt), "alt/user-associate", "v2.0")
	change(http.MethodPost, member, tpay, "tpay/user-association", "v2.0")
	change(http.MethodPost, member, tpay, "qq/user-association", "v2.0")
	change(http.MethodPut, member, httpapi.Call(g.verifyVendorPhone), "chat/phone-verification", "v2.7", "v2.5")
	change(http.MethodPut, httpapi.LoggedIn, httpapi.Call(g.updateVendorProfile), "chat/user/info", "v2.6")
	change(http.MethodPut, httpapi.LoggedIn, httpapi.Call(g.updateToldProfile), "chat/user/info", "v2.5")
	return routes
}
