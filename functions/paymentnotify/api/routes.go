// Package api receives the notifications of payment vendors (G18).
package api

import (
	"context"
	"log/slog"
	"net/http"

	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/httpapi"
	"minicloud/shared/order/payment"
)

// Applications finds the application of the client id in the path; app.Store implements it.
type Applications interface {
	ByHandle(ctx context.Context, h app.Handle) (app.Application, error)
}

// Bus publishes events; *bus.Bus implements it.
type Bus interface {
	// Put returns nil when the bus has accepted the event.
	Put(ctx context.Context, detailType string, detail []byte) error
}

// Group handles the notifications of payment vendors.
type Group struct {
	Applications Applications
	Settings     *payment.Settings
	Bus          Bus
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
