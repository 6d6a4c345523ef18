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
	return slices.Concat([]httpapi.Route{
		{Method: http.MethodPost, Path: "/oserve/v2.1/upload", Access: httpapi.Bearer, Call: begin, Twin: true},
		// The policy in the request is the permission: any page may send it.
		{Method: http.MethodPost, Path: receiver, Access: httpapi.Public, Handle: g.receive},
		{Method: http.MethodPut, Path: receiver, Access: httpapi.Public, Handle: g.receivePart},
	}, httpapi.Alike(httpapi.Route{Access: httpapi.Client, Needs: httpapi.LoggedIn, Acts: true}, []httpapi.Route{
		{Method: http.MethodPost, Path: "/hserve/v2.1/upload", Call: begin},
		{Method: http.MethodPost, Path: "/hserve/v1/upload", Call: begin},
		{Method: http.MethodPost, Path: resumable, Call: httpapi.Call(g.beginParts)},
		{Method: http.MethodGet, Path: resumable + "/{id}", Call: httpapi.Call(g.renewParts)},
		{Method: http.MethodPut, Path: resumable + "/{id}", Call: httpapi.Call(g.joinParts)},
	}))
}

// clientRoutes are the endpoints of files and categories for end users.
func (g *Group) clientRoutes() (routes []httpapi.Route) {
	for _, version := range []string{"/hserve/v2.1", "/hserve/v1.3", "/hserve/v2.2"} {
		counts := version == "/hserve/v1.3" // always
		list := func(ctx context.Context, in listed) (httpapi.Envelope[File], error) {
			in.Total = in.Total || counts
			return g.list(ctx, in)
		}
		files := version + "/uploaded-file"
		routes = append(routes,
			httpapi.Route{Method: http.MethodGet, Path: files, Call: httpapi.Call(list)},
			httpapi.Route{Method: http.MethodGet, Path: files + "/{id}", Call: httpapi.Call(g.read)},
			httpapi.Route{Method: http.MethodDelete, Path: files, Call: httpapi.Call(g.deleteManyOwn)},
			httpapi.Route{Method: http.MethodDelete, Path: files + "/{id}", Call: httpapi.Call(g.deleteOwn)})
	}
	for _, version := range []string{"/hserve/v2.2", "/hserve/v1.3"} {
		categories := version + "/file-category"
		routes = append(routes,
			httpapi.Route{Method: http.MethodGet, Path: categories, Call: httpapi.Call(g.listCategories)},
			httpapi.Route{Method: http.MethodGet, Path: categories + "/{id}", Call: httpapi.Call(g.readCategory)})
	}
	return httpapi.Alike(httpapi.Route{Access: httpapi.Client, Needs: httpapi.LoggedIn, Acts: true}, routes)
}

// openRoutes are the endpoints of files and categories for administrators and functions (C50).
func (g *Group) openRoutes() []httpapi.Route {
	const files, categories = "/oserve/v2.2/file", "/oserve/v2.2/file-category"
	return httpapi.Alike(httpapi.Route{Access: httpapi.Bearer, Twin: true}, []httpapi.Route{
		{Method: http.MethodGet, Path: files, Call: httpapi.Call(g.listOwned)},
		{Method: http.MethodPost, Path: files + "/query", Call: httpapi.Query(httpapi.Call(g.listOwned)), Reads: true,
			Fresh: true},
		{Method: http.MethodGet, Path: files + "/{id}", Call: httpapi.Call(g.readOwned)},
		{Method: http.MethodDelete, Path: files, Call: httpapi.Call(g.deleteMany)},
		{Method: http.MethodDelete, Path: files + "/{id}", Call: httpapi.Call(g.deleteAny)},
		{Method: http.MethodGet, Path: categories, Call: httpapi.Call(g.listCategories)},
		{Method: http.MethodPost, Path: categories, Call: httpapi.Call(g.createCategory), Status: http.StatusCreated},
		{Method: http.MethodGet, Path: categories + "/{id}", Call: httpapi.Call(g.readCategory)},
		{Method: http.MethodPut, Path: categories + "/{id}", Call: httpapi.Call(g.changeCategory)},
		{Method: http.MethodDelete, Path: categories + "/{id}", Call: httpapi.Call(g.deleteCategory)},
	})
}
