// Package wire assembles program paymentcheck.
package wire

import (
	"context"

	"minicloud/shared/order"
	"minicloud/shared/order/payment"
	"minicloud/shared/outbound/pay"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/events"
	"minicloud/shared/program/backend/secrets"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	return Handler(b, pay.New(b.PaymentAddresses(), b.AllowPrivate()))
}

// Handler is Program with the client of the vendors; the simulation has no network.
func Handler(b *backend.Backend, vendors payment.Client) any {
	orders := b.Orders()
	settings := b.PaymentSettings(secrets.Open(b))
	settings.Addresses = b.PaymentAddresses()
	reconciler := &payment.Reconciler{
		Orders: &order.Service{Store: orders, Clock: b.Clock}, Checks: orders, Settings: settings,
		Vendors: vendors, Bus: events.Open(b), Clock: b.Clock, Log: b.Log,
	}
	return func(ctx context.Context) error {
		asked, err := reconciler.Tick(ctx)
		if asked > 0 {
			b.Log.InfoContext(ctx, "tick", "asked", asked)
		}
		return err
	}
}
