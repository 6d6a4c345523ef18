// Package wire assembles program paymentrefund.
package wire

import (
	"minicloud/functions/paymentrefund/api"
	"minicloud/shared/delivery/safehttp"
	"minicloud/shared/order"
	"minicloud/shared/order/payment"
	"minicloud/shared/outbound/pay"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/secrets"
	"minicloud/shared/program/lambdahttp"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	orders := &order.Service{Store: b.Orders(), Clock: b.Clock, IDs: b.IDs}
	group := &api.Group{Orders: orders, Refunds: &payment.Refunder{
		Orders:   orders,
		Settings: b.PaymentSettings(secrets.Open(b)),
		Vendors:  &pay.Client{HTTP: safehttp.New(safehttp.Options{AllowPrivate: b.AllowPrivate()})},
		Clock:    b.Clock, Log: b.Log,
	}}
	return lambdahttp.Adapt(b.API(group.Routes()).Handler())
}
