// Package api serves the token endpoints 10–12, the only ones that take a client id and secret instead of a token.
//
// They ignore Idempotency-Key: their responses must not be stored in plain text (D10), and each request is safe to
// repeat by its own rules.
package api

import (
	"log/slog"
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/oauth"
)

// Group adapts oauth.Service to HTTP.
type Group struct {
	OAuth *oauth.Service
	Log   *slog.Logger
}

// Routes returns the endpoints of this program.
func (g *Group) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: http.MethodPost, Path: "/api/oauth2/service/openapi/authorize", Access: httpapi.Public, Handle: g.authorize},
		{Method: http.MethodGet, Path: "/api/oauth2/service/openapi/authorize", Access: httpapi.Public, Handle: g.follow},
		{Method: http.MethodPost, Path: "/api/oauth2/access_token", Access: httpapi.Public, Handle: g.token},
	}
}
