// Package api serves tables and their rows (D29), the extension whose events table triggers see.
//
// Paths name a table by its id or its name.
package api

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"minicloud/shared/bulk"
	"minicloud/shared/httpapi"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/user/session"
)

// Group adapts manage.Service and bulk.Service to HTTP.
type Group struct {
	Tables *manage.Service
	Bulk   *bulk.Service
	// Prefetch makes ctx read a table by its id or name, and a row of it unless row is "", in the same call as the token;
	// nil turns this off.
	Prefetch func(ctx context.Context, scope tenant.Scope, idOrName, row string) context.Context
	// Ahead begins the first read of a list of a user's rows while the session is verified; nil turns this off.
	Ahead func(ctx context.Context, scope tenant.Scope, idOrName, query string, user int64) context.Context
	// Applications stores the application's setting for legacy writes.
	Applications Applications
}

// Routes returns the endpoints of this program.
func (g *Group) Routes() []httpapi.Route {
	const tables = "/oserve/v1.8/table"
	const rows = "/oserve/v2.4/table/{table}/record"
	const updates = "/oserve/v2.6/table/{table}/record"
	const indexes = "/oserve/v2.6/schema/{table}/index"
	routes := slices.Concat(g.clientRoutes(), httpapi.Alike(httpapi.Route{Access: httpapi.Bearer, Twin: true}, []httpapi.Route{
		{Method: http.MethodGet, Path: tables, Call: httpapi.Call(g.listTables)},
		{Method: http.MethodPost, Path: tables, Call: httpapi.Call(g.createTable), Status: http.StatusCreated},
		{Method: http.MethodGet, Path: tables + "/{table}", Call: httpapi.Call(g.readTable)},
		{Method: http.MethodPut, Path: tables + "/{table}", Call: httpapi.Call(g.modifyTable)},
		{Method: http.MethodDelete, Path: tables + "/{table}", Call: httpapi.Call(g.deleteTable)},

		{Method: http.MethodGet, Path: rows, Call: httpapi.Call(g.list), Keys: true, Expand: true},
		{Method: http.MethodPost, Path: rows + "/query", Call: httpapi.Query(httpapi.Call(g.list)), Reads: true,
			Fresh: true, Keys: true, Expand: true},
		{Method: http.MethodPost, Path: rows, Call: httpapi.Call(g.create), Status: http.StatusCreated, Expand: true},
		{Method: http.MethodDelete, Path: rows, Call: httpapi.Call(g.deleteMatching)},
		{Method: http.MethodGet, Path: rows + "/{id}", Call: httpapi.Call(g.read), Keys: true, Expand: true},
		{Method: http.MethodDelete, Path: rows + "/{id}", Call: httpapi.Call(g.delete)},
		{Method: http.MethodPut, Path: updates, Call: httpapi.Call(g.updateMatching)},
		{Method: http.MethodPut, Path: updates + "/{id}", Call: httpapi.Call(g.update), Expand: true},
	}), httpapi.Alike(httpapi.Route{Access: httpapi.Bearer}, []httpapi.Route{
		{Method: http.MethodGet, Path: indexes, Call: httpapi.Call(g.listIndexes)},
		{Method: http.MethodPost, Path: indexes, Call: httpapi.Call(g.createIndex), Status: http.StatusCreated},
		{Method: http.MethodDelete, Path: indexes + "/{index}", Call: httpapi.Call(g.deleteIndex)},

		{Method: http.MethodGet, Path: "/oserve/v1.8/application-setting", Call: httpapi.Call(g.readSetting)},
		{Method: http.MethodPut, Path: "/oserve/v1.8/application-setting", Call: httpapi.Call(g.putSetting)},
	}))
	if g.Prefetch != nil {
		for i, r := range routes {
			switch {
			case r.Access == httpapi.Client && r.Method == http.MethodGet && strings.HasSuffix(r.Path, "/record"):
				routes[i].Prefetch = g.prefetchList
			// An administrator's change mostly does not read the row.
			case strings.HasSuffix(r.Path, "/record/{id}") && (r.Access == httpapi.Client || r.Method != http.MethodPut):
				routes[i].Prefetch = g.prefetchRow
			case strings.Contains(r.Path, "{table}"):
				routes[i].Prefetch = g.prefetch
			}
		}
	}
	return routes
}

// prefetch announces the table of the path.
func (g *Group) prefetch(r *http.Request, scope tenant.Scope) context.Context {
	return g.Prefetch(r.Context(), scope, r.PathValue("table"), "")
}

// prefetchRow announces the table and the row of the path.
func (g *Group) prefetchRow(r *http.Request, scope tenant.Scope) context.Context {
	return g.Prefetch(r.Context(), scope, r.PathValue("table"), r.PathValue("id"))
}

// prefetchList is prefetch for the list of an end user's rows. The user is only who the token says.
func (g *Group) prefetchList(r *http.Request, scope tenant.Scope) context.Context {
	ctx := g.prefetch(r, scope)
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if user, ok := session.Token(strings.TrimSpace(token)).User(); ok && g.Ahead != nil {
		ctx = g.Ahead(ctx, scope, r.PathValue("table"), r.URL.RawQuery, user)
	}
	return ctx
}
