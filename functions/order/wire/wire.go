// Package wire assembles program order.
package wire

import (
	"minicloud/functions/order/api"
	"minicloud/shared/order"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/secrets"
	"minicloud/shared/program/lambdahttp"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	orders := b.Orders()
	orders.Counts = b.Counts()
	group := &api.Group{
		Orders: &order.Service{Store: orders, Clock: b.Clock}, Settings: b.PaymentSettings(secrets.Open(b)),
	}
	return lambdahttp.Adapt(b.API(group.Routes()).Handler())
}
