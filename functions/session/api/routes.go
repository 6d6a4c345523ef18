// Package api serves the registration and the logins of end users, their accounts and their sessions (client API, 2).
package api

import (
	"net/http"
	"slices"

	"minicloud/shared/httpapi"
	"minicloud/shared/proof/maillink"
	"minicloud/shared/proof/smscode"
	"minicloud/shared/user/idp"
	"minicloud/shared/user/login"
)

// Group adapts login.Service to HTTP.
type Group struct {
	Logins  *login.Service
	Vendors *idp.Service
	Codes   *smscode.Logins
	Links   *maillink.Links
	Web     *idp.Web
}

// Routes returns the endpoints of this program.
func (g *Group) Routes() []httpapi.Route {
	const sessions, ofUser = "/hserve/v3/session", "/oserve/v3/user/{user}"
	account := httpapi.Call(g.changeAccount)
	return slices.Concat(g.logins("/hserve/v2.1"), g.logins("/hserve/v2.0"), g.vendorRoutes(), g.mailRoutes(), g.webRoutes(), []httpapi.Route{
		{
			Method: http.MethodPost, Path: "/hserve/v2.0/login/anonymous", Access: httpapi.Client, Enters: true, Fresh: true,
			Call: httpapi.Call(g.anonymous), Status: http.StatusCreated,
		},
		{
			Method: http.MethodPost, Path: "/hserve/v2.0/session/destroy", Access: httpapi.Client, Needs: httpapi.LoggedIn,
			Fresh: true, Call: httpapi.Call(g.destroy), Status: http.StatusCreated,
		},
		{Method: http.MethodGet, Path: sessions, Access: httpapi.Client, Needs: httpapi.LoggedIn, Call: httpapi.Call(g.listOwn)},
		{Method: http.MethodDelete, Path: sessions, Access: httpapi.Client, Needs: httpapi.LoggedIn, Call: httpapi.Call(g.endOwn)},
		{
			Method: http.MethodGet, Path: sessions + "/{id}", Access: httpapi.Client, Needs: httpapi.LoggedIn,
			Call: httpapi.Call(g.readOne),
		},
		{
			Method: http.MethodDelete, Path: sessions + "/{id}", Access: httpapi.Client, Needs: httpapi.LoggedIn,
			Call: httpapi.Call(g.endOne),
		},
		{
			Method: http.MethodPost, Path: "/hserve/v2.1/login/sms", Access: httpapi.Client, Enters: true, Fresh: true,
			Call: httpapi.Call(g.loginCode), Status: http.StatusCreated,
		},
		{
			Method: http.MethodPost, Path: "/hserve/v2.1/sms-phone-verification", Access: httpapi.Client,
			Needs: httpapi.Registered, Call: httpapi.Call(g.verifyPhone),
		},
		{Method: http.MethodPut, Path: "/hserve/v2.2/user/account", Access: httpapi.Client, Needs: httpapi.Registered, Call: account},
		{Method: http.MethodPut, Path: "/hserve/v2.1/user/account", Access: httpapi.Client, Needs: httpapi.Registered, Call: account},
		{Method: http.MethodPut, Path: "/hserve/v2.0/user/account", Access: httpapi.Client, Needs: httpapi.Registered, Call: account},
		// A repetition has no session any more, so its key would find nothing.
		{
			Method: http.MethodPost, Path: "/hserve/v3/user/close", Access: httpapi.Client, Needs: httpapi.LoggedIn, Fresh: true,
			Call: httpapi.Call(g.close), Status: http.StatusCreated,
		},
		{Method: http.MethodGet, Path: ofUser, Access: httpapi.Bearer, Call: httpapi.Call(g.readState)},
		{Method: http.MethodPut, Path: ofUser, Access: httpapi.Bearer, Call: httpapi.Call(g.changeState)},
		{Method: http.MethodGet, Path: ofUser + "/session", Access: httpapi.Bearer, Call: httpapi.Call(g.listOfUser)},
		{Method: http.MethodDelete, Path: ofUser + "/session", Access: httpapi.Bearer, Call: httpapi.Call(g.endOfUser)},
	})
}

// logins returns the registrations and the logins with a password of one version.
func (g *Group) logins(version string) (routes []httpapi.Route) {
	for _, one := range []struct {
		path string
		call httpapi.Endpoint
	}{
		{"/register/username", byPassword[usernamePassword](g.register)},
		{"/register/email", byPassword[emailPassword](g.register)},
		{"/register/phone", byPassword[phonePassword](g.register)},
		{"/login/username", byPassword[usernamePassword](g.login)},
		{"/login/email", byPassword[emailPassword](g.login)},
		{"/login/phone", byPassword[phonePassword](g.login)},
	} {
		routes = append(routes, httpapi.Route{
			Method: http.MethodPost, Path: version + one.path, Access: httpapi.Client, Enters: true, Fresh: true,
			Call: one.call, Status: http.StatusCreated,
		})
	}
	return routes
}
