// Package api serves uploads and files (client API, 5).
package api

import (
	"net/http"

	"minicloud/shared/file"
	"minicloud/shared/httpapi"
)

// Group adapts file.Service to HTTP.
type Group struct {
	Files *file.Service
}

// Routes returns the endpoints of this program.
func (g *Group) Routes() (routes []httpapi.Route) {
	begin, read := httpapi.Call(g.begin), httpapi.Call(g.read)
	for _, version := range []string{"/hserve/v2.1", "/hserve/v1"} {
		routes = append(routes, httpapi.Route{
			Method: http.MethodPost, Path: version + "/upload", Access: httpapi.Client, Needs: httpapi.LoggedIn, Call: begin,
		})
	}
	routes = append(routes, httpapi.Route{
		Method: http.MethodPost, Path: "/oserve/v2.1/upload", Access: httpapi.Bearer, Call: begin, Twin: true,
	})
	for _, version := range []string{"/hserve/v2.1", "/hserve/v1.3", "/hserve/v2.2"} {
		routes = append(routes, httpapi.Route{
			Method: http.MethodGet, Path: version + "/uploaded-file/{id}", Access: httpapi.Client, Needs: httpapi.LoggedIn,
			Call: read,
		})
	}
	return routes
}
