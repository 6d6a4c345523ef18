// Package api receives the notifications of payment vendors (G18).
package api

import (
	"log/slog"
	"net/http"

	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/httpapi"
	"minicloud/shared/order/payment"
)

// Group handles the notifications of payment vendors.
type Group struct {
	Applications app.HandleReader
	Settings     *payment.Settings
	Bus          payment.Bus
	Clock        clock.Clock
	Log          *slog.Logger
}

// Routes returns the endpoints of this program.
func (g *Group) Routes() []httpapi.Route {
	return []httpapi.Route{{
		Method: http.MethodPost, Path: "/hserve/v1/pay/notify/{vendor}/{client_id}", Access: httpapi.Public,
		Handle: g.notify,
	}}
}
