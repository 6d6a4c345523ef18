// Package api serves endpoint 13.
package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/trigger/hook"
)

// Group adapts hook.Receiver to HTTP.
type Group struct {
	Receiver *hook.Receiver
	Depths   httpapi.DepthVerifier
}

const path = "/oserve/v1/incoming-webhook/{hook}"

// Routes returns the endpoint with its five methods (D40).
func (g *Group) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: http.MethodGet, Path: path, Access: httpapi.Public, Handle: g.call, NoHead: true},
		{Method: http.MethodPost, Path: path, Access: httpapi.Public, Handle: g.call},
		{Method: http.MethodPut, Path: path, Access: httpapi.Public, Handle: g.call},
		{Method: http.MethodPatch, Path: path, Access: httpapi.Public, Handle: g.call},
		{Method: http.MethodDelete, Path: path, Access: httpapi.Public, Handle: g.call},
	}
}
