// Package api serves the registration and the logins of end users, their accounts and their sessions (client API, 2).
package api

import (
	"net/http"
	"slices"

	"minicloud/shared/httpapi"
	"minicloud/shared/user/idp"
	"minicloud/shared/user/login"
)

// Group adapts login.Service to HTTP.
type Group struct {
	Logins  *login.Service
	Vendors *idp.Service
}

// Routes returns the endpoints of this program.
func (g *Group) Routes() []httpapi.Route {
	return slices.Concat(g.logins("/hserve/v2.1"), g.logins("/hserve/v2.0"), g.vendorRoutes(), []httpapi.Route{
		{
			Method: http.MethodPost, Path: "/hserve/v2.0/login/anonymous", Access: httpapi.Client, Enters: true, Fresh: true,
			Call: httpapi.Call(g.anonymous), Status: http.StatusCreated,
		},
		{
			Method: http.MethodPost, Path: "/hserve/v2.0/session/destroy", Access: httpapi.Client, Needs: httpapi.LoggedIn,
			Fresh: true, Call: httpapi.Call(g.destroy), Status: http.StatusCreated,
		},
	})
}

// logins returns the registrations and the logins with a password of one version.
func (g *Group) logins(version string) (routes []httpapi.Route) {
	for _, one := range []struct {
		path string
		call httpapi.Endpoint
	}{
		{"/register/username", httpapi.Call(g.registerUsername)},
		{"/register/email", httpapi.Call(g.registerEmail)},
		{"/register/phone", httpapi.Call(g.registerPhone)},
		{"/login/username", httpapi.Call(g.loginUsername)},
		{"/login/email", httpapi.Call(g.loginEmail)},
		{"/login/phone", httpapi.Call(g.loginPhone)},
	} {
		routes = append(routes, httpapi.Route{
			Method: http.MethodPost, Path: version + one.path, Access: httpapi.Client, Enters: true, Fresh: true,
			Call: one.call, Status: http.StatusCreated,
		})
	}
	return routes
}
