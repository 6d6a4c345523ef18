// Program paymentnotify hears from the payment vendors. It opens their secrets, but neither reads nor writes orders:
// what it has verified goes on the event bus.
package main

import (
	"minicloud/functions/paymentnotify/api"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/httpapi"
	"minicloud/shared/lambdahttp"
	"minicloud/shared/payment"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
)

func main() {
	p := program.New()
	b := backend.Open(p)
	group := &api.Group{
		Applications: &appdb.Applications{Client: b.DynamoDB, Table: p.String("APPLICATIONS_TABLE")},
		Settings: &payment.Settings{
			Store:  &settingdb.Payments{Client: b.DynamoDB, Table: p.String("SETTINGS_TABLE")},
			Sealer: b.Secrets(p.String("SECRETS_KEY")), Clock: clock.System,
		},
		Bus: b.Bus(p.String("EVENT_BUS")), Clock: clock.System, Log: p.Log,
	}
	p.Ready()

	face := &httpapi.API{Routes: group.Routes(), Log: p.Log, Clock: clock.System}
	lambdahttp.Start(face.Handler())
}
