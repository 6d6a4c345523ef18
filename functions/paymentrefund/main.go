// Program paymentrefund pays back orders, for functions (BaaS.Order.refund) and for administrators. It opens the secrets
// of payment vendors, which the order program cannot.
package main

import (
	"minicloud/functions/paymentrefund/api"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/id"
	"minicloud/shared/lambdahttp"
	"minicloud/shared/order"
	"minicloud/shared/outbound/pay"
	"minicloud/shared/outbound/safehttp"
	"minicloud/shared/payment"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
)

func main() {
	p := program.New()
	allowPrivate := p.Default("ALLOW_PRIVATE_TARGETS", "") == "1" // the local cloud's tests only
	b := backend.Open(p)
	orders := &orderdb.Store{Client: b.DynamoDB, Table: p.String("ORDERS_TABLE")}
	refunder := &payment.Refunder{
		Orders: &order.Service{Store: orders, Clock: clock.System, IDs: new(id.Source)},
		Settings: &payment.Settings{
			Store:  &settingdb.Payments{Client: b.DynamoDB, Table: p.String("SETTINGS_TABLE")},
			Sealer: b.Secrets(p.String("SECRETS_KEY")), Clock: clock.System,
		},
		Vendors: &pay.Client{HTTP: safehttp.New(safehttp.Options{AllowPrivate: allowPrivate})}, Clock: clock.System,
		Log: p.Log,
	}
	face := b.API(p, backend.Tables{
		Applications: p.String("APPLICATIONS_TABLE"), Keys: p.String("IDEMPOTENCY_TABLE"), Console: p.String("CONSOLE_TABLE"),
		Audit: p.String("AUDIT_TABLE"),
	}, p.Default("ALLOWED_ORIGINS", "*"))
	p.Ready()

	group := &api.Group{Refunds: refunder}
	face.Routes = group.Routes()
	lambdahttp.Start(face.Handler())
}
