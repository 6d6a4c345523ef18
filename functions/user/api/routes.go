// Package api serves the user endpoints 14–19 under their two paths (D13), user groups (D45), and the state of
// background bulk operations.
package api

import (
	"net/http"
	"slices"

	"minicloud/shared/httpapi"
	"minicloud/shared/user"
)

// Group adapts user.Service to HTTP.
type Group struct {
	Users *user.Service
}

// Routes returns the endpoints of this program.
func (g *Group) Routes() []httpapi.Route {
	const profiles, account = "/userve/v2.2/miniapp/user_profile", "miniapp/user/account/{id}"
	const own, groups, superGroups = "/dserve/v1/user/profile", "/oserve/v1/user-group", "/oserve/v1/user-supergroup"
	return slices.Concat(g.clientRoutes(), httpapi.Alike(httpapi.Route{Access: httpapi.Bearer, Twin: true}, []httpapi.Route{
		{Method: http.MethodGet, Path: profiles, Call: httpapi.Call(g.list), Keys: true},
		{Method: http.MethodPost, Path: profiles + "/query", Call: httpapi.Query(httpapi.Call(g.list)), Reads: true,
			Fresh: true, Keys: true},
		{Method: http.MethodGet, Path: profiles + "/{id}", Call: httpapi.Call(g.read), Keys: true},
		{Method: http.MethodPut, Path: "/userve/v2.6/miniapp/user_profile/{id}", Call: httpapi.Call(g.update)},
		{Method: http.MethodPut, Path: "/userve/v2.6/miniapp/user_profile", Call: httpapi.Call(g.bulkUpdate)},

		{Method: http.MethodGet, Path: "/oserve/v1/bulk-operation/{id}", Call: httpapi.Call(g.operation)},
		{Method: http.MethodGet, Path: groups, Call: httpapi.Call(g.listGroups)},
		{Method: http.MethodPost, Path: groups, Call: httpapi.Call(g.createGroup), Status: http.StatusCreated},
		{Method: http.MethodDelete, Path: groups, Call: httpapi.Call(g.deleteGroups)},
		{Method: http.MethodGet, Path: groups + "/{id}", Call: httpapi.Call(g.readGroup)},
		{Method: http.MethodPut, Path: groups + "/{id}", Call: httpapi.Call(g.changeGroup)},
		{Method: http.MethodDelete, Path: groups + "/{id}", Call: httpapi.Call(g.deleteGroup)},
		{Method: http.MethodPatch, Path: "/oserve/v1/miniapp/group/membership", Call: httpapi.Call(g.changeMembership)},
	}), httpapi.Alike(httpapi.Route{Access: httpapi.Bearer}, []httpapi.Route{
		{Method: http.MethodGet, Path: "/userve/v1/user-profile", Call: httpapi.Call(g.current)},
		{Method: http.MethodPut, Path: "/userve/v2.2/" + account, Call: httpapi.Call(g.account)},
		{Method: http.MethodPut, Path: "/oserve/v2.1/" + account, Call: httpapi.Call(g.account)},
		{Method: http.MethodGet, Path: superGroups, Call: httpapi.Call(g.listSuperGroups)},
		{Method: http.MethodPost, Path: superGroups, Call: httpapi.Call(g.createSuperGroup), Status: http.StatusCreated},
		{Method: http.MethodDelete, Path: superGroups, Call: httpapi.Call(g.deleteSuperGroups)},
		{Method: http.MethodGet, Path: superGroups + "/{id}", Call: httpapi.Call(g.readSuperGroup)},
		{Method: http.MethodPut, Path: superGroups + "/{id}", Call: httpapi.Call(g.changeSuperGroup)},
		{Method: http.MethodDelete, Path: superGroups + "/{id}", Call: httpapi.Call(g.deleteSuperGroup)},
	}), httpapi.Alike(httpapi.Route{Access: httpapi.RunToken}, []httpapi.Route{
		{Method: http.MethodPost, Path: own, Call: httpapi.Call(g.createUser)},
		{Method: http.MethodPut, Path: own, Call: httpapi.Call(g.updateUsers)},
		{Method: http.MethodPut, Path: own + "/{id}", Call: httpapi.Call(g.updateUser)},
		{Method: http.MethodDelete, Path: own + "/{id}", Call: httpapi.Call(g.deleteUser)},
	}))
}
