// Package api is endpoint 13.
package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/trigger/hook"
)

// Group is the HTTP face of hook.Receiver.
type Group struct {
	Receiver *hook.Receiver
	Depths   httpapi.DepthVerifier
}

const path = "/oserve/v1/incoming-webhook/{hook}"

// Routes returns the endpoint by its five methods (D40).
func (g *Group) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: http.MethodGet, Path: path, Access: httpapi.Public, Handle: g.call, NoHead: true},
		{Method: http.MethodPost, Path: path, Access: httpapi.Public, Handle: g.call},
		{Method: http.MethodPut, Path: path, Access: httpapi.Public, Handle: g.call},
		{Method: http.MethodPatch, Path: path, Access: httpapi.Public, Handle: g.call},
		{Method: http.MethodDelete, Path: path, Access: httpapi.Public, Handle: g.call},
	}
}
