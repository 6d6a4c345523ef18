// Program order shows payment orders (endpoint 20) and keeps the settings of payment vendors, whose secrets it seals
// and cannot open.
package main

import (
	"minicloud/functions/order/api"
	"minicloud/shared/clock"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/lambdahttp"
	"minicloud/shared/order"
	"minicloud/shared/payment"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
)

func main() {
	p := program.New()
	b := backend.Open(p)
	counts := &countdb.Store{Client: b.DynamoDB, Table: p.String("COUNTS_TABLE"), Clock: clock.System}
	orders := &orderdb.Store{
		Client: b.DynamoDB, Table: p.String("ORDERS_TABLE"), Counts: &count.Cache{Reader: counts, Clock: clock.System},
	}
	settings := &settingdb.Payments{Client: b.DynamoDB, Table: p.String("SETTINGS_TABLE")}
	secrets := b.Secrets(p.String("SECRETS_KEY"))
	face := b.API(p, backend.Tables{
		Applications: p.String("APPLICATIONS_TABLE"), Keys: p.String("IDEMPOTENCY_TABLE"), Console: p.String("CONSOLE_TABLE"),
		Audit: p.String("AUDIT_TABLE"),
	}, p.Default("ALLOWED_ORIGINS", "*"))
	p.Ready()

	group := &api.Group{
		Orders:   &order.Service{Store: orders, Clock: clock.System},
		Settings: &payment.Settings{Store: settings, Sealer: secrets, Clock: clock.System},
	}
	face.Routes = group.Routes()
	lambdahttp.Start(face.Handler())
}
