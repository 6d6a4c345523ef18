// Package wire assembles program paymentnotify.
package wire

import (
	"minicloud/functions/paymentnotify/api"
	"minicloud/shared/httpapi"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/events"
	"minicloud/shared/program/backend/secrets"
	"minicloud/shared/program/lambdahttp"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	group := &api.Group{
		Applications: b.Applications(), Settings: b.PaymentSettings(secrets.Open(b)), Bus: events.Open(b), Clock: b.Clock,
		Log: b.Log,
	}
	face := &httpapi.API{Routes: group.Routes(), Log: b.Log, Clock: b.Clock}
	return lambdahttp.Adapt(face.Handler())
}
