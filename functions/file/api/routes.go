// Package api serves uploads and files (client API, 5).
package api

import (
	"context"
	"net/http"
	"slices"

	"minicloud/shared/file"
	"minicloud/shared/file/imagecheck"
	"minicloud/shared/httpapi"
)

// Group adapts file.Service to HTTP.
type Group struct {
	Files  *file.Service
	Censor Censor
	Checks *imagecheck.Service
}

// Routes returns the endpoints of this program.
func (g *Group) Routes() []httpapi.Route {
	return slices.Concat(g.uploadRoutes(), g.clientRoutes(), g.openRoutes(), g.censorRoutes())
}

// uploadRoutes are the endpoints of uploads, and the receiver of contents.
func (g *Group) uploadRoutes() []httpapi.Route {
	const resumable, receiver = "/hserve/v2.7/resumable-upload", "/upload/{id}"
	begin := httpapi.Call(g.begin)
	routes := []httpapi.Route{
		{Method: http.MethodPost, Path: "/oserve/v2.1/upload", Access: httpapi.Bearer, Call: begin, Twin: true},
		// The policy in the request is the permission: any page may send it.
		{Method: http.MethodPost, Path: receiver, Access: httpapi.Public, Handle: g.receive},
		{Method: http.MethodPut, Path: receiver, Access: httpapi.Public, Handle: g.receivePart},
	}
	for _, r := range []httpapi.Route{
		{Method: http.MethodPost, Path: "/hserve/v2.1/upload", Call: begin},
		{Method: http.MethodPost, Path: "/hserve/v1/upload", Call: begin},
		{Method: http.MethodPost, Path: resumable, Call: httpapi.Call(g.beginParts)},
		{Method: http.MethodGet, Path: resumable + "/{id}", Call: httpapi.Call(g.renewParts)},
		{Method: http.MethodPut, Path: resumable + "/{id}", Call: httpapi.Call(g.joinParts)},
	} {
		r.Access, r.Needs, r.Acts = httpapi.Client, httpapi.LoggedIn, true
		routes = append(routes, r)
	}
	return routes
}

// clientRoutes are the endpoints of files and categories for end users.
func (g *Group) clientRoutes() (routes []httpapi.Route) {
	client := func(method, path string, call httpapi.Endpoint) {
		routes = append(routes, httpapi.Route{
			Method: method, Path: path, Access: httpapi.Client, Needs: httpapi.LoggedIn, Call: call,
			Acts: true,
		})
	}
	for _, version := range []string{"/hserve/v2.1", "/hserve/v1.3", "/hserve/v2.2"} {
		counts := version == "/hserve/v1.3" // always
		list := func(ctx context.Context, in listed) (httpapi.Envelope[File], error) {
			in.Total = in.Total || counts
			return g.list(ctx, in)
		}
		files := version + "/uploaded-file"
		client(http.MethodGet, files, httpapi.Call(list))
		client(http.MethodGet, files+"/{id}", httpapi.Call(g.read))
		client(http.MethodDelete, files, httpapi.Call(g.deleteManyOwn))
		client(http.MethodDelete, files+"/{id}", httpapi.Call(g.deleteOwn))
	}
	for _, version := range []string{"/hserve/v2.2", "/hserve/v1.3"} {
		categories := version + "/file-category"
		client(http.MethodGet, categories, httpapi.Call(g.listCategories))
		client(http.MethodGet, categories+"/{id}", httpapi.Call(g.readCategory))
	}
	return routes
}

// openRoutes are the endpoints of files and categories for administrators and functions (C50).
func (g *Group) openRoutes() []httpapi.Route {
	const files, categories = "/oserve/v2.2/file", "/oserve/v2.2/file-category"
	return []httpapi.Route{
		{Method: http.MethodGet, Path: files, Access: httpapi.Bearer, Call: httpapi.Call(g.listOwned), Twin: true},
		{
			Method: http.MethodPost, Path: files + "/query", Access: httpapi.Bearer,
			Call: httpapi.Query(httpapi.Call(g.listOwned)), Reads: true, Fresh: true, Twin: true,
		},
		{Method: http.MethodGet, Path: files + "/{id}", Access: httpapi.Bearer, Call: httpapi.Call(g.readOwned), Twin: true},
		{Method: http.MethodDelete, Path: files, Access: httpapi.Bearer, Call: httpapi.Call(g.deleteMany), Twin: true},
		{Method: http.MethodDelete, Path: files + "/{id}", Access: httpapi.Bearer, Call: httpapi.Call(g.deleteAny), Twin: true},
		{Method: http.MethodGet, Path: categories, Access: httpapi.Bearer, Call: httpapi.Call(g.listCategories), Twin: true},
		{
			Method: http.MethodPost, Path: categories, Access: httpapi.Bearer, Call: httpapi.Call(g.createCategory),
			Status: http.StatusCreated, Twin: true,
		},
		{
			Method: http.MethodGet, Path: categories + "/{id}", Access: httpapi.Bearer, Call: httpapi.Call(g.readCategory),
			Twin: true,
		},
		{
			Method: http.MethodPut, Path: categories + "/{id}", Access: httpapi.Bearer, Call: httpapi.Call(g.changeCategory),
			Twin: true,
		},
		{
			Method: http.MethodDelete, Path: categories + "/{id}", Access: httpapi.Bearer, Call: httpapi.Call(g.deleteCategory),
			Twin: true,
		},
	}
}
