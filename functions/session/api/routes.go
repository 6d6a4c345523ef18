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
	return slices.Concat(g.logins(), g.vendorRoutes(), g.mailRoutes(), g.webRoutes(), httpapi.Alike(httpapi.Route{
		Access: httpapi.Client, Needs: httpapi.LoggedIn,
	}, []httpapi.Route{
		{Method: http.MethodPost, Path: "/hserve/v2.0/session/destroy", Fresh: true, Call: httpapi.Call(g.destroy),
			Status: http.StatusCreated},
		{Method: http.MethodGet, Path: sessions, Call: httpapi.Call(g.listOwn)},
		{Method: http.MethodDelete, Path: sessions, Call: httpapi.Call(g.endOwn)},
		{Method: http.MethodGet, Path: sessions + "/{id}", Call: httpapi.Call(g.readOne)},
		{Method: http.MethodDelete, Path: sessions + "/{id}", Call: httpapi.Call(g.endOne)},
		// A repetition has no session any more, so its key would find nothing.
		{Method: http.MethodPost, Path: "/hserve/v3/user/close", Fresh: true, Call: httpapi.Call(g.close),
			Status: http.StatusCreated},
	}), httpapi.Alike(httpapi.Route{Access: httpapi.Client, Needs: httpapi.Registered}, []httpapi.Route{
		{Method: http.MethodPost, Path: "/hserve/v2.1/sms-phone-verification", Call: httpapi.Call(g.verifyPhone)},
		{Method: http.MethodPut, Path: "/hserve/v2.2/user/account", Call: account},
		{Method: http.MethodPut, Path: "/hserve/v2.1/user/account", Call: account},
		{Method: http.MethodPut, Path: "/hserve/v2.0/user/account", Call: account},
	}), httpapi.Alike(httpapi.Route{Access: httpapi.Bearer}, []httpapi.Route{
		{Method: http.MethodGet, Path: ofUser, Call: httpapi.Call(g.readState)},
		{Method: http.MethodPut, Path: ofUser, Call: httpapi.Call(g.changeState)},
		{Method: http.MethodGet, Path: ofUser + "/session", Call: httpapi.Call(g.listOfUser)},
		{Method: http.MethodDelete, Path: ofUser + "/session", Call: httpapi.Call(g.endOfUser)},
	}))
}

// logins returns the registrations and the logins of the platform itself.
func (g *Group) logins() []httpapi.Route {
	routes := []httpapi.Route{
		{Path: "/hserve/v2.0/login/anonymous", Call: httpapi.Call(g.anonymous)},
		{Path: "/hserve/v2.1/login/sms", Call: httpapi.Call(g.loginCode)},
	}
	for _, version := range []string{"/hserve/v2.1", "/hserve/v2.0"} {
		routes = append(routes,
			httpapi.Route{Path: version + "/register/username", Call: byPassword[usernamePassword](g.register)},
			httpapi.Route{Path: version + "/register/email", Call: byPassword[emailPassword](g.register)},
			httpapi.Route{Path: version + "/register/phone", Call: byPassword[phonePassword](g.register)},
			httpapi.Route{Path: version + "/login/username", Call: byPassword[usernamePassword](g.login)},
			httpapi.Route{Path: version + "/login/email", Call: byPassword[emailPassword](g.login)},
			httpapi.Route{Path: version + "/login/phone", Call: byPassword[phonePassword](g.login)})
	}
	return entrances(routes)
}

// entrances returns routes that open a session.
func entrances(routes []httpapi.Route) []httpapi.Route {
	return httpapi.Alike(httpapi.Route{
		Method: http.MethodPost, Access: httpapi.Client, Enters: true, Fresh: true, Status: http.StatusCreated,
	}, routes)
}
