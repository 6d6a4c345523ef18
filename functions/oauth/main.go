// Program oauth serves the token endpoints 10–12.
package main

import (
	"time"

	"minicloud/functions/oauth/api"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/httpapi"
	"minicloud/shared/lambdahttp"
	"minicloud/shared/oauth"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
)

func main() {
	p := program.New()
	b := backend.Open(p)
	tokens := &appdb.Tokens{Client: b.DynamoDB, Table: p.String("APPLICATIONS_TABLE")}
	seconds := p.Int("ACCESS_TOKEN_SECONDS", int(oauth.AccessLifetime.Seconds()))
	origins := p.Default("ALLOWED_ORIGINS", "*")
	p.Ready()

	group := &api.Group{Log: p.Log, OAuth: &oauth.Service{
		Store: tokens, AccessLifetime: time.Duration(seconds) * time.Second, Clock: clock.System, Log: p.Log,
	}}
	face := &httpapi.API{Routes: group.Routes(), Origins: origins, Log: p.Log, Clock: clock.System}
	lambdahttp.Start(face.Handler())
}
