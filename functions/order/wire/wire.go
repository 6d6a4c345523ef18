// Package wire assembles program order.
package wire

import (
	"minicloud/functions/order/api"
	"minicloud/shared/order"
	"minicloud/shared/order/checkout"
	"minicloud/shared/order/payment"
	"minicloud/shared/outbound/pay"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/secrets"
	"minicloud/shared/program/lambdahttp"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	return Handler(b, pay.New(b.PaymentAddresses(), b.AllowPrivate()))
}

// Handler is Program with the client of the vendors; the simulation has no network.
func Handler(b *backend.Backend, vendors payment.Client) any {
	orders := b.Orders()
	orders.Counts = b.Counts()
	service := &order.Service{Store: orders, Clock: b.Clock, IDs: b.IDs}
	settings := b.PaymentSettings(secrets.Open(b))
	settings.Addresses = b.PaymentAddresses()
	group := &api.Group{Orders: service, Settings: settings, Gateway: &checkout.Gateway{
		Orders: service, Settings: settings, Vendors: vendors, Clock: b.Clock, Log: b.Log,
	}}
	face := b.API(group.Routes())
	b.ServeEndUsers(face)
	return lambdahttp.Adapt(face.Handler())
}
