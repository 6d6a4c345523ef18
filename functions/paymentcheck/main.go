// Program paymentcheck runs every minute: it asks payment vendors about orders that stay pending.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"

	"minicloud/shared/clock"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/order"
	"minicloud/shared/outbound/pay"
	"minicloud/shared/outbound/safehttp"
	"minicloud/shared/payment"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
)

func main() {
	p := program.New()
	b := backend.Open(p)
	orders := &orderdb.Store{Client: b.DynamoDB, Table: p.String("ORDERS_TABLE")}
	reconciler := &payment.Reconciler{
		Orders: &order.Service{Store: orders, Clock: clock.System}, Checks: orders,
		Settings: &payment.Settings{
			Store:  &settingdb.Payments{Client: b.DynamoDB, Table: p.String("SETTINGS_TABLE")},
			Sealer: b.Secrets(p.String("SECRETS_KEY")), Clock: clock.System,
		},
		Vendors: &pay.Client{HTTP: safehttp.New(safehttp.Options{})}, Bus: b.Bus(p.String("EVENT_BUS")),
		Clock: clock.System, Log: p.Log,
	}
	p.Ready()

	lambda.Start(func(ctx context.Context) error {
		asked, err := reconciler.Tick(ctx)
		if asked > 0 {
			p.Log.InfoContext(ctx, "tick", "asked", asked)
		}
		return err
	})
}
