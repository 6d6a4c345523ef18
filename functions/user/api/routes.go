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
	const superGroups = "/oserve/v1/user-supergroup"
	return slices.Concat(g.clientRoutes(), []httpapi.Route{
		{
			Method: http.MethodGet, Path: "/userve/v2.2/miniapp/user_profile", Access: httpapi.Bearer, Call: httpapi.Call(g.list),
			Keys: true, Twin: true,
		},
		{Method: http.MethodPost, Path: "/userve/v2.2/miniapp/user_profile/query", Access: httpapi.Bearer,
			Call: httpapi.Query(httpapi.Call(g.list)), Reads: true, Fresh: true, Keys: true, Twin: true},
		{Method: http.MethodGet, Path: "/userve/v1/user-profile", Access: httpapi.Bearer, Call: httpapi.Call(g.current)},
		{
			Method: http.MethodGet, Path: "/userve/v2.2/miniapp/user_profile/{id}", Access: httpapi.Bearer, Call: httpapi.Call(g.read),
			Keys: true, Twin: true,
		},
		{Method: http.MethodPut, Path: "/userve/v2.6/miniapp/user_profile/{id}", Access: httpapi.Bearer, Call: httpapi.Call(g.update), Twin: true},
		{Method: http.MethodPut, Path: "/userve/v2.6/miniapp/user_profile", Access: httpapi.Bearer, Call: httpapi.Call(g.bulkUpdate), Twin: true},
		{Method: http.MethodPut, Path: "/userve/v2.2/miniapp/user/account/{id}", Access: httpapi.Bearer, Call: httpapi.Call(g.account)},

		{Method: http.MethodPut, Path: "/oserve/v2.1/miniapp/user/account/{id}", Access: httpapi.Bearer, Call: httpapi.Call(g.account)},

		{Method: http.MethodPost, Path: "/dserve/v1/user/profile", Access: httpapi.RunToken, Call: httpapi.Call(g.createUser)},
		{Method: http.MethodPut, Path: "/dserve/v1/user/profile", Access: httpapi.RunToken, Call: httpapi.Call(g.updateUsers)},
		{Method: http.MethodPut, Path: "/dserve/v1/user/profile/{id}", Access: httpapi.RunToken, Call: httpapi.Call(g.updateUser)},
		{Method: http.MethodDelete, Path: "/dserve/v1/user/profile/{id}", Access: httpapi.RunToken, Call: httpapi.Call(g.deleteUser)},

		{Method: http.MethodGet, Path: "/oserve/v1/bulk-operation/{id}", Access: httpapi.Bearer, Call: httpapi.Call(g.operation), Twin: true},
		{Method: http.MethodGet, Path: "/oserve/v1/user-group", Access: httpapi.Bearer, Call: httpapi.Call(g.listGroups), Twin: true},
		{Method: http.MethodPost, Path: "/oserve/v1/user-group", Access: httpapi.Bearer, Call: httpapi.Call(g.createGroup), Status: http.StatusCreated, Twin: true},
		{Method: http.MethodDelete, Path: "/oserve/v1/user-group", Access: httpapi.Bearer, Call: httpapi.Call(g.deleteGroups), Twin: true},
		{Method: http.MethodGet, Path: "/oserve/v1/user-group/{id}", Access: httpapi.Bearer, Call: httpapi.Call(g.readGroup), Twin: true},
		{Method: http.MethodPut, Path: "/oserve/v1/user-group/{id}", Access: httpapi.Bearer, Call: httpapi.Call(g.changeGroup), Twin: true},
		{Method: http.MethodDelete, Path: "/oserve/v1/user-group/{id}", Access: httpapi.Bearer, Call: httpapi.Call(g.deleteGroup), Twin: true},
		{Method: http.MethodGet, Path: superGroups, Access: httpapi.Bearer, Call: httpapi.Call(g.listSuperGroups)},
		{Method: http.MethodPost, Path: superGroups, Access: httpapi.Bearer, Call: httpapi.Call(g.createSuperGroup), Status: http.StatusCreated},
		{Method: http.MethodDelete, Path: superGroups, Access: httpapi.Bearer, Call: httpapi.Call(g.deleteSuperGroups)},
		{Method: http.MethodGet, Path: superGroups + "/{id}", Access: httpapi.Bearer, Call: httpapi.Call(g.readSuperGroup)},
		{Method: http.MethodPut, Path: superGroups + "/{id}", Access: httpapi.Bearer, Call: httpapi.Call(g.changeSuperGroup)},
		{Method: http.MethodDelete, Path: superGroups + "/{id}", Access: httpapi.Bearer, Call: httpapi.Call(g.deleteSuperGroup)},
		{
			Method: http.MethodPatch, Path: "/oserve/v1/miniapp/group/membership", Access: httpapi.Bearer,
			Call: httpapi.Call(g.changeMembership), Twin: true,
		},
	})
}
