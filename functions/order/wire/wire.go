// Package wire assembles program order.
package wire

import (
	"minicloud/functions/order/api"
	"minicloud/shared/order"
	"minicloud/shared/order/checkout"
	"minicloud/shared/outbound/pay"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/secrets"
	"minicloud/shared/program/lambdahttp"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	orders := b.Orders()
	orders.Counts = b.Counts()
	service := &order.Service{Store: orders, Clock: b.Clock, IDs: b.IDs}
	addresses, settings := b.PaymentAddresses(), b.PaymentSettings(secrets.Open(b))
	settings.Addresses = addresses
	group := &api.Group{Orders: service, Settings: settings, Gateway: &checkout.Gateway{
		Orders: service, Settings: settings, Vendors: pay.New(addresses, b.AllowPrivate()), BaseURL: b.String("BASE_URL"),
		Clock: b.Clock, Log: b.Log,
	}}
	face := b.API(group.Routes())
	b.ServeEndUsers(face)
	return lambdahttp.Adapt(face.Handler())
}
