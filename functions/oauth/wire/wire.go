// Package wire assembles program oauth.
package wire

import (
	"time"

	"minicloud/functions/oauth/api"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/oauth"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/lambdahttp"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	tokens := &appdb.Tokens{Client: b.DynamoDB, Table: b.String("APPLICATIONS_TABLE")}
	seconds := b.Int("ACCESS_TOKEN_SECONDS", int(oauth.AccessLifetime.Seconds()))
	group := &api.Group{Log: b.Log, OAuth: &oauth.Service{
		Store: tokens, AccessLifetime: time.Duration(seconds) * time.Second, Clock: b.Clock, Log: b.Log,
	}}
	return lambdahttp.Adapt(b.Public(group.Routes()).Handler())
}
