// Program incomingwebhook takes calls of incoming webhooks (endpoint 13). It stores them; what they fire happens
// after.
package main

import (
	"minicloud/functions/incomingwebhook/api"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/lambdahttp"
	"minicloud/shared/oauth"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
	"minicloud/shared/trigger"
)

func main() {
	p := program.New()
	b := backend.Open(p)
	group := &api.Group{
		Receiver: &trigger.Receiver{
			Hooks: &triggerdb.Triggers{Client: b.DynamoDB, Table: p.String("TRIGGERS_TABLE")},
			Clock: clock.System, IDs: new(id.Source),
		},
		Depths: &oauth.RunVerifier{
			Store: &appdb.Applications{Client: b.DynamoDB, Table: p.String("APPLICATIONS_TABLE")}, Clock: clock.System,
		},
	}
	face := &httpapi.API{
		Routes: group.Routes(), Origins: p.Default("ALLOWED_ORIGINS", "*"), Log: p.Log, Clock: clock.System,
	}
	p.Ready()

	lambdahttp.Start(face.Handler())
}
